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
    changes: ['Minor', 'Deprecated'],
    deprecations: ['channel stable: use fast', 'bundle kafka-operator.v2.4.0: it loses topics'],
    crds: [],
    webhooks: [],
    dependencies: [],
    neighbours: [],
    objects: { created: [], changed: ['Deployment kafka-operator changes\n- replicas: 1\n+ replicas: 2'], deleted: [] },
  },
});

describe('a plan class as text', () => {
  it('says what is deprecated, and keeps the lines of a difference in the column of their object', () => {
    const text = classPlanText({
      hash: '3f9c1e2ab7d0',
      clusters: 44,
      changes: ['Minor', 'Deprecated'],
      approval: 'NotNeeded',
      reason: 'Auto',
      demands: [],
      from: 'kafka-operator.v2.3.1',
      to: 'kafka-operator.v2.4.0',
      plan: PLAN.spec,
    });
    expect(text.split('\n')).toEqual([
      'kafka-operator.v2.3.1 → kafka-operator.v2.4.0, 1 hop, 44 clusters',
      '  class    3f9c1e2ab7d0: Minor, Deprecated',
      '  warning  deprecated: channel stable: use fast',
      '           deprecated: bundle kafka-operator.v2.4.0: it loses topics',
      '  objects  ~ Deployment kafka-operator changes',
      '             - replicas: 1',
      '             + replicas: 2',
      '  also     no other operator moves in these namespaces',
      '',
    ]);
  });

  it('says of an image what it replaces, and that one comes and goes where a later step drops it', () => {
    const images = {
      added: ['a.example/new@sha256:22', 'a.example/passing:1'],
      removed: ['a.example/new@sha256:11', 'a.example/passing:1', 'a.example/old:1'],
    };
    const answer = { hash: '3f9c1e2ab7d0', clusters: 1, changes: ['Minor'], approval: 'NotNeeded', reason: 'Auto' };
    const text = classPlanText({ ...answer, demands: [], from: 'a', to: 'b', plan: { ...PLAN.spec, images } });
    expect(text.split('\n').filter((line) => line.includes('.example/'))).toEqual([
      '  image    a.example/new@sha256:22  (was @sha256:11)',
      '           a.example/passing:1  (only during the upgrade)',
      '           a.example/old:1  (no longer)',
    ]);
  });
});
