import { type DeniedBundle, deniedTogether } from '../../cluster/marks/fleet-marks.js';
import type { FleetOperator } from '../../kernel/api/fleet/fleet-operator.js';
import { versionRefusal } from '../desired/allowed-versions.js';

/** The destination of a hop of a path. `version`: undefined if the plan does not say it. */
export type PathStop = Readonly<{ to: string; version: string | undefined }>;

type PathRules = Readonly<{
  versions: FleetOperator['spec']['versions'];
  /** Bundles that are not installed again, in the cluster or anywhere. */
  denied: readonly DeniedBundle[];
  /**
   * A bundle that is retried. Neither it nor the bundles that were denied with it count as denied. Its path
   * ends with it.
   */
  lifted: string | undefined;
}>;

/**
 * Returns the number of hops of a path that a cluster may take, or the reason why it may not take the first.
 * A path ends before the first hop that `versions` does not admit or that is denied (design: fleet.md §3.1).
 * A denied first hop is all of its path: it begins nothing, and no path leads over it (why: fleet-returns.md
 * "Paths past a denied version").
 */
export function allowedHops(
  path: readonly [PathStop, ...PathStop[]],
  { versions, denied, lifted }: PathRules,
): Readonly<{ hops: number }> | Readonly<{ refused: string }> {
  const [first, ...others] = path;
  const refused = versionRefusal(versions, first.version);
  if (refused !== undefined) return { refused };
  const names = new Set(denied.map(({ bundle }) => bundle));
  if (lifted !== undefined) for (const bundle of deniedTogether(denied, lifted)) names.delete(bundle);
  let [hops, last] = [1, first];
  for (const hop of others) {
    const isEnd = last.to === lifted || names.has(last.to);
    if (isEnd || names.has(hop.to) || versionRefusal(versions, hop.version) !== undefined) break;
    hops += 1;
    last = hop;
  }
  return { hops };
}
