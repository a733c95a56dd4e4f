import { canonicalHash } from '../../kernel/canonical/canonical-json.js';

/**
 * The hash of a path: of its hops in their order, and of the objects that the fleet writes for it. A
 * Subscription that the fleet did not make has no such objects, and a path of one hop its hash.
 */
export function planHash(hops: readonly string[], spec: string | undefined): string {
  const [only = ''] = hops;
  return spec === undefined && hops.length === 1 ? only : canonicalHash({ hops, spec: spec ?? null });
}
