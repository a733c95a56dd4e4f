import { describe, expect, it } from 'vitest';
import type { InstallPlanStep } from '../../kernel/api/install-plan.js';
import { contentChanges } from './content-changes.js';
import type { ReviewedStep } from './review-plan.js';

const stepOf = (kind: string, manifest: string): InstallPlanStep => {
  const group = kind === 'CustomResourceDefinition' ? 'apiextensions.k8s.io' : 'operators.coreos.com';
  const resource = { sourceName: 'c', sourceNamespace: 'olm', group, version: 'v1', kind, name: 'it' };
  return { resolving: 'lamp.v2', status: 'Unknown', resource: { ...resource, manifest } };
};
const reviewed = (object: { kind: string }, live?: unknown, replaced?: unknown): ReviewedStep => ({
  ...{ step: stepOf(object.kind, JSON.stringify(object)), live },
  ...(replaced === undefined ? {} : { replaced }),
});
const unread = (kind: string): ReviewedStep => {
  const reference = { kind: 'BundleImage', name: 'registry.example.com/lamp@sha256:a', namespace: 'olm' };
  const names = { catalogSourceName: 'c', catalogSourceNamespace: 'olm', replaces: '', properties: '' };
  return { step: stepOf(kind, JSON.stringify({ ...reference, ...names })), live: undefined };
};

const csv = (verbs: readonly string[], image: string) => ({
  apiVersion: 'operators.coreos.com/v1alpha1',
  kind: 'ClusterServiceVersion',
  metadata: { name: 'lamp.v2' },
  spec: {
    relatedImages: [{ name: 'lamp', image }],
    install: {
      strategy: 'deployment',
      spec: {
        deployments: [],
        clusterPermissions: [{ serviceAccountName: 'lamp', rules: [{ apiGroups: [''], resources: ['pods'], verbs }] }],
      },
    },
  },
});
const definition = (properties: Record<string, object>, required: readonly string[] = []) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'lamps.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { kind: 'Lamp', plural: 'lamps' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', properties, required } },
      },
    ],
  },
});
const [OWN, OTHER] = ['quay.io/lamp@sha256:a', 'registry.example.com/lamp@sha256:b'];
const before = csv(['get'], OWN);
const color = { type: 'string' };

describe('what the content of a plan changes', () => {
  it.each<[string, ReviewedStep, string[]]>([
    ['the same permissions and images', reviewed(csv(['get'], OWN), undefined, before), []],
    ['more verbs', reviewed(csv(['get', 'list'], OWN), undefined, before), ['RBACGrowth']],
    ['fewer verbs', reviewed(csv(['get'], OWN), undefined, csv(['get', 'list'], OWN)), []],
    ['another image of the same registry', reviewed(csv(['get'], 'quay.io/lamp@sha256:c'), undefined, before), []],
    ['an image of another registry', reviewed(csv(['get'], OTHER), undefined, before), ['NewRegistry']],
    ['a CRD that is new', reviewed(definition({ color })), []],
    ['a CRD as it is', reviewed(definition({ color }), definition({ color })), []],
    ['a CRD with one more field', reviewed(definition({ color, size: color }), definition({ color })), ['CRDChange']],
    ['a CRD with one field fewer', reviewed(definition({}), definition({ color })), ['CRDChange', 'CRDBreaking']],
    [
      'a CRD with a new required field',
      reviewed(definition({ color }, ['color']), definition({ color })),
      ['CRDChange', 'CRDBreaking'],
    ],
    ['a CSV that cannot be read', unread('ClusterServiceVersion'), ['RBACGrowth']],
    ['a CRD that cannot be read', unread('CustomResourceDefinition'), ['CRDChange', 'CRDBreaking']],
  ])('%s', (_what, step, changes) => {
    expect(contentChanges([step], false)).toEqual(changes);
  });

  it('grows nothing where the operator was not there, and yet may break a CRD that was', () => {
    const steps = [reviewed(csv(['get'], OTHER)), reviewed(definition({}), definition({ color }))];
    expect(contentChanges(steps, true)).toEqual(['CRDChange', 'CRDBreaking']);
  });
});
