import { canonicalHash } from '../../kernel/canonical/canonical-json.js';

/**
 * Returns the hash of a path: of its hops in their order, and of the objects that the fleet writes for it. A
 * Subscription that the fleet did not create has no such objects. The hash of a path of one hop is the hash
 * of that hop.
 */
export function planHash(hops: readonly string[], spec: string | undefined): string {
  const [only = ''] = hops;
  return spec === undefined && hops.length === 1 ? only : canonicalHash({ hops, spec: spec ?? null });
}
