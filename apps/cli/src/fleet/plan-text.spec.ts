import { describe, expect, it } from 'vitest';
import { FleetPlan } from '#core/kernel/api/fleet/fleet-plan';
import { classPlanText } from './plan-text.js';

const PLAN = FleetPlan.parse({
  apiVersion: 'fleet.flotilla.dev/v1alpha1',
  kind: 'FleetPlan',
  metadata: { name: 'kafka-7-3f9c1e2ab7d0', namespace: 'platform' },
  spec: {
    hash: '3f9c1e2ab7d0',
    path: [{ from: 'kafka-operator.v2.3.1', to: 'kafka-operator.v2.4.0', hopHash: '1b' }],
    changes: ['Minor'],
    crds: [],
    webhooks: [],
    dependencies: [],
    neighbours: [],
    objects: { created: [], changed: ['Deployment kafka-operator changes\n- replicas: 1\n+ replicas: 2'], deleted: [] },
  },
});

describe('a plan class as text', () => {
  it('keeps the lines of a difference in the column of the object that they belong to', () => {
    const text = classPlanText({
      hash: '3f9c1e2ab7d0',
      clusters: 44,
      changes: ['Minor'],
      approval: 'NotNeeded',
      reason: 'Auto',
      demands: [],
      from: 'kafka-operator.v2.3.1',
      to: 'kafka-operator.v2.4.0',
      plan: PLAN.spec,
    });
    expect(text.split('\n')).toEqual([
      'kafka-operator.v2.3.1 → kafka-operator.v2.4.0, 1 hop, 44 clusters',
      '  class    3f9c1e2ab7d0: Minor',
      '  objects  ~ Deployment kafka-operator changes',
      '             - replicas: 1',
      '             + replicas: 2',
      '  also     nothing else moves in these namespaces',
      '',
    ]);
  });
});
