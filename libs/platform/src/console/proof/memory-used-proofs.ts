import { NONCE_KEPT_MS } from '#core/view/proof/console-proof';
import type { Clock } from '../../clock/clock.port.js';
import { expiringValues } from '../../store/expiring-values.js';
import type { ProofUse, UsedProofs } from './used-proofs.port.js';

const MOST_PROOFS = 20_000;

/** The proofs that this process has accepted. */
export class MemoryUsedProofs implements UsedProofs {
  readonly #taken;

  constructor(clock: Clock) {
    this.#taken = expiringValues<string>({ clock, ttlMs: NONCE_KEPT_MS, most: MOST_PROOFS });
  }

  async take({ nonce, part, delivery }: Parameters<UsedProofs['take']>[0]): Promise<ProofUse> {
    const key = `${nonce}\n${part}`;
    const known = this.#taken.get(key);
    if (known === undefined) this.#taken.set(key, delivery);
    return known === undefined ? 'first' : known === delivery ? 'elsewhere' : 'used';
  }
}
