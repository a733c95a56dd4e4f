import { describe, expect, it } from 'vitest';
import type { InstallPlan } from '../../../kernel/api/install-plan.js';
import type { Subscription } from '../../../kernel/api/subscription.js';
import type { ChosenBundle } from '../../resolution/problem/resolution-problem.js';
import { MOVES_ANNOTATION } from '../plan/plan-moves.js';
import { type InstallToPlan, type PlannedInstall, planInstall } from './plan-install.js';

const subscription = (
  name: string,
  more: { approval?: string; generation?: number; uid?: string } = {},
): Subscription => ({
  apiVersion: 'operators.coreos.com/v1alpha1',
  kind: 'Subscription',
  metadata: { name, namespace: 'harbour', uid: more.uid ?? `uid-${name}` },
  spec: {
    name: 'tug',
    source: 'shelf',
    sourceNamespace: 'olm',
    ...(more.approval === undefined ? {} : { installPlanApproval: more.approval }),
  },
  status: more.generation === undefined ? {} : { installPlanGeneration: more.generation },
});

const chosen = (name: string, catalog = 'shelf') => ({
  name,
  package: 'tug',
  channel: 'stable',
  catalog,
  catalogNamespace: 'olm',
  version: '1.0.0',
  replaces: '',
  source: { inline: 'sha256:0' },
  properties: [],
});

const bundle = (name: string) => ({
  objects: [
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `${name}-settings` } },
    { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'ClusterServiceVersion', metadata: { name }, spec: {} },
    { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', metadata: { name: `${name}-crd` } },
  ],
});

const input = (more: Partial<InstallToPlan> = {}): InstallToPlan => ({
  namespace: 'harbour',
  subscriptions: [subscription('tug')],
  resolution: {
    result: 'resolved',
    chosen: [chosen('tug.v1')],
    subscriptionsCreated: [],
    subscriptionsUpdated: [{ name: 'tug', currentCSV: 'tug.v1' }],
  },
  bundles: new Map([
    ['tug.v1', bundle('tug.v1')],
    ['dock.v1', bundle('dock.v1')],
  ]),
  existingPlans: [],
  ...more,
});

function made(planned: PlannedInstall): Extract<PlannedInstall, { result: 'plan' }> {
  if (planned.result !== 'plan') throw new Error(`no plan: ${planned.because}`);
  return planned;
}

const existing = (planned: PlannedInstall): InstallPlan => made(planned).plan;
const olderPlan = (generation: number): InstallPlan => ({
  ...existing(planInstall(input())),
  metadata: { name: `install-${generation}` },
  spec: { approval: 'Automatic', approved: true, clusterServiceVersionNames: [], generation },
});

describe('the plan of a resolution', () => {
  it.each<[why: string, approvals: (string | undefined)[], approval: string, phase: string]>([
    ['nothing said', [undefined], 'Automatic', 'Installing'],
    ['Manual', ['Manual'], 'Manual', 'RequiresApproval'],
    ['one Manual makes the namespace Manual', [undefined, 'Manual'], 'Manual', 'RequiresApproval'],
    ['any other text is Automatic, as OLM has it', ['manual'], 'Automatic', 'Installing'],
  ])('is approved or waits: %s', (_why, approvals, approval, phase) => {
    const subscriptions = approvals.map((one, index) =>
      subscription(index === 0 ? 'tug' : `other-${index}`, one === undefined ? {} : { approval: one }),
    );
    const { plan, status } = made(planInstall(input({ subscriptions })));
    expect([plan.spec.approval, plan.spec.approved, status.phase]).toEqual([approval, approval === 'Automatic', phase]);
  });

  it('has no steps for a bundle that every Subscription has already, and needs no manifests of it', () => {
    const { resolution } = input();
    const settled = { ...chosen('old-pier.v1'), upToDate: true as const };
    const { status } = made(
      planInstall(input({ resolution: { ...resolution, chosen: [settled, ...resolution.chosen] } })),
    );
    expect(new Set(status.plan?.map((step) => step?.resolving))).toEqual(new Set(['tug.v1']));
  });

  it('belongs to every Subscription of the namespace, in a fixed order', () => {
    const { plan } = made(planInstall(input({ subscriptions: [subscription('tug'), subscription('dock')] })));
    expect(plan.metadata.ownerReferences?.map(({ name, uid, controller }) => [name, uid, controller])).toEqual([
      ['dock', 'uid-dock', false],
      ['tug', 'uid-tug', false],
    ]);
    expect(plan.metadata.annotations?.[MOVES_ANNOTATION]).toBe('{"tug":"tug.v1"}');
  });

  it('has all CSVs first, then all CRDs, then the rest, and a new Subscription behind its bundle', () => {
    const resolution = {
      ...input().resolution,
      chosen: [chosen('tug.v1'), chosen('dock.v1', 'attic')],
      subscriptionsCreated: [{ name: 'dock-stable-attic-olm', spec: { name: 'dock', startingCSV: 'dock.v1' } }],
    };
    const { plan, status } = made(planInstall(input({ resolution })));
    expect(status.plan?.map((step) => step?.resource.name)).toEqual([
      'tug.v1',
      'dock.v1',
      'tug.v1-crd',
      'dock.v1-crd',
      'tug.v1-settings',
      'dock.v1-settings',
      'dock-stable-attic-olm',
    ]);
    expect(plan.spec.clusterServiceVersionNames).toEqual(['tug.v1', 'dock.v1']);
    expect(status.catalogSources).toEqual(['attic', 'shelf']);
  });

  it.each<[why: string, known: number | undefined, plans: number[], generation: number]>([
    ['the first', undefined, [], 1],
    ['after what the Subscription knows, even if that plan is gone', 4, [], 5],
    ['after the highest plan, even if no Subscription knows it', 1, [2, 7, 3], 8],
  ])('has the next generation: %s', (_why, known, plans, generation) => {
    const subscriptions = [subscription('tug', known === undefined ? {} : { generation: known })];
    const planned = made(planInstall(input({ subscriptions, existingPlans: plans.map(olderPlan) })));
    expect(planned.plan.spec.generation).toBe(generation);
    expect(planned.existing).toBeUndefined();
  });

  it('has a name that is the same for the same input, and another for another generation or solution', () => {
    const name = (more: Partial<InstallToPlan>) => made(planInstall(input(more))).plan.metadata.name;
    expect(name({})).toMatch(/^install-[0-9a-f]{12}$/);
    expect(name({})).toBe(name({}));
    expect(name({ subscriptions: [subscription('tug', { generation: 1 })] })).not.toBe(name({}));
    const resolution = { ...input().resolution, chosen: [chosen('dock.v1')] };
    expect(name({ resolution })).not.toBe(name({}));
  });

  it('is found again by a repeated job, approval included', () => {
    const before = existing(planInstall(input()));
    const approvedByHand = { ...before, spec: { ...before.spec, approved: true } };
    const again = made(planInstall(input({ existingPlans: [approvedByHand] })));
    expect([again.generation, again.existing]).toEqual([1, approvedByHand]);
    expect(again.plan.metadata.name).toBe(before.metadata.name);
  });

  it('is found again when only some of its Subscriptions were written', () => {
    const two = [subscription('tug'), subscription('dock')];
    const both = {
      ...input().resolution,
      subscriptionsUpdated: ['tug', 'dock'].map((name) => ({ name, currentCSV: 'tug.v1' })),
    };
    const before = existing(planInstall(input({ subscriptions: two, resolution: both })));
    const again = planInstall(input({ subscriptions: two, existingPlans: [before] }));
    expect(made(again).existing).toBe(before);
  });

  it('is not mistaken for that of a Subscription of the same name that was deleted', () => {
    const before = existing(planInstall(input()));
    const reborn = planInstall(
      input({ subscriptions: [subscription('tug', { uid: 'another' })], existingPlans: [before] }),
    );
    expect([made(reborn).existing, made(reborn).generation]).toEqual([undefined, 2]);
  });

  it('is not made when no Subscription moves', () => {
    const resolution = { ...input().resolution, subscriptionsUpdated: [] };
    expect(planInstall(input({ resolution }))).toMatchObject({ result: 'nothing' });
  });

  it('notes where image bundles came from; inline bundles come from their catalog', () => {
    const image = 'registry.example/tug-bundle:v1';
    const lookups = (source: ChosenBundle['source']) => {
      const resolution = { ...input().resolution, chosen: [{ ...chosen('tug.v1'), source }] };
      return made(planInstall(input({ resolution }))).status.bundleLookups;
    };
    expect(lookups({ image })).toMatchObject([
      { catalogSourceRef: { namespace: 'olm', name: 'shelf' }, identifier: 'tug.v1', path: image },
    ]);
    expect(lookups({ inline: 'sha256:1' })).toBeUndefined();
  });

  const huge = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'huge' },
    data: { all: 'ü'.repeat(700_000) },
  };
  const heavy = { objects: [...bundle('tug.v1').objects, huge] };

  it('refers to its bundle for what no API server could store with it, and holds the rest', () => {
    const image = 'registry.example/tug-bundle@sha256:1';
    const bundles = new Map([['tug.v1', { ...heavy, source: { image } }]]);
    const whole = made(planInstall(input())).status.plan ?? [];
    const steps = made(planInstall(input({ bundles }))).status.plan ?? [];
    expect(steps.slice(0, -1)).toEqual(whole);
    expect(JSON.parse(steps.at(-1)?.resource.manifest ?? '')).toEqual({
      kind: 'BundleImage',
      name: image,
      catalogSourceName: 'shelf',
      catalogSourceNamespace: 'olm',
    });
  });

  it('has any size where it is only shown', () => {
    const steps = made(planInstall(input({ bundles: new Map([['tug.v1', heavy]]) }))).status.plan ?? [];
    expect(steps.at(-1)?.resource.manifest?.length).toBeGreaterThan(700_000);
  });

  it('waits for manifests that are not available', () => {
    expect(() => planInstall(input({ bundles: new Map() }))).toThrow('the manifests of tug.v1 are not available');
  });
});
