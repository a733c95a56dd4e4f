import { Counter, Gauge, type Registry } from 'prom-client';
import { inTime } from '../in-time.js';

const ANSWER_WITHIN_MS = 1_000;

/** The state of Redis as a process sees it. */
export type RedisSource = Readonly<{
  /** Commands that Redis has refused so far, by the first word of its answer. */
  refusals: () => ReadonlyMap<string, number>;
  /** Called at each scrape; undefined: not known. */
  memory: () => Promise<Readonly<{ usedBytes?: number; maxBytes?: number }>>;
}>;

export function watchRedis(registry: Registry, { refusals, memory }: RedisSource): void {
  const refused: Counter = new Counter({
    name: 'flotilla_redis_refusals_total',
    help: 'Commands that Redis refused, by the first word of its answer',
    labelNames: ['error'],
    registers: [registry],
    collect: () => {
      refused.reset();
      for (const [error, count] of refusals()) refused.inc({ error }, count);
    },
  });
  const bytes: Gauge = new Gauge({
    name: 'flotilla_redis_memory_bytes',
    help: 'Memory of Redis: used, and its limit (maxmemory) where it has one',
    labelNames: ['of'],
    registers: [registry],
    collect: async () => {
      const { usedBytes, maxBytes = 0 } = (await inTime(ANSWER_WITHIN_MS, memory())) ?? {};
      bytes.reset();
      if (usedBytes !== undefined) bytes.set({ of: 'used' }, usedBytes);
      if (maxBytes > 0) bytes.set({ of: 'limit' }, maxBytes);
    },
  });
}
