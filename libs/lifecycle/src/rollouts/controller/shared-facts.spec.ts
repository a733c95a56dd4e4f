import { afterEach, describe, expect, it } from 'vitest';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import type { FleetEvent } from '#core/rollout/controller/record/event-log';
import { readScenario } from '#core/rollout/simulation/read-scenario';
import { simulateChecked } from '#core/rollout/simulation/simulate-checked';
import { storedRows } from '../assignments/stored-rollout.js';
import { plannedClusters, succeed } from './planned-clusters.fixture.js';
import { PlayedFleet } from './rollouts.fixture.js';

const KAFKA = 'FleetOperator/platform/kafka';
const CATALOG = 'FleetCatalog/platform/curated';
const [OLD, NEW] = ['kafka-operator.v2.3.0', 'kafka-operator.v2.4.0'];
const [FIRST, NEXT] = [`sha256:${'1'.repeat(64)}`, `sha256:${'2'.repeat(64)}`];
const ALL = { name: 'all', maxConcurrent: '100%' };

let fleet: PlayedFleet | undefined;
afterEach(async () => {
  await fleet?.stop();
  fleet = undefined;
});

const refOf = (kind: string, name: string) => ({
  ...{ apiVersion: FLEET_API, kind, name },
  ...(kind === 'FleetCluster' || kind === 'FleetAssignment' || kind === 'FleetWindow' ? {} : { namespace: 'platform' }),
});
const manifest = (kind: string, name: string, spec: object) => {
  const { apiVersion, ...metadata } = refOf(kind, name);
  return { value: { apiVersion, kind, metadata: { ...metadata, kind: undefined }, spec }, where: 'test' };
};
const passes = async ({ controller }: PlayedFleet, left = 4) => {
  for (; left > 0; left--) await controller.pass();
};

/** The same story as it is rehearsed. */
function rehearsed(objects: readonly ReturnType<typeof manifest>[], clusters: readonly object[], file: object) {
  const events: FleetEvent[] = [];
  const scenario = readScenario({
    manifests: objects.map(({ value, where }) => ({ value: JSON.parse(JSON.stringify(value)) as unknown, where })),
    clusters: { value: { clusters }, where: (path) => path.join('.') },
    faults: { value: file, where: (path) => path.join('.') },
    seed: '1',
    until: undefined,
  });
  const summary = simulateChecked(scenario, (event) => events.push(event));
  expect(summary.invariants.violations).toEqual([]);
  return { events, summary };
}

describe('a break-glass decision while a window holds clusters that are to go back', () => {
  const window = (groups: readonly string[]) => ({
    type: 'Deny',
    period: { from: '2026-01-05T00:30:00Z', to: '2026-01-06T00:00:00Z' },
    breakGlassGroups: groups,
  });
  const by = { user: 'anna', groups: ['dev'] };

  it.each([
    { of: 'a group that the window names', groups: ['dev'], reason: 'Effective' },
    { of: 'another group', groups: ['sre'], reason: 'NotAllowed' },
    { of: 'a group, where the window names none', groups: [], reason: 'NotAllowed' },
  ])('of $of is $reason, live as in simulate', async ({ groups, reason }) => {
    const played = await plannedClusters(['lab-1'], [ALL]);
    fleet = played;
    await played.apply('FleetWindow', 'freeze', window(groups));
    await passes(played);
    succeed(played, 'lab-1');
    await passes(played);
    expect(await played.rollout('kafka-1')).toMatchObject({ phase: 'Completed' });
    await played.clock.advance(3_600_000);
    await played.apply('FleetDecision', 'back', { rollout: 'kafka-1', action: 'Rollback', by, reason: 'CHG-1' });
    await passes(played);
    expect(await played.rollout('kafka-1')).toMatchObject({ phase: 'RollingBack' });
    const expiresAt = new Date(played.clock.now().getTime() + 3_600_000).toISOString();
    const lift = { rollout: 'kafka-1', action: 'BreakGlass', by, reason: 'CHG-1', expiresAt };
    await played.apply('FleetDecision', 'lift', lift);
    await passes(played);
    expect(played.hub.cluster.get(refOf('FleetDecision', 'lift'))?.['status']).toMatchObject({ reason });

    const decide = { rollout: 'platform/kafka-1', by, reason: 'CHG-1' };
    const script = [
      { at: '0s', release: { subject: KAFKA } },
      { at: '1h', decide: { ...decide, action: 'Rollback' } },
      { at: '2h', decide: { ...decide, action: 'BreakGlass', for: '1h' } },
    ];
    const objects = [
      manifest('FleetStrategy', 's', { waves: [ALL] }),
      manifest('FleetWindow', 'freeze', window(groups)),
      manifest('FleetOperator', 'kafka', {
        ...{ package: 'kafka-operator', namespace: 'kafka-system', catalog: { name: 'c', namespace: 'olm' } },
        ...{ strategyRef: { name: 's' }, adopt: true },
      }),
    ];
    const { events } = rehearsed(objects, [{ name: 'lab-1' }], { script });
    const lifted = events.find(({ kind, phase }) => kind === 'decision' && phase === 'BreakGlass');
    expect(lifted?.reason).toBe(reason);
  });
});

describe('an operator whose catalog is Staged (decision 0527)', () => {
  const catalog = { image: 'registry.example/c:1', promotion: 'Staged', strategyRef: { name: 's' } };
  const objects = [
    manifest('FleetStrategy', 's', { waves: [ALL] }),
    manifest('FleetCatalog', 'curated', { ...catalog, catalogSource: { name: 'curated' } }),
    manifest('FleetOperator', 'kafka', {
      ...{ package: 'kafka-operator', namespace: 'kafka-system', catalog: { fleetCatalog: 'curated' } },
      ...{ strategyRef: { name: 's' }, adopt: true },
    }),
  ];

  it('starts in a cluster once the rollout of the catalog is Done there', async () => {
    const played = await PlayedFleet.begin([], () => ({}));
    fleet = played;
    const { cluster } = played.hub;
    const create = (kind: string, spec: object, status: object) => {
      cluster.create({ apiVersion: FLEET_API, kind, metadata: { name: 'lab-1' }, spec } as KubernetesObject);
      cluster.edit(refOf(kind, 'lab-1'), (stored) => Object.assign(stored, { status }), 'status');
    };
    const conditions = [{ type: 'Reachable', status: 'True', lastTransitionTime: played.clock.now().toISOString() }];
    const common = { healthy: true, changes: ['Minor'], state: 'Planned' };
    const kafka = { ...common, subject: KAFKA, planHash: 'a'.repeat(64), hops: ['b'.repeat(64)], planned: NEW };
    const ring = { ...common, subject: CATALOG, planHash: 'c'.repeat(64), hops: [], planned: NEXT, bundle: FIRST };
    const before = [{ ...kafka, bundle: OLD, catalogDigest: NEXT }, ring];
    const ordered = [KAFKA, CATALOG].map((subject) => ({ subject, order: 'Preview' }));
    create('FleetCluster', { access: { context: 'lab-1' } }, { uid: 'lab-1', conditions });
    create('FleetAssignment', { rows: ordered }, { rows: before });
    for (const { value } of objects) await played.apply(value.kind, value.metadata.name, value.spec);
    const rows = () => {
      const all = storedRows(cluster.get(refOf('FleetAssignment', 'lab-1')) ?? { metadata: {} });
      return ['catalog-curated-1', 'kafka-1'].map((name) => {
        const { phase, reason } = all[`platform/${name}`]?.row ?? {};
        return `${phase} ${reason}`;
      });
    };
    const report = async (more: object) => {
      const moved = { ...ring, planned: undefined, planHash: undefined, bundle: NEXT, attempt: 1, ...more };
      const found = [before[0], { ...moved, rollout: 'platform/catalog-curated-1' }];
      const status = { rows: JSON.parse(JSON.stringify(found)) as unknown };
      cluster.edit(refOf('FleetAssignment', 'lab-1'), (stored) => Object.assign(stored, { status }), 'status');
      await passes(played);
    };
    await passes(played);
    expect(rows()).toEqual(['Applying Started', 'Waiting WaitingCatalog']);
    await report({ state: 'Running', hop: 1, healthy: false });
    expect(rows()).toEqual(['Applying Started', 'Waiting WaitingCatalog']);
    await report({ state: 'Ready', hop: 1 });
    expect(rows()).toEqual(['Done Healthy', 'Applying Started']);
  });

  it('does so in simulate', () => {
    const targets = [{ subject: KAFKA, to: NEW, needs: { subject: CATALOG, to: NEXT } }];
    const script = [CATALOG, KAFKA].map((subject) => ({ release: { subject, to: subject === KAFKA ? NEW : NEXT } }));
    const { events } = rehearsed(objects, [{ name: 'lab-1' }], { targets, script, durations: { ready: '5m' } });
    const at = (rollout: string, wanted: string) =>
      events.find((one) => one.kind === 'cluster' && one.rollout === rollout && one.phase === wanted)?.t;
    expect(at('platform/kafka-1', 'Applying')).toBe(at('platform/catalog-curated-1', 'Done'));
  });
});

describe('reasons to wait that a rehearsal shows, too', () => {
  const REDIS = 'FleetOperator/platform/redis';
  const spec = (name: string, strategy: string) => ({
    ...{ package: name, namespace: 'shared', catalog: { name: 'c', namespace: 'olm' } },
    ...{ strategyRef: { name: strategy }, adopt: true },
  });
  const objects = [
    manifest('FleetStrategy', 's', { waves: [ALL] }),
    manifest('FleetStrategy', 'asked', { waves: [{ ...ALL, promotion: 'Manual' }], approval: { default: 'Manual' } }),
    manifest('FleetOperator', 'kafka', spec('kafka-operator', 's')),
    manifest('FleetOperator', 'redis', spec('redis-operator', 'asked')),
  ];
  const by = { user: 'anna', groups: [] };
  const rowsOf = (events: readonly FleetEvent[], rollout: string) =>
    events
      .filter(({ kind, rollout: name }) => kind === 'cluster' && name === `platform/${rollout}`)
      .map(({ t, cluster, phase, reason }) => `${t} ${cluster} ${phase} ${reason}`);
  const target = (more: object) => ({ subject: KAFKA, to: NEW, classes: [{ name: 'only', ...more }] });

  it('a plan that moves another operator waits until that one has it approved', () => {
    const targets = [target({ neighbours: [REDIS] }), { subject: REDIS, to: 'redis-operator.v2.0.0' }];
    const approve = { rollout: 'platform/redis-1', action: 'Approve', class: 'only', by, reason: 'CHG-1' };
    const script = [{ release: { subject: KAFKA } }, { release: { subject: REDIS } }, { at: '1h', decide: approve }];
    const { events } = rehearsed(objects, [{ name: 'lab-1' }], { targets, script });
    expect(rowsOf(events, 'kafka-1')).toContain('1 lab-1 Waiting Neighbour');
    expect(rowsOf(events, 'kafka-1')).toContain('3600 lab-1 Applying Started');
  });

  it('a cluster that has another version to get first is passed over', () => {
    const behind = { name: 'behind', clusters: { names: ['lab-2'] }, first: 'kafka-operator.v2.3.5' };
    const targets = [{ subject: KAFKA, to: NEW, classes: [behind, { name: 'only' }] }];
    const script = [{ release: { subject: KAFKA } }];
    const { events, summary } = rehearsed(objects, [{ name: 'lab-1' }, { name: 'lab-2' }], { targets, script });
    expect(rowsOf(events, 'kafka-1')).toContain('1 lab-2 Skipped OtherTarget');
    expect(summary.rollouts.map(({ phase }) => phase)).toEqual(['Completed']);
  });

  it('a target that is withdrawn starts nowhere any more, and a Retry of it is refused', () => {
    const script = [
      { release: { subject: REDIS, to: 'redis-operator.v2.0.0' } },
      { at: '1m', withdraw: { subject: REDIS, to: 'redis-operator.v2.0.0' } },
      { at: '2m', decide: { rollout: 'platform/redis-1', action: 'Abort', by, reason: 'CHG-1' } },
      { at: '3m', decide: { rollout: 'platform/redis-1', action: 'Retry', by, reason: 'CHG-1' } },
    ];
    const { events } = rehearsed(objects, [{ name: 'lab-1' }], { script });
    expect(rowsOf(events, 'redis-1')).toContain('60 lab-1 Skipped OtherTarget');
    const decided = events.filter(({ kind }) => kind === 'decision').map(({ phase, reason }) => `${phase} ${reason}`);
    expect(decided).toEqual(['Abort Effective', 'Retry NotApplicable']);
  });
});
