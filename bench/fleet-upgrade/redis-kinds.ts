import type { Redis } from 'ioredis';

/** Keys of one kind: how many there are, and the memory of all of them. */
export type RedisKind = Readonly<{ kind: string; keys: number; bytes: number }>;

const AT_ONCE = 1_000;

/** Returns the content of Redis, by the first word of each key behind the prefix, most memory first. */
export async function redisKinds(redis: Redis, prefix = 'flotilla'): Promise<readonly RedisKind[]> {
  const kinds = new Map<string, { keys: number; bytes: number }>();
  let cursor = '0';
  do {
    const [next, keys] = await redis.scan(cursor, 'COUNT', AT_ONCE);
    cursor = next;
    const sizes = await Promise.all(keys.map((key) => redis.memory('USAGE', key, 'SAMPLES', 0)));
    for (const [index, key] of keys.entries()) {
      const kind = kindOf(key, prefix);
      const sum = kinds.get(kind) ?? { keys: 0, bytes: 0 };
      kinds.set(kind, { keys: sum.keys + 1, bytes: sum.bytes + (sizes[index] ?? 0) });
    }
  } while (cursor !== '0');
  return [...kinds].map(([kind, sum]) => ({ kind, ...sum })).sort((a, b) => b.bytes - a.bytes);
}

function kindOf(key: string, prefix: string): string {
  const [first = '', second = ''] = key.slice(prefix.length + 1).split(':');
  return first === 'extensions' ? `extensions:${second}` : first;
}
