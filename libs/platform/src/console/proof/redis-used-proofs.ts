import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';
import { NONCE_KEPT_MS, type ProofReader } from '#core/view/proof/console-proof';
import type { Clock } from '../../clock/clock.port.js';
import { MemoryUsedProofs } from './memory-used-proofs.js';
import type { ProofUse, UsedProofs } from './used-proofs.port.js';

type Options = Readonly<{ redis: Redis; prefix: string; clock: Clock; reader: ProofReader }>;

/**
 * The proofs that the processes of a service have accepted. They are in memory, which no other process can
 * empty. They are also in Redis, for the service's other processes and the next start; only this service may
 * write them there.
 */
export class RedisUsedProofs implements UsedProofs {
  readonly #own: MemoryUsedProofs;

  constructor(private readonly options: Options) {
    this.#own = new MemoryUsedProofs(options.clock);
  }

  async take(proof: Parameters<UsedProofs['take']>[0]): Promise<ProofUse> {
    const own = await this.#own.take(proof);
    if (own !== 'first') return own;
    const { redis, prefix, reader } = this.options;
    const { nonce, part, delivery } = proof;
    const hash = createHash('sha256').update(`${nonce}\n${part}`).digest('hex');
    const key = `${prefix}:proof:${reader}:${hash}`;
    const known = await redis.set(key, delivery, 'PX', NONCE_KEPT_MS, 'NX', 'GET');
    return known === null ? 'first' : known === delivery ? 'elsewhere' : 'used';
  }
}
