import { readdir, readFile, rm } from 'node:fs/promises';
import { PATIENCE_MS, pause } from '#testing/patience';
import { redisKinds } from '../../../bench/fleet-upgrade/redis-kinds.js';
import { askRedis, type ChaosHub, REDIS_PREFIX } from '../hub/chaos-hub.js';

/** Resources that a hub uses after all work is done. */
export type ResourcesUsed = Readonly<{
  /** By service: open files and connections, and the heap after a garbage collection in MiB. */
  services: ReadonlyMap<string, Readonly<{ handles: number; heapMiB: number }>>;
  /** By kind of key. */
  redisKeys: ReadonlyMap<string, number>;
}>;

export async function resourcesUsed(hub: ChaosHub): Promise<ResourcesUsed> {
  const services = await Promise.all(
    hub.services.all.map(async ({ name, pid }) => {
      const handles = (await readdir(`/proc/${pid}/fd`)).length;
      return [name, { handles, heapMiB: await heapOf(hub.memoryFile(name), pid) }] as const;
    }),
  );
  const kinds = hub.redis === undefined ? [] : await askRedis(hub, (redis) => redisKinds(redis, REDIS_PREFIX));
  return { services: new Map(services), redisKeys: new Map(kinds.map(({ kind, keys }) => [kind, keys])) };
}

async function heapOf(file: string, pid: number | undefined): Promise<number> {
  await rm(file, { force: true });
  if (pid !== undefined) process.kill(pid, 'SIGUSR2');
  for (const since = performance.now(); performance.now() - since < PATIENCE_MS; await pause(100)) {
    const text = await readFile(file, 'utf8').catch(() => '');
    if (text.endsWith('\n')) return JSON.parse(text).heapUsed / 2 ** 20;
  }
  return Number.NaN;
}

/** Resources that a run with faults may hold beyond one without: a factor, and a constant. */
const MORE = { handles: [1.3, 20], heapMiB: [1.3, 20], keys: [1.5, 50] } as const;

/** Describes resources beyond those bounds, for people. */
export function leaks(without: ResourcesUsed, withFaults: ResourcesUsed): readonly string[] {
  const beyond = (what: string, kind: keyof typeof MORE, before: number, after: number): string[] => {
    const [times, plus] = MORE[kind];
    const bound = before * times + plus;
    return after <= bound ? [] : [`${what}: ${after.toFixed(0)}, and ${before.toFixed(0)} without faults`];
  };
  const ofServices = [...withFaults.services].flatMap(([name, after]) => {
    const before = without.services.get(name) ?? { handles: 0, heapMiB: 0 };
    return [
      ...beyond(`handles of ${name}`, 'handles', before.handles, after.handles),
      ...beyond(`heap of ${name} in MiB`, 'heapMiB', before.heapMiB, after.heapMiB),
    ];
  });
  const ofRedis = [...withFaults.redisKeys].flatMap(([kind, keys]) =>
    beyond(`Redis keys "${kind}"`, 'keys', without.redisKeys.get(kind) ?? 0, keys),
  );
  return [...ofServices, ...ofRedis];
}
