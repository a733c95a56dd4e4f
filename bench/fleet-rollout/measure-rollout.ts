import { pause } from '#testing/patience';
import { type FleetHub, prepareFleetHub } from '../fleet-upgrade/fleet-hub.js';
import { type FleetReading, readFleet } from '../fleet-upgrade/fleet-reading.js';
import { fleetOperators } from '../fleet-upgrade/measure-upgrade.js';
import { catalogImage, putOperators } from '../lifecycle/operator-images.js';
import { BenchHubApi, HUB, type RolloutStatus } from './hub-api.js';
import { type AwayMeasure, measureAway } from './measure-away.js';
import { until } from './until.js';

export type RolloutOptions = Readonly<{
  clusters: number;
  appliers: number;
  idleSeconds: number;
  /** Percent of the clusters that do not answer during a further upgrade; 0: there is none. */
  offline: number;
  profileFolder?: string | undefined;
  say: (line: string) => void;
}>;

export type RolloutMeasure = Readonly<{
  name: string;
  status: RolloutStatus;
  begunAt: number;
  seconds: number;
  hubWrites: number;
  before: FleetReading;
  after: FleetReading;
}>;

export type RolloutMeasures = Readonly<{
  rollouts: readonly RolloutMeasure[];
  /** Writes to the hub API while nothing changes, those of the Lease left out. */
  idleWrites: number;
  writes: ReadonlyMap<string, number>;
  away?: AwayMeasure | undefined;
}>;

/**
 * Measures an install and an upgrade of one operator in all clusters, as rollouts of one wave; then rest. If
 * requested, also measures another upgrade while some clusters do not answer.
 */
export async function measureRollouts(options: RolloutOptions): Promise<RolloutMeasures> {
  const api = await BenchHubApi.start();
  const { clusters, appliers, profileFolder } = options;
  const size = { clusters, operators: 1, pollers: 1, appliers };
  const fleetHub = { context: HUB, kubeconfig: api.kubeconfig };
  const hub = await prepareFleetHub({ size, bare: false, profileFolder, fleetHub });
  try {
    return await measure(hub, api, options);
  } finally {
    await hub.stop();
    await api.stop();
  }
}

async function measure(hub: FleetHub, api: BenchHubApi, options: RolloutOptions): Promise<RolloutMeasures> {
  const { clusters, registry, services } = hub;
  const [operator] = fleetOperators({ operators: 1 });
  if (operator === undefined) throw new RangeError('a fleet has an operator');
  await putOperators(registry, [operator]);
  for (const name of clusters.names) api.apply('FleetCluster', name, { access: { context: name } });
  await clusters.ask({ do: 'prepare', operators: [operator.name], image: catalogImage(registry.host, 1) });
  for (const service of services) service.start();
  await until(hub, 'clusters watched', () => clusters.reachedBy('catalog') === clusters.names.length);
  await until(hub, 'clusters answer', () => api.reachable() === clusters.names.length);
  options.say(`${clusters.names.length} clusters are watched`);
  api.apply('FleetStrategy', 'one', { waves: [{ name: 'all', maxConcurrent: '100%' }] });
  const catalog = { name: 'lifecycle', namespace: 'olm' };
  const spec = { package: operator.name, namespace: operator.name, catalog, strategyRef: { name: 'one' }, adopt: true };
  api.apply('FleetOperator', 'op', spec);
  const install = await rollout(hub, api, 'op-1', options, () => clusters.ask({ do: 'subscribe', approval: 'Manual' }));
  const offer = { do: 'offer', image: catalogImage(registry.host, 2) } as const;
  const upgrade = await rollout(hub, api, 'op-2', options, () => clusters.ask(offer));
  await pause(5_000);
  const written = api.written;
  await pause(options.idleSeconds * 1_000);
  const measures = { rollouts: [install, upgrade], idleWrites: api.written - written };
  const place = { hub, api, name: 'op-3', usualAt: upgrade.begunAt };
  const away = options.offline === 0 ? undefined : await measureAway(place, options);
  return { ...measures, writes: api.writes, away };
}

async function rollout(
  hub: FleetHub,
  api: BenchHubApi,
  name: string,
  { say }: RolloutOptions,
  begin: () => Promise<void>,
): Promise<RolloutMeasure> {
  const before = await readFleet(hub, true);
  const [begunAt, written] = [Date.now(), api.written];
  await begin();
  await until(hub, name, () => ['Completed', 'Halted'].includes(api.rollout(name).phase ?? ''));
  const seconds = (Date.now() - begunAt) / 1_000;
  const status = api.rollout(name);
  say(`${name}: ${status.phase} after ${seconds.toFixed(1)} s, ${JSON.stringify(status.counts)}`);
  return { name, status, begunAt, seconds, hubWrites: api.written - written, before, after: await readFleet(hub) };
}
