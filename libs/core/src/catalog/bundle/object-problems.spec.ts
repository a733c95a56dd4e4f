import { describe, expect, it } from 'vitest';
import { LONGEST_VERDICT } from '../../kernel/verdict/verdict-line.js';
import { BundleError } from './bundle.error.js';
import { readBundle } from './read-bundle.js';
import { validateBundle } from './validate-bundle.js';

const NOTES = {
  annotations: {
    'operators.operatorframework.io.bundle.package.v1': 'ant',
    'operators.operatorframework.io.bundle.channels.v1': 'stable',
  },
};
const DEPLOYMENT = {
  name: 'ant',
  spec: {
    selector: { matchLabels: { app: 'ant' } },
    template: {
      metadata: { labels: { app: 'ant' } },
      spec: { serviceAccountName: 'ant', containers: [{ name: 'ant', image: 'registry.example/ant:1' }] },
    },
  },
};
const PERMISSION = {
  serviceAccountName: 'ant',
  rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }],
};
const csv = (strategy: object = {}, spec: object = {}, metadata: object = {}) => ({
  apiVersion: 'operators.coreos.com/v1alpha1',
  kind: 'ClusterServiceVersion',
  metadata: { name: 'ant.v1.0.0', ...metadata },
  spec: {
    version: '1.0.0',
    install: { strategy: 'deployment', spec: { deployments: [DEPLOYMENT], permissions: [PERMISSION], ...strategy } },
    ...spec,
  },
});
const crd = (spec: object = {}) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'ants.a.test' },
  spec: {
    ...{ group: 'a.test', scope: 'Namespaced', names: { plural: 'ants', kind: 'Ant' } },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
    ...spec,
  },
});
const other = (kind: string, name: string, more: object = {}) => ({
  ...{ apiVersion: 'v1', kind, metadata: { name } },
  ...more,
});

function problems(operator: unknown, more: Readonly<Record<string, unknown>> = {}): string[] {
  const files = { 'manifests/csv.json': operator, 'metadata/annotations.json': NOTES, ...more };
  const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
  try {
    return validateBundle(readBundle(Object.entries(files).map(([path, value]) => ({ path, bytes: bytes(value) }))));
  } catch (error) {
    // Not even opm reads it.
    if (error instanceof BundleError) return [error.message];
    throw error;
  }
}

describe('bundle validate finds before an install what the install would meet', () => {
  it('nothing in a good bundle', () => {
    expect(problems(csv(), { 'manifests/crd.json': crd(), 'manifests/role.json': other('Role', 'ant') })).toEqual([]);
  });

  const CSV = 'manifests/csv.json: ClusterServiceVersion ant.v1.0.0: ';
  const DEPLOYMENTS = `${CSV}spec.install.spec.deployments`;
  it.each<[what: string, found: string[], says: string]>([
    [
      'the name of the CSV',
      problems(csv({}, {}, { name: `ant.v1.0.0-${'a'.repeat(60)}` })),
      'ClusterServiceVersion ant.v1.0.0-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa: metadata.name has 71 characters: OLM writes it into labels of at most 63',
    ],
    [
      'the name of a Deployment',
      problems(csv({ deployments: [{ ...DEPLOYMENT, name: 'Bad_Name' }] })),
      `${DEPLOYMENTS}[0].name "Bad_Name" is not a DNS name`,
    ],
    [
      'two Deployments of one name',
      problems(csv({ deployments: [DEPLOYMENT, DEPLOYMENT] })),
      `${DEPLOYMENTS}[1].name "ant" is used twice`,
    ],
    [
      'no selector',
      problems(csv({ deployments: [{ ...DEPLOYMENT, spec: { template: DEPLOYMENT.spec.template } }] })),
      `${DEPLOYMENTS}[0].spec.selector is missing`,
    ],
    [
      'no containers',
      problems(
        csv({
          deployments: [
            { name: 'ant', spec: { ...DEPLOYMENT.spec, template: { metadata: { labels: { app: 'ant' } } } } },
          ],
        }),
      ),
      `${DEPLOYMENTS}[0].spec.template.spec.containers is missing`,
    ],
    [
      'no verbs',
      problems(csv({ permissions: [{ ...PERMISSION, rules: [{ apiGroups: [''], resources: ['pods'] }] }] })),
      `${CSV}spec.install.spec.permissions[0].rules[0].verbs is missing`,
    ],
    [
      'no API group',
      problems(csv({ clusterPermissions: [{ ...PERMISSION, rules: [{ resources: ['pods'], verbs: ['get'] }] }] })),
      `${CSV}spec.install.spec.clusterPermissions[0].rules[0].apiGroups is missing or empty`,
    ],
    [
      'paths in a namespace',
      problems(csv({ permissions: [{ ...PERMISSION, rules: [{ nonResourceURLs: ['/m'], verbs: ['get'] }] }] })),
      `${CSV}spec.install.spec.permissions[0].rules[0].nonResourceURLs is allowed in cluster permissions only`,
    ],
    [
      'the account of the CSV as a manifest',
      problems(csv(), { 'manifests/sa.json': other('ServiceAccount', 'ant') }),
      'manifests/sa.json: ServiceAccount ant: invalid service account found in bundle: the CSV names it',
    ],
    [
      'a label',
      problems(csv(), {
        'manifests/cm.json': other('ConfigMap', 'x', { metadata: { name: 'x', labels: { 'a b': '' } } }),
      }),
      'manifests/cm.json: ConfigMap x: metadata.labels: "a b" is not a label key',
    ],
    [
      'a CRD that stores no version',
      problems(csv(), {
        'manifests/crd.json': crd({ versions: [{ name: 'v1', schema: { openAPIV3Schema: { type: 'object' } } }] }),
      }),
      'manifests/crd.json: CustomResourceDefinition ants.a.test: spec.versions: 0 have storage: true; exactly one must',
    ],
    [
      'a CRD without schema',
      problems(csv(), { 'manifests/crd.json': crd({ versions: [{ name: 'v1', storage: true }] }) }),
      'manifests/crd.json: CustomResourceDefinition ants.a.test: spec.versions[0].schema.openAPIV3Schema is missing',
    ],
    [
      'a CRD without versions',
      problems(csv(), { 'manifests/crd.json': crd({ versions: [] }) }),
      'manifests/crd.json: CustomResourceDefinition ants.a.test: spec.versions is missing or empty',
    ],
    ['a field that the decoder of OLM refuses', problems(csv({}, { installModes: 'all' })), `${CSV}spec.installModes`],
    ['a number as version', problems(csv({}, { version: 1 })), `${CSV}spec.version is the number 1`],
  ])('%s, in one line', (_, found, says) => {
    expect(found).toEqual([expect.stringContaining(says)]);
    expect(found[0]?.length).toBeLessThanOrEqual(LONGEST_VERDICT);
  });
});
