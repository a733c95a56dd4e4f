import type { Redis } from 'ioredis';

/** Commands that Redis has run, those of scripts among them, and writes to streams; INFO does not count. */
export async function redisCalls(redis: Redis): Promise<Readonly<{ all: number; xadd: number }>> {
  const counts = [...(await redis.info('commandstats')).matchAll(/cmdstat_([\w|]+):calls=(\d+)/g)];
  const callsOf = (wanted: (name: string) => boolean) =>
    counts.reduce((sum, [, name = '', calls]) => sum + (wanted(name) ? Number(calls) : 0), 0);
  return { all: callsOf((name) => name !== 'info'), xadd: callsOf((name) => name === 'xadd') };
}
