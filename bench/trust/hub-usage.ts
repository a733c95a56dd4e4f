import type { Redis } from 'ioredis';
import { usageOf } from '../fleet/process-usage.js';
import type { LifecycleEnvironment } from '../lifecycle/lifecycle-environment.js';

/** Usage of a hub since its processes started. */
export type HubUsage = Readonly<{
  /** Processor time of each service and of Redis. */
  cpuSeconds: Readonly<Record<string, number>>;
  peakMiB: Readonly<Record<string, number>>;
  redisCommands: number;
}>;

export async function hubUsage(environment: LifecycleEnvironment, redis: Redis): Promise<HubUsage> {
  const cpuSeconds: Record<string, number> = {};
  const peakMiB: Record<string, number> = {};
  for (const { name, pid } of environment.services) {
    const usage = pid === undefined ? undefined : await usageOf(pid);
    cpuSeconds[name] = usage?.cpuSeconds ?? Number.NaN;
    peakMiB[name] = usage?.peakMiB ?? Number.NaN;
  }
  const cpu = await redis.info('cpu');
  cpuSeconds['Redis'] = numberIn(cpu, /^used_cpu_user:(\S+)/m) + numberIn(cpu, /^used_cpu_sys:(\S+)/m);
  const stats = await redis.info('commandstats');
  const calls = [...stats.matchAll(/^cmdstat_(\S+?):calls=(\d+)/gm)].filter(([, command]) => command !== 'info');
  return { cpuSeconds, peakMiB, redisCommands: calls.reduce((sum, [, , count]) => sum + Number(count), 0) };
}

const numberIn = (text: string, pattern: RegExp): number => Number(pattern.exec(text)?.[1] ?? Number.NaN);
