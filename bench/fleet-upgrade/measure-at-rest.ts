import { readFile } from 'node:fs/promises';
import { pause } from '#testing/patience';
import { catalogImage, putOperators } from '../lifecycle/operator-images.js';
import type { EndState } from './clusters-messages.js';
import { type FleetHub, type FleetSize, prepareFleetHub } from './fleet-hub.js';
import { type FleetReading, readFleet } from './fleet-reading.js';
import {
  type FleetStep,
  fleetOperators,
  installIn,
  requireRunning,
  rest,
  type UpgradeOptions,
  untilQuiet,
} from './measure-upgrade.js';

export type AtRestMeasures = Readonly<{
  size: FleetSize;
  /** From the start of the services until all clusters are watched and nothing is read or written. */
  settle: Readonly<{ before: FleetReading; after: FleetReading; seconds: number; watchedSeconds: number | undefined }>;
  idle: FleetStep;
  endState: EndState;
  /** Memory of each service, after the step idle and a garbage collection. */
  collected: ReadonlyMap<string, NodeJS.MemoryUsage>;
}>;

const WATCHED_WITHIN_MS = 1_800_000;
/** Resting clusters get their first passes in turns, one cluster every half second (decision 0220). */
const FIRST_PASSES_WITHIN_MS = 3_600_000;
const REPORTED_WITHIN_MS = 60_000;

/**
 * Measures services that start next to a fleet with installed operators. Services install them in one cluster
 * of its own; every cluster of the fleet then stores the objects that this one has.
 */
export async function measureAtRest(options: UpgradeOptions): Promise<AtRestMeasures> {
  const hub = await prepareFleetHub({ ...options, reportsMemory: true });
  try {
    const { size, idleSeconds, say } = options;
    const operators = fleetOperators(size);
    await putOperators(hub.registry, operators);
    const names = operators.map(({ name }) => name);
    const objects = await installedObjects(hub, options, names);
    await hub.clusters.ask({ do: 'restore', operators: names, objects });
    say(`${objects.length} objects in each cluster`);
    const settle = await settled(hub);
    say(`all watched after ${settle.watchedSeconds?.toFixed(1) ?? '?'} s, quiet after ${settle.seconds.toFixed(1)} s`);
    const idle = await rest(hub, idleSeconds);
    return { size, settle, idle, endState: await hub.clusters.endState(1), collected: await memoryOfAll(hub) };
  } finally {
    await hub.stop();
  }
}

/**
 * Returns the content of a cluster after services have installed the operators there, from the catalog of
 * `hub`.
 */
async function installedObjects({ registry }: FleetHub, options: UpgradeOptions, operators: readonly string[]) {
  const one = await prepareFleetHub({
    ...options,
    profileFolder: undefined,
    size: { clusters: 1, operators: operators.length, pollers: 1, appliers: 1 },
  });
  try {
    await installIn(one, operators, catalogImage(registry.host, 1), options.say);
    return await one.clusters.dump();
  } finally {
    await one.stop();
  }
}

async function settled(hub: FleetHub): Promise<AtRestMeasures['settle']> {
  const before = await readFleet(hub);
  const begunAt = Date.now();
  const since = () => (Date.now() - begunAt) / 1_000;
  for (const service of hub.services) service.start();
  let watchedSeconds: number | undefined;
  while (watchedSeconds === undefined && Date.now() - begunAt < WATCHED_WITHIN_MS) {
    await pause(250);
    await requireRunning(hub);
    if ((await hub.clusters.counts()).watched === hub.clusters.names.length) watchedSeconds = since();
  }
  await untilQuiet(hub, FIRST_PASSES_WITHIN_MS);
  return { before, after: await readFleet(hub), seconds: since(), watchedSeconds };
}

/** A service that does not answer in time is left out. */
async function memoryOfAll({ services, memoryFile }: FleetHub): Promise<ReadonlyMap<string, NodeJS.MemoryUsage>> {
  for (const { pid } of services) if (pid !== undefined) process.kill(pid, 'SIGUSR2');
  const found = services.map(async ({ name }) => {
    for (const deadline = Date.now() + REPORTED_WITHIN_MS; Date.now() < deadline; await pause(250)) {
      const text = await readFile(memoryFile(name), 'utf8').catch(() => '');
      if (text.endsWith('\n')) return [[name, JSON.parse(text) as NodeJS.MemoryUsage] as const];
    }
    return [];
  });
  return new Map((await Promise.all(found)).flat());
}
