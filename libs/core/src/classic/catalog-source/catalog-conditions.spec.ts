import { describe, expect, it } from 'vitest';
import type { CatalogSource } from '../../kernel/api/catalog-source.js';
import { pausedDigest } from '../../kernel/api/paused-catalog.js';
import { catalogConditions } from './catalog-conditions.js';
import { IMAGE_TEMPLATE_ANNOTATION, resolveImageTemplate } from './image-template.js';

const THEN = '2026-01-01T00:00:00Z';
const NOW = '2026-02-02T00:00:00.500Z';
const AT = '2026-02-02T00:00:00Z';
const TEMPLATE = 'shelf.example/c:v{kube_minor_version}';

type Given = Readonly<{
  spec?: Readonly<Record<string, unknown>>;
  annotations?: Record<string, string>;
  conditions?: readonly unknown[];
}>;
const source = ({ spec = { image: 'a/b:c' }, annotations = {}, conditions }: Given): CatalogSource => ({
  apiVersion: 'operators.coreos.com/v1alpha1',
  kind: 'CatalogSource',
  metadata: { name: 'shelf', namespace: 'olm', annotations },
  spec: { sourceType: 'grpc', ...spec },
  ...(conditions === undefined ? {} : { status: { conditions: [...conditions] } }),
});
const templated = { [IMAGE_TEMPLATE_ANNOTATION]: TEMPLATE };
const resolved = resolveImageTemplate(TEMPLATE, 'v1.34.4');
const unresolved = resolveImageTemplate(TEMPLATE, undefined);

describe('catalog-sources.md §7, the conditions of an image template', () => {
  const yes = catalogConditions(source({ annotations: templated }), resolved, NOW);

  it('are those of OLM once it is resolved', () => {
    const common = { status: 'True', reason: 'AllTemplatesResolved', lastTransitionTime: AT };
    expect(yes).toEqual([
      { type: 'TemplatesHaveResolved', message: 'catalog image reference was successfully resolved', ...common },
      { type: 'ResolvedImage', message: 'shelf.example/c:v34', ...common },
    ]);
  });

  it('say what is missing while it is not', () => {
    const why = 'because variable(s) "{kube_minor_version}" could not be resolved';
    expect(catalogConditions(source({ annotations: templated }), unresolved, NOW)).toMatchObject([
      { status: 'False', reason: 'UnableToResolve', message: `cannot construct catalog image reference, ${why}` },
      { status: 'False', reason: 'UnableToResolve', message: 'shelf.example/c:vmissing' },
    ]);
  });

  it('keep their time while their status stays, and get a new one when it turns', () => {
    const before = source({ annotations: templated, conditions: yes });
    const later = '2026-03-03T00:00:00Z';
    const newer = resolveImageTemplate(TEMPLATE, 'v1.35.0');
    expect(catalogConditions(before, newer, later).map((one) => one.lastTransitionTime)).toEqual([AT, AT]);
    expect(catalogConditions(before, unresolved, later).map((one) => one.lastTransitionTime)).toEqual([later, later]);
  });

  it('stay as they are until the catalog is polled, and are removed with the annotation', () => {
    expect(catalogConditions(source({ annotations: templated, conditions: yes }), undefined, NOW)).toEqual(yes);
    expect(catalogConditions(source({ conditions: yes }), undefined, NOW)).toEqual([]);
    expect(
      catalogConditions(source({ annotations: { [IMAGE_TEMPLATE_ANNOTATION]: '' }, conditions: yes }), resolved, NOW),
    ).toEqual([]);
  });

  it('leave those of others alone, and what is no condition out', () => {
    const theirs = { type: 'Audited', status: 'True', reason: 'Fine', message: '', lastTransitionTime: THEN };
    const conditions = [theirs, 'nonsense', { type: 'half' }];
    expect(catalogConditions(source({ conditions }), undefined, NOW)).toEqual([theirs]);
  });
});

describe('the condition FieldsIgnored', () => {
  const pod = 'no registry pod runs in the cluster, so these have no effect: ';
  const use = 'a source of this kind ignores: ';
  it.each([
    { because: 'nothing is ignored', given: {}, message: undefined },
    {
      because: 'an empty grpcPodConfig asks for nothing',
      given: { spec: { image: 'a/b:c', grpcPodConfig: {} } },
      message: undefined,
    },
    {
      because: 'settings of the pod, sorted',
      given: { spec: { image: 'a/b:c', grpcPodConfig: { tolerations: [], memoryTarget: '1Gi' }, runAsRoot: true } },
      message: `${pod}spec.grpcPodConfig.memoryTarget, spec.grpcPodConfig.tolerations, spec.runAsRoot`,
    },
    {
      because: 'the annotation that sets the pod’s priority',
      given: { annotations: { 'operatorframework.io/priorityclass': 'high' } },
      message: `${pod}metadata.annotations[operatorframework.io/priorityclass]`,
    },
    {
      because: 'an address beside an image',
      given: { spec: { image: 'a/b:c', address: 'x:1' } },
      message: `${use}spec.address`,
    },
    {
      because: 'an address is not polled',
      given: { spec: { address: 'x:1', updateStrategy: { registryPoll: { interval: '5m' } } } },
      message: `${use}spec.updateStrategy.registryPoll`,
    },
    {
      because: 'a ConfigMap is neither pulled nor polled',
      given: {
        spec: {
          sourceType: 'configmap',
          configMap: 'c',
          image: 'a/b:c',
          secrets: ['s'],
          grpcPodConfig: { affinity: {} },
        },
      },
      message: `${pod}spec.grpcPodConfig.affinity; ${use}spec.image, spec.secrets`,
    },
    { because: 'an invalid spec has worse troubles', given: { spec: { configMap: 'c' } }, message: undefined },
  ])('$because', ({ given, message }) => {
    const conditions = catalogConditions(source(given), undefined, NOW);
    expect(conditions).toEqual(
      message === undefined
        ? []
        : [{ type: 'FieldsIgnored', status: 'True', reason: 'NoEffect', message, lastTransitionTime: AT }],
    );
  });

  it('goes with the fields', () => {
    const before = source({ spec: { image: 'a/b:c', grpcPodConfig: { affinity: {} } } });
    const conditions = catalogConditions(before, undefined, NOW);
    expect(catalogConditions(source({ conditions }), undefined, NOW)).toEqual([]);
  });
});

describe('the condition Paused', () => {
  const annotations = { 'flotilla.dev/paused': 'true' };
  const digest = `sha256:${'a'.repeat(64)}`;

  it('names the content that stays, also before a process that starts anew holds it', () => {
    const conditions = catalogConditions(source({ annotations }), undefined, NOW, digest);
    expect(conditions).toMatchObject([
      { type: 'Paused', status: 'True', reason: 'PausedByAnnotation', message: expect.stringContaining(digest) },
    ]);
    expect(catalogConditions(source({ annotations, conditions: [...conditions] }), undefined, NOW)).toEqual(conditions);
    expect(pausedDigest({ conditions })).toBe(digest);
  });

  it('goes with the annotation', () => {
    const conditions = [...catalogConditions(source({ annotations }), undefined, NOW, digest)];
    expect(catalogConditions(source({ conditions }), undefined, NOW, digest)).toEqual([]);
    expect(catalogConditions(source({ annotations: { 'flotilla.dev/paused': 'yes' } }), undefined, NOW)).toEqual([]);
  });
});
