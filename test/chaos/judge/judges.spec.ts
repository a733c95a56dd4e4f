import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { BareCluster } from '#testing/cluster/bare-cluster';
import { PATIENCE } from '#testing/patience';
import { differences } from './left-state.js';
import { ProgressPatience } from './progress-patience.js';
import { Recoveries } from './recoveries.js';
import { leaks, type ResourcesUsed } from './resources-used.js';
import { WrittenContents } from './written-contents.js';

const REF = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'bell', namespace: 'default' };
const labels = { app: 'bell' };
const deployment = (version: number, setting: number, image = 'bell') => ({
  apiVersion: REF.apiVersion,
  kind: REF.kind,
  metadata: { name: REF.name, namespace: REF.namespace, labels: { 'olm.owner': `bell.v${version}.0.0` } },
  spec: {
    selector: { matchLabels: labels },
    template: {
      metadata: { labels },
      spec: { containers: [{ name: 'one', image, env: [{ name: 'CHAOS_SETTING', value: `change-${setting}` }] }] },
    },
  },
});

const PLANS_DEFINED = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'installplans.operators.coreos.com' },
  spec: {
    group: 'operators.coreos.com',
    scope: 'Namespaced',
    names: { plural: 'installplans', singular: 'installplan', kind: 'InstallPlan', listKind: 'InstallPlanList' },
    versions: [
      {
        name: 'v1alpha1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
};

describe('what a run with faults is judged by', () => {
  let bare: BareCluster;
  let contents: WrittenContents;
  beforeEach(() => {
    bare = new BareCluster();
    contents = new WrittenContents();
    contents.watch(bare.cluster);
  });
  afterEach(() => bare.stop());

  const written = (...all: ReturnType<typeof deployment>[]) => {
    for (const one of all) bare.cluster.apply(one);
    return contents;
  };

  it('lets newer versions and settings pass', () => {
    expect(written(deployment(1, 1), deployment(1, 2), deployment(2, 2)).wentBack).toEqual([]);
  });

  it('finds a Deployment that goes back to an older version, or setting', () => {
    expect(written(deployment(2, 1), deployment(1, 1)).wentBack).toEqual([
      expect.stringContaining('version 2 → 1, setting 1 → 1'),
    ]);
    expect(written(deployment(2, 5), deployment(2, 4)).wentBack).toHaveLength(2);
  });

  it('lets a cluster go back that was restored from a backup', () => {
    written(deployment(2, 2));
    contents.forget('bare');
    expect(written(deployment(1, 1)).wentBack).toEqual([]);
  });

  it('finds other contents for the same version, but not another setting', () => {
    const other = new BareCluster();
    const without = new WrittenContents();
    without.watch(other.cluster);
    other.cluster.apply(deployment(1, 1));
    other.stop();
    expect(written(deployment(1, 7)).beyond(without)).toEqual([]);
    const [found = '', ...more] = written(deployment(1, 7, 'another')).beyond(without);
    expect(more).toEqual([]);
    expect(found).toMatch(/^deployments.apps default\/bell for bell.v1.0.0: .*"image":"another"/);
  });

  it('finds an InstallPlan that asks for something else than it did, and lets it be approved', async () => {
    const plan = (names: readonly string[], approved: boolean) => ({
      apiVersion: 'operators.coreos.com/v1alpha1',
      kind: 'InstallPlan',
      metadata: { name: 'install-1', namespace: 'default' },
      spec: { approval: 'Manual', approved, clusterServiceVersionNames: [...names] },
    });
    bare.cluster.apply(PLANS_DEFINED);
    // Its kind is served a moment later.
    await vi.waitFor(() => bare.cluster.apply(plan(['bell.v1.0.0'], false)), PATIENCE);
    bare.cluster.apply(plan(['bell.v1.0.0'], true));
    expect(contents.rewritten).toEqual([]);
    bare.cluster.apply(plan(['bell.v2.0.0'], true));
    expect(contents.rewritten).toEqual([expect.stringMatching(/^bare InstallPlan default\/install-1: .*bell.v2.0.0/)]);
  });

  it('finds what is left otherwise, or not at all', () => {
    const bell = new Map([['Deployment default/bell', '{"image":"bell"}']]);
    const other = new Map([['Deployment default/bell', '{"image":"another"}']]);
    expect(differences(bell, new Map(bell))).toEqual([]);
    expect(differences(new Map(), bell)).toEqual([expect.stringMatching(/^Deployment default\/bell: .*not there/)]);
    expect(differences(bell, new Map())).toHaveLength(1);
    expect(differences(bell, other)).toEqual([expect.stringContaining('another')]);
  });

  it('finds handles, memory and keys that are held beyond the bounds', () => {
    const used = (handles: number, heapMiB: number, keys: number): ResourcesUsed => ({
      services: new Map([['applier-1', { handles, heapMiB }]]),
      redisKeys: new Map([['jobs', keys]]),
    });
    expect(leaks(used(50, 60, 100), used(60, 70, 120))).toEqual([]);
    expect(leaks(used(50, 60, 100), used(90, 120, 300))).toHaveLength(3);
  });

  it('counts a fault as survived only where each cluster that it met had something done afterwards', () => {
    const recoveries = new Recoveries();
    recoveries.watch(bare.cluster);
    recoveries.note('bare', true);
    recoveries.ended('Redis at maxmemory', ['bare'], performance.now());
    const [stuck] = recoveries.rows(['Redis at maxmemory']);
    expect(stuck).toEqual({ fault: 'Redis at maxmemory', injected: 1, survived: 0, longest: undefined });
    recoveries.note('bare', false);
    const [done] = recoveries.rows(['Redis at maxmemory']);
    expect(done).toMatchObject({ injected: 1, survived: 1, longest: expect.closeTo(0, 1) });
  });
});

describe('the patience of a run', () => {
  it('begins anew with each move, and ends where nothing moves', () => {
    const patience = new ProgressPatience(100, 0);
    expect([patience.lasts('two', 0), patience.lasts('two', 90), patience.lasts('one', 180)]).toEqual([
      true,
      true,
      true,
    ]);
    expect([patience.lasts('one', 270), patience.lasts('one', 280)]).toEqual([true, false]);
  });

  it('ends with what goes round in circles, too', () => {
    const patience = new ProgressPatience(100, 0);
    const lasting = Array.from({ length: 50 }, (_, index) => patience.lasts(`${index % 2}`, index * 10));
    expect(lasting.indexOf(false)).toBe(40);
  });
});
