import { describe, expect, it } from 'vitest';
import type { KubernetesObject } from '../../../kernel/api/kubernetes-object.js';
import { kindOfStep } from '../steps/install-plan-step.js';
import { type BundleInPlan, PROPERTIES_ANNOTATION, propertiesAnnotation, stepsOfBundle } from './bundle-steps.js';

const csv = (more: Record<string, unknown> = {}, head: Partial<KubernetesObject> = {}): KubernetesObject => ({
  apiVersion: 'operators.coreos.com/v1alpha1',
  kind: 'ClusterServiceVersion',
  metadata: { name: 'tug.v1', namespace: 'from-the-bundle', annotations: { capabilities: 'Basic Install' } },
  spec: { replaces: 'tug.v0', ...more },
  ...head,
});
const content = (objects: readonly KubernetesObject[], more: Partial<BundleInPlan> = {}): BundleInPlan => ({
  objects,
  catalogSource: { namespace: 'olm', name: 'shelf' },
  namespace: 'harbour',
  replaces: '',
  properties: [],
  ...more,
});
const rule = (resource: string) => ({ verbs: ['get'], apiGroups: [''], resources: [resource] });
const manifest = (text: string | undefined) =>
  JSON.parse(text ?? '{}') as KubernetesObject & { spec: Record<string, unknown> };

describe('the properties that a CSV is annotated with', () => {
  it('are written as the catalog wrote them', () => {
    const properties = [
      { type: 'x', value: { all: [], because: '' }, written: '{"because":"","all":[]}' },
      { type: 'y', value: '<1' },
    ];
    expect(propertiesAnnotation(properties)).toBe(
      String.raw`{"properties":[{"type":"x","value":{"because":"","all":[]}},{"type":"y","value":"\u003c1"}]}`,
    );
  });
});

describe('the steps of a bundle', () => {
  it('put the CSV first and keep the order of the other manifests', () => {
    const service = { apiVersion: 'v1', kind: 'Service', metadata: { name: 's' } };
    const crd = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', metadata: { name: 'c' } };
    const steps = stepsOfBundle(content([service, csv(), crd]));
    expect(steps.map(({ resource }) => resource.kind)).toEqual([
      'ClusterServiceVersion',
      'Service',
      'CustomResourceDefinition',
    ]);
    expect(steps[1]).toMatchObject({
      resolving: 'tug.v1',
      status: 'Unknown',
      resource: { group: '', version: 'v1', name: 's', sourceName: 'shelf', sourceNamespace: 'olm' },
    });
  });

  it('give the CSV the namespace, the resolver’s replaces and the properties, as Go writes them', () => {
    const properties = [{ type: 'olm.package.required', value: { packageName: 'dock', versionRange: '>=1.0.0' } }];
    const [first] = stepsOfBundle(content([csv()], { replaces: 'tug.v0.9', properties }));
    const made = manifest(first?.resource.manifest);
    expect(made.metadata.namespace).toBe('harbour');
    expect(made.spec['replaces']).toBe('tug.v0.9');
    expect(made.metadata.annotations).toEqual({
      capabilities: 'Basic Install',
      [PROPERTIES_ANNOTATION]:
        '{"properties":[{"type":"olm.package.required","value":{"packageName":"dock","versionRange":"\\u003e=1.0.0"}}]}',
    });
  });

  it('leave out what the bundle says it replaces when the resolver chose nothing', () => {
    expect(manifest(stepsOfBundle(content([csv()]))[0]?.resource.manifest).spec).not.toHaveProperty('replaces');
  });

  it('write the CSV as OLM does: what is empty has its zero value, and null is absent', () => {
    const owned = [
      { name: 'tugs.x.test', version: 'v1', kind: 'Tug', resources: [{ kind: 'Service', version: 'v1' }] },
    ];
    const spec = { skips: null, minKubeVersion: null, cleanup: {}, customresourcedefinitions: { owned }, color: 'red' };
    const made = manifest(stepsOfBundle(content([csv(spec)]))[0]?.resource.manifest);
    expect(made.spec).toEqual({
      install: { strategy: '', spec: { deployments: null } },
      version: '0.0.0',
      customresourcedefinitions: {
        owned: [{ ...owned[0], resources: [{ name: '', kind: 'Service', version: 'v1' }] }],
      },
      apiservicedefinitions: {},
      displayName: '',
      provider: {},
      cleanup: { enabled: false },
    });
  });

  it.each(['v1alpha1', 'binding.operators.coreos.com/v1alpha1'])(
    'take a CSV of apiVersion %s, which OLM reads by its kind alone',
    (apiVersion) => {
      const [step] = stepsOfBundle(content([csv({}, { apiVersion })]));
      expect(step?.resource.kind).toBe('ClusterServiceVersion');
      expect(step === undefined ? '' : kindOfStep(step)).toEqual({
        group: 'operators.coreos.com',
        version: 'v1alpha1',
        kind: 'ClusterServiceVersion',
      });
    },
  );

  it('take any object of kind Secret for one of the bundle, whatever its group, as OLM does', () => {
    const secret = { apiVersion: 'secretsmanager.test/v1', kind: 'Secret', metadata: { name: 'key' } };
    expect(stepsOfBundle(content([csv(), secret]))[1]?.resource.kind).toBe('BundleSecret');
  });

  it('distinguish a Secret of the bundle from a pull secret', () => {
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'key' } };
    expect(stepsOfBundle(content([csv(), secret]))[1]?.resource.kind).toBe('BundleSecret');
  });

  it('name an object without a name by its generateName', () => {
    const job = { apiVersion: 'batch/v1', kind: 'Job', metadata: { generateName: 'once-' } };
    expect(stepsOfBundle(content([csv(), job]))[1]?.resource.name).toBe('once-');
  });

  it('group what permissions ask for by account, and never make the account `default`', () => {
    const permissions = [
      { serviceAccountName: 'default', rules: [rule('pods')] },
      { serviceAccountName: 'tug', rules: [rule('pods')] },
    ];
    const clusterPermissions = [
      { serviceAccountName: 'tug', rules: [rule('nodes')] },
      { serviceAccountName: 'pilot', rules: [rule('nodes')] },
    ];
    const install = { strategy: 'deployment', spec: { permissions, clusterPermissions } };
    const kinds = stepsOfBundle(content([csv({ install })])).map(({ resource }) => resource.kind);
    expect(kinds).toEqual([
      'ClusterServiceVersion',
      ...['Role', 'RoleBinding'],
      ...['ServiceAccount', 'Role', 'RoleBinding', 'ClusterRole', 'ClusterRoleBinding'],
      ...['ServiceAccount', 'ClusterRole', 'ClusterRoleBinding'],
    ]);
  });

  it.each<[why: string, objects: KubernetesObject[], message: string]>([
    [
      'no CSV',
      [{ apiVersion: 'v1', kind: 'Service', metadata: {} }],
      'bundle has no ClusterServiceVersion among its manifests',
    ],
    ['no apiVersion, which OLM calls fatal', [csv({}, { apiVersion: '' })], 'bundle CSV tug.v1 missing APIVersion'],
    ['no kind, which OLM calls fatal', [csv({}, { kind: '' })], 'bundle CSV tug.v1 missing Kind'],
    [
      'a CSV of the wrong shape',
      [csv({ install: { strategy: 1 } })],
      'bundle CSV tug.v1 is invalid: spec.install.strategy is the number 1',
    ],
  ])('are refused: %s', (_why, objects, message) => {
    expect(() => stepsOfBundle(content(objects))).toThrow(message);
  });
});
