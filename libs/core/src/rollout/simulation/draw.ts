import { hash } from 'node:crypto';

const HEX_OF_52_BITS = 13;
const TWO_52 = 2 ** 52;

/**
 * A random draw from 0 to below 1 that depends on its name alone: the seed, the purpose, the place of a fault
 * in its list, the cluster, the roll-out and the attempt.
 */
export function draw(
  seed: string,
  purpose: 'percent' | 'probability' | 'jitter',
  index: number,
  cluster: string,
  rollout = '',
  attempt: number | '' = '',
): number {
  const name = `${seed}/${purpose}/${index}/${cluster}/${rollout}/${attempt}`;
  return Number.parseInt(hash('sha256', name, 'hex').slice(0, HEX_OF_52_BITS), 16) / TWO_52;
}
