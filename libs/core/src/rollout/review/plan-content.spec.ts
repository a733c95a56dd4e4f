import { describe, expect, it } from 'vitest';
import { FleetPlan } from '../../kernel/api/fleet/fleet-plan.js';
import type { InstallPlanStep } from '../../kernel/api/install-plan.js';
import { type PlannedClass, planContent } from './plan-content.js';

const step = (kind: string, name: string, object: object): InstallPlanStep => {
  const group = kind === 'CustomResourceDefinition' ? 'apiextensions.k8s.io' : 'operators.coreos.com';
  const resource = { sourceName: 'c', sourceNamespace: 'olm', group, version: 'v1', kind, name };
  const manifest = JSON.stringify({ apiVersion: `${group}/v1`, kind, metadata: { name }, ...object });
  return { resolving: 'kafka.v2', status: 'Unknown', resource: { ...resource, manifest } };
};
const definition = (...versions: readonly string[]) => ({
  spec: { versions: versions.map((name, at) => ({ name, served: true, storage: at === 0 })) },
});
const csv = (name: string, image: string, verbs: readonly string[]) => ({
  apiVersion: 'operators.coreos.com/v1alpha1',
  kind: 'ClusterServiceVersion',
  metadata: { name },
  spec: {
    webhookdefinitions: [{ type: 'ConversionWebhook', generateName: 'ck.kb.io' }],
    install: {
      spec: {
        deployments: [{ name: 'kafka', spec: { template: { spec: { containers: [{ name: 'm', image }] } } } }],
        clusterPermissions: [
          { serviceAccountName: 'kafka', rules: [{ apiGroups: [''], resources: ['secrets'], verbs }] },
        ],
      },
    },
  },
});

const planned: PlannedClass = {
  hash: '3f9c1e2ab7d0',
  hopHash: 'h1',
  subscription: 'kafka',
  from: 'kafka.v1',
  to: 'kafka.v2',
  changes: ['Minor'],
  moves: [
    { subscription: 'kafka', from: 'kafka.v1', to: 'kafka.v2' },
    { subscription: 'zoo', from: 'zoo.v1', to: 'zoo.v2' },
  ],
  bundles: ['kafka.v2', 'zoo.v2', 'certs.v1'],
  steps: [
    {
      step: step('ClusterServiceVersion', 'kafka.v2', csv('kafka.v2', 'q/kafka@sha256:b', ['get', 'list'])),
      live: undefined,
      replaced: csv('kafka.v1', 'q/kafka@sha256:a', ['get']),
    },
    { step: step('CustomResourceDefinition', 'kafkas', definition('v2', 'v1')), live: definition('v1', 'v1alpha1') },
    { step: step('CustomResourceDefinition', 'topics', definition('v1')), live: definition('v1') },
  ],
};

describe('what is reviewed of a plan class', () => {
  it('has the differences of images, CRDs, rights and objects, and what else moves', () => {
    const spec = planContent(planned);
    expect(spec).toMatchObject({
      hash: '3f9c1e2ab7d0',
      path: [{ from: 'kafka.v1', to: 'kafka.v2', hopHash: 'h1' }],
      changes: ['Minor'],
      images: { added: ['q/kafka@sha256:b'], removed: ['q/kafka@sha256:a'] },
      crds: [{ name: 'kafkas', adds: ['v2'], removes: ['v1alpha1'], storage: 'v2' }],
      rbac: { added: ['kafka, in the whole cluster: secrets: list'], removed: [] },
      webhooks: ['ConversionWebhook ck.kb.io'],
      dependencies: ['certs.v1'],
      neighbours: ['zoo: zoo.v1 → zoo.v2'],
    });
    expect(spec.objects?.changed.join()).toContain('Deployment kafka changes');
  });

  it('follows the schema of FleetPlans, also where a plan is large', () => {
    const many = Array.from({ length: 1_000 }, (_, at) => ({
      step: step('ConfigMap', `c-${at}`, { data: { text: 'x'.repeat(5_000) } }),
      live: undefined,
    }));
    const spec = planContent({ ...planned, steps: [...planned.steps, ...many] });
    const metadata = { name: 'kafka-1-3f9c1e2ab7d0', namespace: 'platform' };
    const object = { apiVersion: 'fleet.flotilla.dev/v1alpha1', kind: 'FleetPlan', metadata, spec };
    expect(FleetPlan.safeParse(object).success).toBe(true);
    expect(spec.objects?.created.at(-1)).toBe('and 800 more');
    expect(JSON.stringify(spec).length).toBeLessThan(256 * 1_024);
  });
});
