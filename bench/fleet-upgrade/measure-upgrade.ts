import { pause } from '#testing/patience';
import { catalogImage, type OperatorPackage, putOperators } from '../lifecycle/operator-images.js';
import type { EndState, FleetMilestone } from './clusters-messages.js';
import { type FleetHub, type FleetHubOptions, type FleetSize, prepareFleetHub } from './fleet-hub.js';
import { type FleetReading, readFleet } from './fleet-reading.js';
import { type RedisKind, redisKinds } from './redis-kinds.js';
import { type ScaledParts, scaleAppliers } from './scale-appliers.js';

/** A part of the run: readings at its ends; seconds from its begin until each cluster was done, sorted. */
export type FleetStep = Readonly<{
  before: FleetReading;
  after: FleetReading;
  seconds: number;
  clusterSeconds: readonly number[];
}>;

export type UpgradeMeasures = Readonly<{
  size: FleetSize;
  join: FleetStep;
  install: FleetStep;
  upgrade: FleetStep;
  idle: FleetStep;
  endState: EndState;
  solves: Readonly<{ distinct: number; total: number }>;
  /** Content of Redis at the end. */
  redisKinds: readonly RedisKind[];
  /** Absent: the appliers were not scaled. */
  scaled?: ScaledParts | undefined;
}>;

export type UpgradeOptions = FleetHubOptions & Readonly<{ idleSeconds: number; say: (line: string) => void }>;

/** As large as the ClusterServiceVersions of real operators. */
const DESCRIPTION_BYTES = 18_000;
const QUIET_MS = 3_000;
/** For each cluster, in that time. */
const READS_AT_REST = 0.05;
const QUIET_WITHIN_MS = 120_000;
/** A step is given up when no cluster was done for so long. */
const STUCK_MS = 600_000;

/** Joins a fleet of simulated clusters, installs operators in all of them, upgrades them, and rests. */
export async function measureUpgrade(options: UpgradeOptions): Promise<UpgradeMeasures> {
  const hub = await prepareFleetHub(options);
  try {
    return await measure(hub, options);
  } finally {
    await hub.stop();
  }
}

async function measure(hub: FleetHub, { size, idleSeconds, say }: UpgradeOptions): Promise<UpgradeMeasures> {
  const { clusters, registry, services } = hub;
  const operators = fleetOperators(size);
  await putOperators(registry, operators);
  const names = operators.map(({ name }) => name);
  const { join, install } = await installIn(hub, names, catalogImage(registry.host, 1), say);
  let scaling: Promise<ScaledParts> | undefined;
  const upgrade = await step(hub, 'edition 2', say, () => {
    if (hub.spareAppliers.length > 0) scaling = scaleAppliers(hub, say);
    return clusters.ask({ do: 'offer', image: catalogImage(registry.host, 2) });
  });
  const scaled = clusters.reachedBy('edition 2') < clusters.names.length ? undefined : await scaling;
  const idle = await rest(hub, idleSeconds);
  const solved = await Promise.all(services.map((service) => service.logged()));
  const problems = solved.flat().flatMap(({ msg, problem }) => (msg === 'problem solved' ? [problem] : []));
  return {
    size,
    join,
    install,
    upgrade,
    idle,
    endState: await clusters.endState(2),
    solves: { distinct: new Set(problems).size, total: problems.length },
    redisKinds: await redisKinds(hub.redis),
    scaled,
  };
}

export const fleetOperators = ({ operators }: Pick<FleetSize, 'operators'>): readonly OperatorPackage[] =>
  Array.from({ length: operators }, (_, n) => ({
    name: `fleet-${n + 1}`,
    shape: 'full',
    descriptionBytes: DESCRIPTION_BYTES,
  }));

/** Starts the services, and installs the operators of the catalog in every cluster. */
export async function installIn(
  hub: FleetHub,
  operators: readonly string[],
  image: string,
  say: (line: string) => void,
): Promise<Readonly<{ join: FleetStep; install: FleetStep }>> {
  await hub.clusters.ask({ do: 'prepare', operators, image });
  const join = await step(hub, 'catalog', say, () => {
    for (const service of hub.services) service.start();
  });
  return { join, install: await step(hub, 'edition 1', say, () => hub.clusters.ask({ do: 'subscribe' })) };
}

/** Until every cluster has reached the milestone, or none does so any more, and then until all is quiet. */
async function step(
  hub: FleetHub,
  milestone: FleetMilestone,
  say: (line: string) => void,
  begin: () => Promise<void> | void,
): Promise<FleetStep> {
  const { clusters } = hub;
  const before = await readFleet(hub, true);
  const begunAt = Date.now();
  await begin();
  let reached = -1;
  for (let since = Date.now(); clusters.reachedBy(milestone) < clusters.names.length; await pause(100)) {
    await requireRunning(hub);
    const now = clusters.reachedBy(milestone);
    if (now > reached) {
      reached = now;
      since = Date.now();
    }
    if (Date.now() - since > STUCK_MS) break;
  }
  await untilQuiet(hub);
  const clusterSeconds = clusters.secondsTo(milestone, begunAt);
  const seconds = (Date.now() - begunAt) / 1_000;
  say(
    `${milestone}: ${clusterSeconds.length} of ${clusters.names.length} clusters, ${seconds.toFixed(1)} s until quiet`,
  );
  return { before, after: await readFleet(hub), seconds, clusterSeconds };
}

/** A service that has ended would be waited for in vain. */
export async function requireRunning({ services }: FleetHub): Promise<void> {
  const ended = services.find(({ running }) => !running);
  if (ended !== undefined) throw new Error(`${ended.name} has ended:\n${await ended.tail()}`);
}

export async function rest(hub: FleetHub, seconds: number): Promise<FleetStep> {
  const before = await readFleet(hub, true);
  const begunAt = Date.now();
  await pause(seconds * 1_000);
  return { before, after: await readFleet(hub), seconds: (Date.now() - begunAt) / 1_000, clusterSeconds: [] };
}

/**
 * Waits until the services have written nothing for a while and have read no more than they do at rest. At
 * rest they ask each cluster a few things every five minutes.
 */
export async function untilQuiet({ clusters }: FleetHub, withinMs = QUIET_WITHIN_MS): Promise<void> {
  const deadline = Date.now() + withinMs;
  let before = await clusters.counts();
  while (Date.now() < deadline) {
    await pause(QUIET_MS);
    const now = await clusters.counts();
    const atRest = now.reads - before.reads <= clusters.names.length * READS_AT_REST;
    if (atRest && now.writes === before.writes) return;
    before = now;
  }
}
