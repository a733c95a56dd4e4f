import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ClusterExtension } from '#core/kernel/api/cluster-extension';
import { annotationsFile, csv, file, webhook } from '#core/v1/bundle-render/sample-bundle.fixture';
import {
  configMap,
  ExtensionEnvironment,
  imageOf,
  NAMESPACE,
  quietCsv,
} from '../extensions/extension-environment.fixture.js';
import { certificateProvider, inputsOf, prepareRevision } from './prepare-revision.js';

let env: ExtensionEnvironment;
beforeEach(async () => {
  env = await ExtensionEnvironment.start();
});
afterEach(() => env.stop());

const CHOSEN = {
  kind: 'bundle',
  bundle: { bundle: { name: 'gear.v1.0.0', version: '1.0.0' }, image: imageOf('1.0.0') },
  query: 'query',
} as const;
const contentOf = (...manifests: object[]) => ({
  files: [annotationsFile, ...manifests.map((manifest, at) => file(`manifests/${at}.yaml`, manifest))],
  digest: 'sha256:1' as const,
});
const served = (group: string, kind: string) => {
  const plural = `${kind.toLowerCase()}s`;
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  env.add({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  });
  return env.served({ apiVersion: `${group}/v1`, kind });
};

describe('the certificate provider of a cluster', () => {
  it.each<[provider: string, kinds: readonly (readonly [group: string, kind: string])[]]>([
    ['flotilla', []],
    ['cert-manager', [['cert-manager.io', 'Certificate']]],
    ['openshift-service-ca', [['config.openshift.io', 'ClusterVersion']]],
    [
      'cert-manager',
      [
        ['config.openshift.io', 'ClusterVersion'],
        ['cert-manager.io', 'Certificate'],
      ],
    ],
  ])('is %s where %j are served', async (provider, kinds) => {
    for (const [group, kind] of kinds) await served(group, kind);
    expect(await certificateProvider(env.client)).toBe(provider);
  });
});

describe('the inputs of a revision', () => {
  const extension = (spec: object = {}) =>
    ({ spec: { namespace: NAMESPACE, source: { catalog: { packageName: 'gear' } }, ...spec } }) as ClusterExtension;
  const same = inputsOf(extension(), CHOSEN, 'flotilla');

  it.each<[differ: boolean, what: string, inputs: string]>([
    [false, 'nothing', inputsOf(extension(), CHOSEN, 'flotilla')],
    [
      false,
      'the version asked for',
      inputsOf(extension({ source: { catalog: { packageName: 'gear', version: '1' } } }), CHOSEN, 'flotilla'),
    ],
    [false, 'the deadline', inputsOf(extension({ progressDeadlineMinutes: 10 }), CHOSEN, 'flotilla')],
    [false, 'the query that is answered', inputsOf(extension(), { ...CHOSEN, query: 'other' }, 'flotilla')],
    [true, 'the namespace', inputsOf(extension({ namespace: 'other' }), CHOSEN, 'flotilla')],
    [
      true,
      'the configuration',
      inputsOf(extension({ config: { configType: 'Inline', inline: { a: 1 } } }), CHOSEN, 'flotilla'),
    ],
    [true, 'the certificate provider', inputsOf(extension(), CHOSEN, 'cert-manager')],
    [true, 'the image', inputsOf(extension(), { ...CHOSEN, bundle: { ...CHOSEN.bundle, image: 'other' } }, 'flotilla')],
    [
      true,
      'the version of the bundle',
      inputsOf(
        extension(),
        { ...CHOSEN, bundle: { ...CHOSEN.bundle, bundle: { name: 'gear', version: '2' } } },
        'flotilla',
      ),
    ],
  ])('differ: %s, where %s differs', (differ, _, inputs) => {
    expect(inputs !== same).toBe(differ);
  });
});

describe('the content of a revision', () => {
  const prepare = async (...manifests: object[]) =>
    prepareRevision(await env.round(), CHOSEN, contentOf(...manifests), 'flotilla');

  it('are the objects of the bundle in their phases, with the properties of the bundle', async () => {
    env.extension();
    const properties = JSON.stringify([{ type: 'olm.maxOpenShiftVersion', value: '4.18' }]);
    const prepared = await prepare(quietCsv({}, {}, { 'olm.properties': properties }), configMap('one'));
    expect(prepared).toMatchObject({
      from: CHOSEN.bundle,
      olmProperties: properties,
      query: 'query',
      digest: 'sha256:1',
      phases: [{ name: 'configuration', objects: [{ kind: 'ConfigMap' }] }],
    });
    expect(prepared).not.toHaveProperty('certificatesUntil', expect.anything());
  });

  it('brings certificates of Flotilla for webhooks, and the time of their replacement', async () => {
    env.extension();
    const webhooks = [webhook('ValidatingAdmissionWebhook', 'check.gear.example.com')];
    const prepared = await prepare(csv({ webhookdefinitions: webhooks }));
    if ('reason' in prepared) throw new Error(prepared.message);
    const objects = prepared.phases.flatMap(({ objects }) => objects);
    const kinds = objects.map(({ kind }) => kind);
    expect(kinds).toEqual(['Secret', 'Service', 'Deployment', 'ValidatingWebhookConfiguration']);
    expect(Date.parse(prepared.certificatesUntil ?? '')).toBeGreaterThan(env.clock.now().getTime());
    const authority = Object(objects[0]?.['data'])['olmCAKey'];
    expect(JSON.stringify(objects[3])).toContain(authority);
  });

  it.each<[reason: string, message: RegExp, manifests: object[]]>([
    ['Retrying', /no ClusterServiceVersion found in "manifests"/, [configMap('one')]],
    [
      'Retrying',
      /apiServiceDefintions are not supported/,
      [
        quietCsv({
          apiservicedefinitions: { owned: [{ name: 'v1.gears', group: 'gears', version: 'v1', kind: 'G' }] },
        }),
      ],
    ],
    ['Blocked', /phases/, [quietCsv(), ...Array.from({ length: 1_001 }, (_, at) => configMap(`map-${at}`))]],
  ])('is %s, with the reason, where there can be none: %s', async (reason, message, manifests) => {
    env.extension();
    expect(await prepare(...manifests)).toMatchObject({ reason, message: expect.stringMatching(message) });
  });
});
