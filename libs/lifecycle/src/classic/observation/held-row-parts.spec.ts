import { describe, expect, it } from 'vitest';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { HeldRowParts } from './held-row-parts.js';

const plan = (approved: boolean, phase: string): KubernetesObject =>
  ({
    apiVersion: 'operators.coreos.com/v1alpha1',
    kind: 'InstallPlan',
    metadata: { name: 'install-1', namespace: 'lamps' },
    spec: { clusterServiceVersionNames: ['lamp.v1.0.0'], approval: 'Manual', approved },
    status: { phase, catalogSources: [], plan: [] },
  }) as KubernetesObject;

const held = (...plans: readonly KubernetesObject[]) => {
  const parts = new HeldRowParts('olm');
  for (const one of plans) parts.take('InstallPlan', one);
  return parts;
};
const phases = (parts: HeldRowParts) => parts.plansIn('lamps').map((one) => one.plan.status?.phase);

describe('plans that rows are made of', () => {
  it('are those that are not complete', () => {
    expect(phases(held(plan(true, 'Installing')))).toEqual(['Installing']);
    expect(phases(held(plan(true, 'Installing'), plan(true, 'Complete')))).toEqual([]);
  });

  it('are also those that had waited and are complete, until a row has said so', () => {
    const parts = held(plan(false, 'RequiresApproval'), plan(true, 'Complete'), plan(true, 'Complete'));
    expect(phases(parts)).toEqual(['Complete']);
    expect(parts.plansIn('lamps')[0]?.plan.spec.approved).toBe(true);
    parts.shown('lamps', 'install-1');
    expect(phases(parts)).toEqual([]);
    parts.take('InstallPlan', plan(true, 'Complete'));
    expect(phases(parts)).toEqual([]);
  });

  it('are none that are deleted', () => {
    const parts = held(plan(false, 'RequiresApproval'));
    parts.drop('InstallPlan', plan(false, 'RequiresApproval'));
    parts.take('InstallPlan', plan(true, 'Complete'));
    expect(phases(parts)).toEqual([]);
  });
});
