import { describe, expect, it } from 'vitest';
import type { ClusterSigns } from '#core/view/rows/cluster-row';
import type { OperatorRow, PlanRow, ViewRow } from '#core/view/rows/rows';
import { ManualClock } from '#platform/clock/manual-clock';
import { fixedClusters } from '#platform/membership/service-clusters.port';
import { silentLog } from '#platform/telemetry/log.port';
import { MemoryView } from '#platform/view/memory-view';
import type { ClusterRowChange } from '#platform/view/view-store.port';
import { ClusterRows } from './cluster-rows.js';
import { FleetViewWriter } from './fleet-view-writer.js';

type Fields = Omit<OperatorRow, 'updatedAt' | 'since'> | Omit<PlanRow, 'updatedAt'>;

const operator = (namespace: string, name: string, more: Partial<OperatorRow> = {}): Fields => ({
  ...{ kind: 'operator', id: `subscription/${namespace}/${name}`, cluster: 'east', namespace, name },
  ...{ api: 'classic', package: name, catalog: 'olm/c', channel: '', installed: '', version: '', next: '' },
  ...{ newest: '', approval: 'Automatic', standing: 'well', plan: '', planHash: '', deprecated: false },
  ...more,
});

const plan = (phase: string): Fields => ({
  ...{ kind: 'plan', id: 'plan/a/install-1', cluster: 'east', namespace: 'a', name: 'install-1', hash: 'h', moves: [] },
  ...{ change: 'new', crds: false, rbac: false, shared: false, createdAt: '', phase, approvedBy: 'jane' },
  approved: phase !== 'RequiresApproval',
});

/** Rows of cluster east, computed of what a test says is there. */
function environment(view = new MemoryView(), clock = new ManualClock()) {
  const there = new Map<string, readonly Fields[]>();
  const facts: { value: ClusterSigns } = {
    value: { cluster: 'east', version: 'v1.34.4', reach: 'fresh', problem: '', lastSeen: '', paused: false },
  };
  const writes: ClusterRowChange[] = [];
  const state = { synced: true, failing: false };
  const writer = {
    rowsOf: (cluster: string) => view.rowsOf(cluster),
    idsOf: (cluster: string) => view.idsOf(cluster),
    clusters: () => view.clusters(),
    write: async (change: ClusterRowChange) => {
      if (state.failing) throw new Error('Redis does not answer');
      writes.push(change);
      await view.write(change);
    },
  };
  const rows = new ClusterRows({
    ...{ cluster: 'east', clock, log: silentLog, writer },
    source: {
      synced: () => state.synced,
      namespaces: () => there.keys(),
      rowsOf: (namespace, now) =>
        (there.get(namespace) ?? []).map(
          (one): ViewRow => (one.kind === 'plan' ? { ...one, updatedAt: now } : { ...one, updatedAt: now, since: now }),
        ),
      cluster: () => facts.value,
      shown: (namespace, name) => {
        there.set(namespace, there.get(namespace)?.filter((one) => one.name !== name) ?? []);
      },
    },
  });
  const ids = async () => (await view.idsOf('east')).toSorted();
  const row = async (id: string) => (await view.rowsOf('east')).find((one) => one.id === id);
  return { view, clock, there, facts, state, writes, rows, writer, ids, row };
}

const begun = async (run: ReturnType<typeof environment>) => {
  await run.rows.start();
  await run.clock.advance(1_000);
};

describe('rows of a cluster', () => {
  it('are written once, and again only where they differ: at rest nothing is written', async () => {
    const run = environment();
    run.there.set('a', [operator('a', 'mill')]);
    run.there.set('b', [operator('b', 'lamp', { standing: 'failed' })]);
    await begun(run);
    expect(await run.ids()).toEqual(['cluster', 'subscription/a/mill', 'subscription/b/lamp']);
    expect(await run.row('cluster')).toMatchObject({ standing: 'failed', counts: { failed: 1, well: 1 } });
    expect(run.writes).toHaveLength(1);
    for (const namespace of ['a', 'b', 'c']) run.rows.touch(namespace);
    run.rows.touchAll();
    run.rows.checkReach();
    await run.clock.advance(60_000);
    expect(run.writes).toHaveLength(1);
  });

  it('keep since when an object has its standing, while other fields change', async () => {
    const run = environment();
    run.there.set('a', [operator('a', 'mill', { standing: 'failed' })]);
    await begun(run);
    const before = await run.row('subscription/a/mill');
    run.there.set('a', [operator('a', 'mill', { standing: 'failed', next: 'mill.v2' })]);
    run.rows.touch('a');
    await run.clock.advance(60_000);
    const after = await run.row('subscription/a/mill');
    expect(after).toMatchObject({ next: 'mill.v2', since: before && 'since' in before ? before.since : '' });
    run.there.set('a', [operator('a', 'mill')]);
    run.rows.touch('a');
    await run.clock.advance(60_000);
    expect(await run.row('subscription/a/mill')).toMatchObject({ since: '2026-01-01T00:01:01.200Z' });
  });

  it('say that a plan is complete before it has none', async () => {
    const run = environment();
    run.there.set('a', [plan('RequiresApproval')]);
    await begun(run);
    run.there.set('a', [plan('Complete')]);
    run.rows.touch('a');
    await run.clock.advance(60_000);
    expect(run.writes.slice(1)).toMatchObject([
      { changed: [{ kind: 'plan', phase: 'Complete', approved: true, approvedBy: 'jane' }] },
      { removed: ['plan/a/install-1'] },
    ]);
  });

  it('of another process stay where they say the same, and go where nothing is there', async () => {
    const first = environment();
    first.there.set('a', [operator('a', 'mill'), operator('a', 'gone')]);
    first.there.set('left', [operator('left', 'lamp')]);
    await begun(first);
    const next = environment(first.view, first.clock);
    next.there.set('a', [operator('a', 'mill')]);
    await begun(next);
    expect(next.writes).toMatchObject([{ removed: ['subscription/a/gone', 'subscription/left/lamp'] }]);
    expect(await next.ids()).toEqual(['cluster', 'subscription/a/mill']);
  });

  it('stay as they are until all watches have what is there', async () => {
    const first = environment();
    first.there.set('a', [operator('a', 'mill')]);
    await begun(first);
    const next = environment(first.view, first.clock);
    next.state.synced = false;
    next.facts.value = { ...next.facts.value, reach: 'away', problem: 'no route' };
    await begun(next);
    expect(await next.ids()).toEqual(['cluster', 'subscription/a/mill']);
    expect(await next.row('cluster')).toMatchObject({
      ...{ reach: 'away', standing: 'failed', counts: { well: 1 } },
      cause: { code: 'cluster-away', text: 'no route' },
    });
  });

  it('are there again after the store was emptied, and written later where it did not answer', async () => {
    const run = environment();
    run.there.set('a', [operator('a', 'mill')]);
    await begun(run);
    run.view.empty();
    run.state.failing = true;
    run.rows.touchAll();
    await run.clock.advance(1_000);
    expect(await run.ids()).toEqual([]);
    run.state.failing = false;
    await run.clock.advance(10_000);
    expect(await run.ids()).toEqual(['cluster', 'subscription/a/mill']);
  });
});

describe('rows of clusters that do not take part', () => {
  async function fleet(run: ReturnType<typeof environment>, known: readonly string[], more = {}) {
    const leaving = new Set<string>();
    const clusters = { ...fixedClusters([]), known: () => known.filter((one) => !leaving.has(one)) };
    const writer = new FleetViewWriter({
      ...{ writer: run.writer, clusters, clock: run.clock, log: silentLog },
      isHeld: () => false,
      problemOf: () => 'connection refused',
      of: () => undefined,
      owns: () => true,
      ...more,
    });
    writer.start();
    await run.clock.advance(3_000);
    return { leaving, clusters };
  }

  it('say that a cluster does not answer, with what was there last', async () => {
    const run = environment();
    run.there.set('a', [operator('a', 'mill')]);
    await begun(run);
    await fleet(run, ['east']);
    expect(await run.row('cluster')).toMatchObject({ reach: 'away', version: 'v1.34.4', counts: { well: 1 } });
    expect(await run.ids()).toContain('subscription/a/mill');
  });

  it.each([undefined, { context: 'admin@prod' }, { context: 'admin', kubeconfig: '/home/jane/prod' }])(
    'have the login that people have, also if it never answered: %j',
    async (login) => {
      const run = environment();
      const clusters = { ...fixedClusters([]), known: () => ['east'], knownLogin: () => login };
      await fleet(run, ['east'], { clusters });
      const row = await run.row('cluster');
      expect(row).toMatchObject({ reach: 'away' });
      expect(row?.kind === 'cluster' && row.context).toBe(login?.context);
      expect(row?.kind === 'cluster' && row.kubeconfig).toBe(login?.kubeconfig);
    },
  );

  it('have the labels of the FleetCluster, and get others though nothing else changes', async () => {
    const run = environment();
    let labels = { tier: 'prod' };
    const clusters = { ...fixedClusters([]), known: () => ['east'], labelsOf: () => labels };
    await fleet(run, ['east'], { clusters });
    expect(await run.row('cluster')).toMatchObject({ reach: 'away', labels: { tier: 'prod' } });
    labels = { tier: 'lab' };
    await run.clock.advance(3_000);
    expect(await run.row('cluster')).toMatchObject({ reach: 'away', labels: { tier: 'lab' } });
    const { length } = run.writes;
    await run.clock.advance(10_000);
    expect(run.writes).toHaveLength(length);
  });

  it('are that of the cluster alone, where it is left to OLM', async () => {
    const run = environment();
    run.there.set('a', [operator('a', 'mill')]);
    await begun(run);
    await fleet(run, ['east'], { isHeld: () => true });
    expect(await run.ids()).toEqual(['cluster']);
    expect(await run.row('cluster')).toMatchObject({ reach: 'left-to-olm', standing: 'well' });
  });

  it('go with the cluster, and stay where another poller has it now', async () => {
    const run = environment();
    run.there.set('a', [operator('a', 'mill')]);
    await begun(run);
    const { leaving, clusters } = await fleet(run, ['east'], { owns: () => false });
    leaving.add('east');
    await run.clock.advance(120_000);
    expect(await run.ids(), 'moved').toContain('subscription/a/mill');
    Object.assign(clusters, { known: () => ['east'] });
    await run.clock.advance(3_000);
    Object.assign(clusters, { known: () => [], hasLeft: () => true });
    await run.clock.advance(3_000);
    expect(await run.ids(), 'left').toEqual([]);
  });

  it('are removed where a cluster left while no poller ran', async () => {
    const run = environment();
    run.there.set('a', [operator('a', 'mill')]);
    await begun(run);
    await fleet(run, []);
    expect(await run.view.clusters()).toEqual([]);
  });
});
