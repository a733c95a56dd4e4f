import { type Usage, usageOf } from '../fleet/process-usage.js';
import type { RequestCounts } from './clusters-messages.js';
import type { FleetHub } from './fleet-hub.js';
import { type QueueWaits, queueWaits } from './queue-waits.js';

/** Usage and work of all parts since they started. */
export type FleetReading = Readonly<{
  services: ReadonlyMap<string, Usage>;
  redis: Readonly<{
    cpuSeconds: number;
    calls: ReadonlyMap<string, number>;
    mebibytes: number;
    keys: number;
    /** Connections, including that of this process. */
    connections: number;
  }>;
  /** All processes of simulated clusters together. */
  simulator: Usage;
  /** This process: the registry, and the bench itself. */
  bench: Usage;
  requests: RequestCounts;
  waits: QueueWaits;
}>;

const UNKNOWN: Usage = { cpuSeconds: Number.NaN, peakMiB: Number.NaN, residentMiB: Number.NaN };

/**
 * Reads the usage of the fleet. `begins`: the measured step begins now, otherwise it ends; the scrape of
 * metrics is left out of it.
 */
export async function readFleet({ clusters, services, redis }: FleetHub, begins = false): Promise<FleetReading> {
  const scrape = () => Promise.all(services.map(async (service) => metricsAt(await service.url())));
  const early = begins ? await scrape() : undefined;
  const used = await Promise.all(services.map(async ({ name, pid }) => [name, await usageOfPid(pid)] as const));
  const cpu = await redis.info('cpu');
  const commands = [...(await redis.info('commandstats')).matchAll(/^cmdstat_(\S+?):calls=(\d+)/gm)];
  const others = {
    simulator: added(await Promise.all(clusters.pids.map(usageOfPid))),
    bench: await usageOfPid(process.pid),
    requests: await clusters.counts(),
  };
  return {
    ...others,
    services: new Map(used),
    redis: {
      cpuSeconds: numberIn(cpu, /^used_cpu_user:(\S+)/m) + numberIn(cpu, /^used_cpu_sys:(\S+)/m),
      calls: new Map(
        commands.flatMap(([, name = '', count]) => (name === 'info' ? [] : [[name, Number(count)] as const])),
      ),
      mebibytes: numberIn(await redis.info('memory'), /^used_memory:(\S+)/m) / 2 ** 20,
      keys: await redis.dbsize(),
      connections: numberIn(await redis.info('clients'), /^connected_clients:(\S+)/m),
    },
    waits: queueWaits(early ?? (await scrape())),
  };
}

const usageOfPid = async (pid: number | undefined): Promise<Usage> =>
  (pid === undefined ? undefined : await usageOf(pid)) ?? UNKNOWN;

const added = (all: readonly Usage[]): Usage => ({
  cpuSeconds: all.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0),
  peakMiB: all.reduce((sum, { peakMiB }) => sum + peakMiB, 0),
  residentMiB: all.reduce((sum, { residentMiB }) => sum + residentMiB, 0),
});

/** A service that is too busy to answer has none for now. */
async function metricsAt(url: string | undefined): Promise<string> {
  if (url === undefined) return '';
  return fetch(`${url}/metrics`, { signal: AbortSignal.timeout(60_000) })
    .then((answer) => answer.text())
    .catch(() => '');
}

const numberIn = (text: string, pattern: RegExp): number => Number(pattern.exec(text)?.[1] ?? Number.NaN);
