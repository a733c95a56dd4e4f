import { pause } from '#testing/patience';
import { type FleetHub, prepareFleetHub } from '../fleet-upgrade/fleet-hub.js';
import { readFleet } from '../fleet-upgrade/fleet-reading.js';
import { fleetOperators, installIn, requireRunning } from '../fleet-upgrade/measure-upgrade.js';
import { catalogImage, putOperators } from '../lifecycle/operator-images.js';
import type { Trouble } from './troubles.js';

export type IsolationOptions = Readonly<{
  /** Healthy clusters and troubled ones together. */
  clusters: number;
  operators: number;
  pairs: number;
  troubles: readonly Trouble[];
  /** Namespaces of the wide cluster. In `groups` of them an OperatorGroup is made as the upgrade begins. */
  namespaces: number;
  groups: number;
  profileFolder?: string | undefined;
  say: (line: string) => void;
}>;

/** The upgrade of the healthy clusters, in a hub of its own. */
export type IsolationRun = Readonly<{
  /** True if the troubled clusters were there. */
  beside: boolean;
  /** From the push of the catalog until each healthy cluster was done, sorted. */
  clusterSeconds: readonly number[];
  /** Processor time of each service, until the last healthy cluster was done. */
  cpuSeconds: ReadonlyMap<string, number>;
  /** The same of all processes of simulated clusters. */
  simulatorCpuSeconds: number;
}>;

/** `first`: the run without the troubled clusters, or the one with them. */
export type IsolationPair = Readonly<{ alone: IsolationRun; beside: IsolationRun }>;

/** The troubled clusters are in that state for so long before the catalog is pushed. */
const SETTLED_MS = 500;
/** The upgrade is given up when no healthy cluster was done for so long. */
const STUCK_MS = 120_000;

/**
 * Measures the same upgrade of the healthy clusters again and again, without the troubled ones and next to
 * them. Both take turns in going first, so that a machine that becomes slower is in favour of none.
 */
export async function measureIsolation(options: IsolationOptions): Promise<readonly IsolationPair[]> {
  const pairs: IsolationPair[] = [];
  for (let pair = 0; pair < options.pairs; pair += 1) {
    const runs: IsolationRun[] = [];
    for (const beside of pair % 2 === 0 ? [false, true] : [true, false]) runs.push(await run(options, beside));
    const [alone, with_] = runs.toSorted((a, b) => Number(a.beside) - Number(b.beside));
    if (alone !== undefined && with_ !== undefined) pairs.push({ alone, beside: with_ });
  }
  return pairs;
}

export const healthyOf = ({ clusters, troubles }: IsolationOptions): number => clusters - troubles.length;

async function run(options: IsolationOptions, beside: boolean): Promise<IsolationRun> {
  const size = { clusters: healthyOf(options), operators: options.operators, pollers: 1, appliers: 1 };
  const troubled = beside ? options.troubles : [];
  const { namespaces, profileFolder } = options;
  const hub = await prepareFleetHub({ size, bare: false, troubled, namespaces, profileFolder });
  const say = (line: string) => options.say(`${beside ? 'beside' : 'alone'}: ${line}`);
  try {
    return await upgrade(hub, options, beside, say);
  } finally {
    // Without their shutdown: it would wait for the requests that hang.
    await Promise.all(hub.services.map((service) => service.stop('SIGKILL')));
    await hub.stop();
  }
}

async function upgrade(
  hub: FleetHub,
  options: IsolationOptions,
  beside: boolean,
  say: (line: string) => void,
): Promise<IsolationRun> {
  const { clusters, registry } = hub;
  const operators = fleetOperators({ operators: options.operators });
  await putOperators(registry, operators);
  const names = operators.map(({ name }) => name);
  await installIn(hub, names, catalogImage(registry.host, 1), say);
  await clusters.ask({ do: 'trouble', groups: options.groups });
  await pause(SETTLED_MS);
  const before = await readFleet(hub, true);
  const begunAt = Date.now();
  await clusters.ask({ do: 'offer', image: catalogImage(registry.host, 2) });
  await allHealthy(hub);
  const after = await readFleet(hub);
  const clusterSeconds = clusters.secondsTo('edition 2', begunAt, clusters.healthy);
  const cpuSeconds = new Map(
    [...after.services].map(([name, { cpuSeconds: end }]) => [
      name,
      end - (before.services.get(name)?.cpuSeconds ?? 0),
    ]),
  );
  const cpu = [...cpuSeconds].map(([name, seconds]) => `${name} ${seconds.toFixed(1)} s`).join(', ');
  const last = clusterSeconds.at(-1)?.toFixed(1);
  say(`upgraded ${clusterSeconds.length} of ${clusters.healthy.size} in ${last} s; CPU: ${cpu}`);
  return {
    beside,
    clusterSeconds,
    cpuSeconds,
    simulatorCpuSeconds: after.simulator.cpuSeconds - before.simulator.cpuSeconds,
  };
}

async function allHealthy(hub: FleetHub): Promise<void> {
  const { clusters } = hub;
  let reached = 0;
  for (let since = Date.now(); reached < clusters.healthy.size && Date.now() - since < STUCK_MS; await pause(20)) {
    await requireRunning(hub);
    const now = clusters.reachedBy('edition 2', clusters.healthy);
    if (now > reached) since = Date.now();
    reached = now;
  }
}
