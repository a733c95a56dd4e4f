import { afterEach, describe, expect, it } from 'vitest';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import { looseDefinitions, PlayedFleet } from './rollouts.fixture.js';

const OLD = 'kafka-operator.v2.3.0';
const NEW = 'kafka-operator.v2.4.0';
const operator = {
  package: 'kafka-operator',
  namespace: 'kafka-system',
  catalog: { name: 'c', namespace: 'olm' },
  adopt: true,
};

let fleet: PlayedFleet | undefined;
afterEach(async () => {
  await fleet?.stop();
  fleet = undefined;
});

/** Two clusters that have an update, one wave without soak, and a hub whose definitions refuse nothing. */
async function begun(more: object, windows: Readonly<Record<string, object>> = {}): Promise<PlayedFleet> {
  const definitions = await looseDefinitions();
  fleet = await PlayedFleet.begin(['lab-1', 'shop-1'], (name) => ({ tier: name.replace(/-.*/, '') }), { definitions });
  await fleet.apply('FleetStrategy', 's', {});
  for (const [name, spec] of Object.entries(windows)) await fleet.apply('FleetWindow', name, spec);
  await fleet.apply('FleetOperator', 'kafka', { ...operator, strategyRef: { name: 's' }, ...more });
  for (const cluster of fleet.clusters) await cluster.offer(NEW);
  await fleet.settle();
  return fleet;
}

const installed = (played: PlayedFleet) => Promise.all(played.clusters.map((cluster) => cluster.installed()));
type Condition = Readonly<{ type: string; status: string; reason: string; message: string }>;
async function conditionOf(played: PlayedFleet, kind: string, name: string, type: string): Promise<string> {
  const namespace = kind === 'FleetWindow' ? {} : { namespace: 'platform' };
  const found = await played.hub.client.get({ apiVersion: FLEET_API, kind, name, ...namespace });
  const { conditions = [] } = (found?.['status'] ?? {}) as { conditions?: readonly Condition[] };
  const one = conditions.find((condition) => condition.type === type);
  return one === undefined ? '' : `${one.status} ${one.reason} ${one.message}`;
}

describe('a FleetOperator that cannot be carried out', () => {
  it.each<[string, object, string]>([
    [
      'names a strategy that is not there',
      { strategyRef: { name: 'gone' } },
      'False StrategyMissing there is no FleetStrategy platform/gone: no rollout begins until it exists',
    ],
    [
      'names a catalog that is not there',
      { catalog: { fleetCatalog: 'gone' } },
      'False CatalogMissing there is no FleetCatalog platform/gone: no rollout begins until it exists',
    ],
    [
      'has an expression that cannot be read',
      { clusters: { expression: 'cluster.labels[' } },
      'False SelectorInvalid spec.clusters selects no cluster: ',
    ],
    [
      'selects no cluster',
      { clusters: { selector: { matchLabels: { tier: 'nowhere' } } } },
      'False NothingSelected no cluster is selected: nothing is rolled out',
    ],
    [
      'has an expression that fails on each cluster',
      { clusters: { expression: "cluster.labels.site == 'store'" } },
      'False SelectorFails nothing is rolled out: spec.clusters does not select 2 clusters (',
    ],
  ])('since it %s says so, and changes no cluster', async (_, more, says) => {
    const played = await begun(more);
    expect(await conditionOf(played, 'FleetOperator', 'kafka', 'Resolved')).toContain(says);
    expect(await installed(played)).toEqual([OLD, OLD]);
    expect(await played.rollout('kafka-1')).toEqual({});
  });

  it('names the clusters on which an expression fails, and goes on in the others', async () => {
    const expression = "cluster.labels.tier == 'lab' || cluster.labels.site == 'west'";
    const played = await begun({ clusters: { expression } });
    expect(await conditionOf(played, 'FleetOperator', 'kafka', 'Resolved')).toBe(
      'True Planned spec.clusters does not select 1 cluster (shop-1), because its expression fails there: No such key: site',
    );
    expect(await installed(played)).toEqual([NEW, OLD]);
  });

  it('goes on once its strategy is there', async () => {
    const played = await begun({ strategyRef: { name: 'later' } });
    await played.apply('FleetStrategy', 'later', {});
    await played.settle();
    expect(await installed(played)).toEqual([NEW, NEW]);
    expect(await conditionOf(played, 'FleetOperator', 'kafka', 'Resolved')).toBe('True Planned ');
  });
});

describe('a FleetCatalog with rings', () => {
  const RINGED = { image: 'registry.example/c:1', promotion: 'Staged', strategyRef: { name: 's' } };

  it('is refused for OLM v1 in the condition of its FleetOperator, with what to do', async () => {
    fleet = await PlayedFleet.begin(['lab-1'], () => ({}));
    await fleet.apply('FleetStrategy', 's', {});
    await fleet.apply('FleetCatalog', 'ringed', {
      ...{ ...RINGED, catalogSource: { name: 'c' }, clusterCatalog: { name: 'c' } },
    });
    const asked = { package: 'beacon', namespace: 'beacons', catalog: { fleetCatalog: 'ringed' }, api: 'V1' };
    await fleet.apply('FleetOperator', 'beacon', asked);
    await fleet.settle();
    expect(await conditionOf(fleet, 'FleetOperator', 'beacon', 'Resolved')).toBe(
      'False CatalogStaged FleetCatalog platform/ringed has promotion: Staged, which is for api: Classic alone: name a FleetCatalog with promotion: WithOperators',
    );
  });

  it('and without a CatalogSource says that nothing is promoted', async () => {
    fleet = await PlayedFleet.begin(['lab-1'], () => ({}), { definitions: await looseDefinitions() });
    await fleet.apply('FleetStrategy', 's', {});
    await fleet.apply('FleetCatalog', 'ringed', { ...RINGED, clusterCatalog: { name: 'c' } });
    await fleet.settle();
    expect(await conditionOf(fleet, 'FleetCatalog', 'ringed', 'Progressing')).toBe(
      'False CatalogUnusable FleetCatalog platform/ringed has promotion: Staged and no catalogSource, the only thing that is promoted: add one, or set promotion: WithOperators',
    );
  });
});

describe('two FleetOperators for one package and namespace', () => {
  it('are one that acts, and one that says which', async () => {
    const played = await begun({});
    await played.apply('FleetOperator', 'kafka-too', { ...operator, strategyRef: { name: 's' } });
    await played.settle();
    const says = 'True InTheWay 2 clusters (lab-1, shop-1): FleetOperator platform/kafka is older, and manages package';
    expect(await conditionOf(played, 'FleetOperator', 'kafka-too', 'Conflict')).toContain(says);
    expect(await conditionOf(played, 'FleetOperator', 'kafka', 'Conflict')).toBe('False NoConflict ');
    const ref = { apiVersion: FLEET_API, kind: 'FleetOperator', name: 'kafka', namespace: 'platform' };
    expect((await played.hub.client.get(ref))?.['status']).toMatchObject({
      ...{ standing: 'kafka-1', done: '2/2', denied: [], counts: { targets: 2, done: 2, failed: 0 } },
      versions: [{ bundle: NEW, clusters: 2 }],
    });
    expect(await conditionOf(played, 'FleetOperator', 'kafka', 'Progressing')).toBe('False UpToDate ');
    expect(await conditionOf(played, 'FleetOperator', 'kafka', 'Available')).toBe('True AllHealthy ');
  });
});

describe('a FleetWindow that cannot be read', () => {
  const lab = { selector: { matchLabels: { tier: 'lab' } } };
  it.each<[string, object, string]>([
    [
      'a cron that does not exist',
      { type: 'Allow', schedule: { cron: '61 * * * *', duration: '1h' }, clusters: lab },
      'spec.schedule.cron: "61 * * * *": Invalid value for minute: 61',
    ],
    [
      'a time zone that does not exist',
      { type: 'Deny', schedule: { cron: '0 3 * * *', duration: '1h', timeZone: 'Mars/Base' }, clusters: lab },
      'spec.schedule.timeZone: there is no time zone "Mars/Base"',
    ],
    [
      'an expression that cannot be read',
      { type: 'Deny', clusters: { ...lab, expression: 'cluster.labels[' } },
      'spec.clusters: ',
    ],
  ])('for %s says so, holds what it may concern, and nothing else', async (_, window, says) => {
    const played = await begun({}, { broken: window });
    expect(await conditionOf(played, 'FleetWindow', 'broken', 'Valid')).toMatch(/^False Unreadable /);
    expect(await conditionOf(played, 'FleetWindow', 'broken', 'Valid')).toContain(says);
    expect(await installed(played)).toEqual([OLD, NEW]);
    await played.hub.client.delete({ apiVersion: FLEET_API, kind: 'FleetWindow', name: 'broken' });
    await played.settle();
    expect(await installed(played)).toEqual([NEW, NEW]);
  });

  it('has the times of one that can be read in its status', async () => {
    const schedule = { cron: '0 22 * * *', duration: '6h', timeZone: 'Europe/Berlin' };
    const played = await begun({}, { nights: { type: 'Allow', schedule, clusters: lab } });
    const read = async () => {
      const found = await played.hub.client.get({ apiVersion: FLEET_API, kind: 'FleetWindow', name: 'nights' });
      return found?.['status'];
    };
    expect(await read()).toMatchObject({
      active: true,
      nextStart: '2026-01-05T21:00:00.000Z',
      nextEnd: '2026-01-05T03:00:00.000Z',
      clusters: 1,
    });
    await played.clock.advance(6 * 3_600_000);
    await played.settle();
    expect(await read()).toMatchObject({ active: false, nextEnd: '2026-01-06T03:00:00.000Z' });
  });
});
