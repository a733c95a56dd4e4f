import type { DesiredClassic } from '#core/rollout/desired/desired-classic';
import { hopHash } from '#core/rollout/review/hop-hash';
import { bringsOther } from '#core/rollout/review/waiting-plan';
import type { PlannedHop, PlannedThere } from '../../previews/planned-there.js';
import type { OrderPlace } from '../place/order-place.js';

/** The versions after the cluster's version, or the reason why they are not known or why there are none. */
export type PathFrom =
  | (Pick<PlannedThere, 'hops'> & Readonly<{ ends?: string }>)
  | Readonly<{ waits: string }>
  /** The catalog leads nowhere any more. */
  | Readonly<{ withdrawn: string }>;

/**
 * Returns the path of a cluster in which a plan waits for approval. It begins with that plan if its catalog
 * still leads there. If the catalog no longer leads to the planned version, the plan is stale (decision
 * 0469). A stale plan that also moves other Subscriptions is kept: the fleet does not own it, and it is then
 * the whole known path.
 */
export async function pathFrom(
  { cluster, previews }: Pick<OrderPlace, 'cluster' | 'previews'>,
  desired: DesiredClassic | undefined,
  first: PlannedHop,
): Promise<PathFrom> {
  const alone = { hops: [first] as const };
  if (desired === undefined || previews.preview === undefined) return alone;
  const preview = await previews.preview(desired);
  if ('waits' in preview) {
    previews.noteWait?.();
    return preview;
  }
  const mayBeTakenBack = first.moves.length === 1;
  if ('nothing' in preview) return mayBeTakenBack ? { withdrawn: withdrawnText(first) } : alone;
  if (!('hops' in preview)) return alone;
  const { hops, ends } = preview;
  const path = ends === undefined ? {} : { ends };
  const hash = ({ plan, moves }: PlannedHop) => hopHash(plan, moves, cluster.globalCatalogNamespace);
  if (hash(hops[0]) === hash(first)) return { hops: [first, ...hops.slice(1)], ...path };
  return mayBeTakenBack && bringsOther(first.plan, hops[0].plan) ? { hops, ...path } : alone;
}

const withdrawnText = ({ plan, to }: PlannedHop): string =>
  `InstallPlan ${plan.metadata.name} waits for ${to}, but the catalog no longer leads to it`;
