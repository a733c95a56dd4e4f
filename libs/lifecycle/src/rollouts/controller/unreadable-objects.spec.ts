import { afterEach, describe, expect, it } from 'vitest';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import { looseDefinitions, PlayedFleet } from './rollouts.fixture.js';

const OLD = 'kafka-operator.v2.3.0';
const NEW = 'kafka-operator.v2.4.0';
const NEXT = 'kafka-operator.v2.5.0';
const lab = { selector: { matchLabels: { tier: 'lab' } } };
const operator = {
  ...{ package: 'kafka-operator', namespace: 'kafka-system', catalog: { name: 'c', namespace: 'olm' } },
  ...{ adopt: true, strategyRef: { name: 's' } },
};

let fleet: PlayedFleet | undefined;
afterEach(async () => {
  await fleet?.stop();
  fleet = undefined;
});

async function begun(waves: object[] = [], names = ['lab-1', 'shop-1']): Promise<PlayedFleet> {
  const labelsOf = (name: string) => ({ tier: name.replace(/-.*/, ''), name });
  fleet = await PlayedFleet.begin(names, labelsOf, { definitions: await looseDefinitions() });
  await fleet.apply('FleetStrategy', 's', { waves });
  return fleet;
}

async function offered(played: PlayedFleet, bundle = NEW): Promise<void> {
  for (const cluster of played.clusters) await cluster.offer(bundle);
  await played.settle();
}

const NO_NAMESPACE = new Set(['FleetWindow', 'FleetCluster']);
const refTo = (kind: string, name: string) => ({
  ...{ apiVersion: FLEET_API, kind, name },
  ...(NO_NAMESPACE.has(kind) ? {} : { namespace: 'platform' }),
});
const edit = (played: PlayedFleet, kind: string, name: string, spec: object) =>
  played.hub.client.patch(refTo(kind, name), { spec });
const installed = (played: PlayedFleet) => Promise.all(played.clusters.map((cluster) => cluster.installed()));
type Condition = Readonly<{ type: string; status: string; reason: string; message: string }>;
async function conditionOf(played: PlayedFleet, kind: string, name: string, type: string): Promise<string> {
  const found = await played.hub.client.get(refTo(kind, name));
  const { conditions = [] } = (found?.['status'] ?? {}) as { conditions?: readonly Condition[] };
  const one = conditions.find((condition) => condition.type === type);
  return one === undefined ? '' : `${one.status} ${one.reason} ${one.message}`;
}

const PAST = { from: '2025-12-20T00:00:00Z', to: '2025-12-27T00:00:00Z' };
const NEVER = { cron: '0 0 1 7 *', duration: '72h' };

describe('a FleetWindow that does not follow its schema', () => {
  it('holds what it may concern, says which field is wrong, and ends with it', async () => {
    const unknownUnit = (field: string, text: string) => `spec.${field}: time: unknown unit "d" in duration "${text}"`;
    const cases: readonly (readonly [spec: object, says: string])[] = [
      [{ type: 'Deny', schedule: { cron: '* * * * *', duration: '14d' } }, unknownUnit('schedule.duration', '14d')],
      [
        { type: 'Deny', schedule: { cron: '0 0 * * *', duration: '200h' } },
        'spec.schedule.duration: must be at most 168h',
      ],
      [{ type: 'Allow', schedule: { ...NEVER, duration: '3d' } }, unknownUnit('schedule.duration', '3d')],
      [{ type: 'Allow', schedule: { ...NEVER, cron: '* * * * *' }, needs: '3d' }, unknownUnit('needs', '3d')],
      [{ type: 'Freeze' }, 'spec.type: '],
      [{ type: 'Deny', schedule: NEVER, zone: 'UTC' }, 'spec: unknown field "zone"'],
      [{ type: 'Deny', schedule: 'always' }, 'spec.schedule: '],
      [{ type: 'Deny', schedule: NEVER, subjects: 'all' }, 'spec.subjects: '],
    ];
    const names = [...cases.keys()].map((at) => `shop-${at}`);
    const played = await begun([], [...names, 'free']);
    for (const [at, [spec]] of cases.entries()) {
      const clusters = { selector: { matchLabels: { name: `shop-${at}` } } };
      await played.apply('FleetWindow', `broken-${at}`, { ...spec, clusters });
    }
    await played.apply('FleetOperator', 'kafka', operator);
    await offered(played);
    expect(await installed(played)).toEqual([...names.map(() => OLD), NEW]);
    for (const [at, [, says]] of cases.entries()) {
      const condition = await conditionOf(played, 'FleetWindow', `broken-${at}`, 'Valid');
      expect(condition).toContain(`False Unreadable ${says}`);
      expect(condition).toContain('; until then it blocks all changes that it may concern');
      await played.hub.client.delete(refTo('FleetWindow', `broken-${at}`));
    }
    await played.settle();
    expect(await installed(played)).toEqual([...names, 'free'].map(() => NEW));
  });

  it('holds all clusters if its selector cannot be read', async () => {
    const played = await begun();
    await played.apply('FleetWindow', 'broken', { type: 'Deny', clusters: { selector: 'tier=lab' } });
    await played.apply('FleetOperator', 'kafka', operator);
    await offered(played);
    expect(await installed(played)).toEqual([OLD, OLD]);
  });

  it('keeps its hold after it is edited into nonsense, until it is corrected', async () => {
    const played = await begun();
    await played.apply('FleetWindow', 'freeze', { type: 'Deny' });
    await played.apply('FleetOperator', 'kafka', operator);
    await offered(played);
    await edit(played, 'FleetWindow', 'freeze', { schedule: { ...NEVER, duration: '14d' } });
    await played.settle();
    expect(await installed(played)).toEqual([OLD, OLD]);
    await edit(played, 'FleetWindow', 'freeze', { schedule: null, period: PAST });
    await played.settle();
    expect(await installed(played)).toEqual([NEW, NEW]);
    expect(await conditionOf(played, 'FleetWindow', 'freeze', 'Valid')).toBe('True Read ');
  });
});

describe('a FleetDecision that does not follow its schema', () => {
  const by = { user: 'anna', groups: [] };
  it.each<[spec: object, says: string]>([
    [{ action: 'Delete' }, 'spec.action: '],
    [{ action: 'Pause', clusters: 'lab-1' }, 'spec.clusters: '],
    [{ action: 'Abort', reason: 'ok' }, 'spec.reason: '],
    [{ action: 'Abort', zone: 'UTC' }, 'spec: unknown field "zone"'],
  ])('has no effect, and says which field is wrong: %o', async (spec, says) => {
    const played = await begun([{ name: 'all', promotion: 'Manual' }]);
    await played.apply('FleetOperator', 'kafka', operator);
    await offered(played);
    await played.apply('FleetDecision', 'broken', { rollout: 'kafka-1', reason: 'CHG-1', by, ...spec });
    await played.settle();
    const found = await played.hub.client.get(refTo('FleetDecision', 'broken'));
    expect(found?.['status']).toMatchObject({ effective: false, reason: 'Unreadable', at: expect.any(String) });
    expect(JSON.stringify(found?.['status'])).toContain(says.replaceAll('"', '\\"'));
    expect(await played.rollout('kafka-1')).toMatchObject({ phase: 'Progressing' });
  });
});

describe('an object that a rollout depends on and that does not follow its schema', () => {
  const WAVES = [{ name: 'lab', clusters: lab, soak: '10m' }, { name: 'shops' }];

  it.each<[kind: string, name: string, spec: object, says: string, type: string]>([
    [
      'FleetStrategy',
      's',
      { waves: [{ name: 'lab', soak: '3d' }] },
      'spec.waves[0].soak: time: unknown unit "d" in duration "3d"',
      'Valid',
    ],
    ['FleetOperator', 'kafka', { historyLimit: 500 }, 'spec.historyLimit: must be at most 100', 'Resolved'],
  ])('holds its rollouts before and in the middle: %s', async (kind, name, spec, says, type) => {
    const played = await begun(WAVES);
    await played.apply('FleetOperator', 'kafka', operator);
    await offered(played);
    expect(await installed(played)).toEqual([NEW, OLD]);
    await edit(played, kind, name, spec);
    await played.settle();
    await played.clock.advance(3_600_000);
    await played.settle();
    expect(await installed(played)).toEqual([NEW, OLD]);
    expect(await conditionOf(played, kind, name, type)).toContain(`False Unreadable ${says}`);
    expect(await conditionOf(played, 'FleetRollout', 'kafka-1', 'Held')).toContain(says);
    await edit(played, kind, name, kind === 'FleetStrategy' ? { waves: WAVES } : { historyLimit: 10 });
    await played.settle();
    expect(await installed(played)).toEqual([NEW, NEW]);
    expect(await conditionOf(played, 'FleetRollout', 'kafka-1', 'Held')).toBe('False NotHeld ');
    expect(await played.rollout('kafka-1')).toMatchObject({ phase: 'Completed' });
  });

  it('lets no rollout begin with a strategy that cannot be read, and says which field', async () => {
    const played = await begun([{ name: 'lab', soak: '1 hour' }]);
    await played.apply('FleetOperator', 'kafka', operator);
    await offered(played);
    expect(await installed(played)).toEqual([OLD, OLD]);
    expect(await conditionOf(played, 'FleetOperator', 'kafka', 'Resolved')).toContain(
      'False StrategyUnreadable FleetStrategy platform/s: spec.waves[0].soak: time: unknown unit " hour" in duration "1 hour"',
    );
  });

  it('lets no rollout begin with a catalog that cannot be read', async () => {
    const played = await begun();
    const catalog = { image: 'registry.example/c:1', catalogSource: { name: 'c' }, pollInterval: '1 day' };
    await played.apply('FleetCatalog', 'curated', catalog);
    await played.apply('FleetOperator', 'kafka', { ...operator, catalog: { fleetCatalog: 'curated' } });
    await offered(played);
    expect(await installed(played)).toEqual([OLD, OLD]);
    expect(await conditionOf(played, 'FleetOperator', 'kafka', 'Resolved')).toContain('False CatalogUnreadable ');
    expect(await conditionOf(played, 'FleetCatalog', 'curated', 'Progressing')).toContain('spec.pollInterval: ');
  });

  it.each(['cluster.labels[', "cluster.labels.tier = 'lab'"])(
    'keeps its members if their expression is edited into %s',
    async (expression) => {
      const played = await begun(WAVES);
      await played.apply('FleetOperator', 'kafka', { ...operator, removal: 'Delete' });
      await offered(played);
      await edit(played, 'FleetOperator', 'kafka', { clusters: { expression } });
      await played.settle();
      await played.clock.advance(3_600_000);
      await played.settle();
      expect(await installed(played)).toEqual([NEW, OLD]);
      expect(await conditionOf(played, 'FleetRollout', 'kafka-1', 'Held')).toContain('True SelectorInvalid ');
      await played.hub.client.patch(refTo('FleetOperator', 'kafka'), { spec: { clusters: null } });
      await played.settle();
      expect(await installed(played)).toEqual([NEW, NEW]);
    },
  );

  it('does not hand the operator of an unreadable FleetOperator to a younger one', async () => {
    const played = await begun();
    await played.apply('FleetOperator', 'kafka', operator);
    await offered(played);
    await edit(played, 'FleetOperator', 'kafka', { paused: true, historyLimit: 500 });
    await played.apply('FleetOperator', 'kafka-too', operator);
    await offered(played, NEXT);
    expect(await installed(played)).toEqual([NEW, NEW]);
  });

  it('writes nothing in a cluster whose FleetCluster cannot be read, which stays a member', async () => {
    const played = await begun();
    await edit(played, 'FleetCluster', 'lab-1', { paused: 'yes' });
    await played.apply('FleetOperator', 'kafka', operator);
    await offered(played);
    expect(await installed(played)).toEqual([OLD, NEW]);
    await edit(played, 'FleetCluster', 'lab-1', { paused: false });
    await played.settle();
    expect(await installed(played)).toEqual([NEW, NEW]);
  });

  it('of which nothing but its name is known holds the rollouts that have a row there', async () => {
    const played = await begun([{ name: 'lab', clusters: lab, soak: '10m' }, { name: 'shops' }]);
    await played.apply('FleetOperator', 'kafka', operator);
    await offered(played);
    expect(await installed(played)).toEqual([NEW, OLD]);
    const labels = Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`l-${at}`, '']));
    await played.hub.client.patch(refTo('FleetCluster', 'lab-1'), { metadata: { labels } });
    await played.settle();
    await played.clock.advance(3_600_000);
    await played.settle();
    expect(await installed(played)).toEqual([NEW, OLD]);
    expect(await conditionOf(played, 'FleetRollout', 'kafka-1', 'Held')).toMatch(
      /^True ClusterUnreadable FleetCluster lab-1: .*labels.*; its rollouts wait until it is corrected$/,
    );
    const none = Object.fromEntries(Object.keys(labels).map((name) => [name, null]));
    await played.hub.client.patch(refTo('FleetCluster', 'lab-1'), { metadata: { labels: none } });
    await played.settle();
    await played.clock.advance(3_600_000);
    await played.settle();
    expect(await installed(played)).toEqual([NEW, NEW]);
  });

  it('of which nothing but its name is known holds rollouts without a row there, if it may be their target', async () => {
    const played = await begun([{ name: 'lab', clusters: lab }, { name: 'shops' }]);
    const labels = Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`l-${at}`, '']));
    const relabel = (name: string, to: object) =>
      played.hub.client.patch(refTo('FleetCluster', name), { metadata: { labels: to } });
    await relabel('lab-1', labels);
    await played.apply('FleetOperator', 'kafka', operator);
    await offered(played);
    expect(await installed(played)).toEqual([OLD, OLD]);
    expect(await conditionOf(played, 'FleetOperator', 'kafka', 'Resolved')).toMatch(
      /^False ClusterUnreadable FleetCluster lab-1: .*labels.*; its rollouts wait until it is corrected$/,
    );
    await edit(played, 'FleetCluster', 'lab-1', { allowedNamespaces: ['other'] });
    await played.settle();
    expect(await installed(played)).toEqual([OLD, NEW]);
  });

  it.each<[action: string, more: object, phase: string, installed: string]>([
    ['Pause', {}, 'Paused', NEW],
    ['Abort', {}, 'Aborted', NEW],
    ['Rollback', {}, 'RolledBack', OLD],
    ['Rollback', { clusters: ['lab-1'] }, 'Progressing', NEW],
    ['Promote', {}, 'Progressing', NEW],
  ])('lets rollouts without a row there stop and go back, and no further: %s %o', async (action, more, phase, lab1) => {
    const waves = [{ name: 'lab', clusters: lab, soak: '10m' }, { name: 'shops' }];
    const played = await begun(waves, ['lab-1', 'shop-1', 'odd-1']);
    const clusters = { selector: { matchExpressions: [{ key: 'tier', operator: 'In', values: ['lab', 'shop'] }] } };
    for (const cluster of played.clusters) await cluster.keepContent();
    await played.apply('FleetOperator', 'kafka', { ...operator, clusters });
    await offered(played);
    expect(await installed(played)).toEqual([NEW, OLD, OLD]);
    const labels = Object.fromEntries(Array.from({ length: 65 }, (_, at) => [`l-${at}`, '']));
    await played.hub.client.patch(refTo('FleetCluster', 'odd-1'), { metadata: { labels } });
    await played.settle();
    await played.clock.advance(3_600_000);
    const by = { user: 'anna', groups: [] };
    await played.apply('FleetDecision', 'one', { rollout: 'kafka-1', reason: 'CHG-1', by, action, ...more });
    await played.settle();
    expect(await played.rollout('kafka-1')).toMatchObject({ phase });
    expect(await installed(played)).toEqual([lab1, OLD, OLD]);
    const found = await played.hub.client.get(refTo('FleetDecision', 'one'));
    const outcome = expect.objectContaining({ effective: true });
    expect(found?.['status']).toEqual(phase === 'Progressing' ? undefined : outcome);
    expect(await conditionOf(played, 'FleetOperator', 'kafka', 'Resolved')).toContain('False ClusterUnreadable ');
  });
});
