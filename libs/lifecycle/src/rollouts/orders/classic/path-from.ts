import type { DesiredClassic } from '#core/rollout/desired/desired-classic';
import { hopHash } from '#core/rollout/review/hop-hash';
import { bringsOther } from '#core/rollout/review/waiting-plan';
import type { PlannedHop, PlannedThere } from '../../previews/planned-there.js';
import type { OrderPlace } from '../place/order-place.js';

/** What follows on what a cluster has, or why that is not known or nothing does. */
export type PathFrom =
  | (Pick<PlannedThere, 'hops'> & Readonly<{ ends?: string }>)
  | Readonly<{ waits: string }>
  /** The catalog leads nowhere by now. */
  | Readonly<{ withdrawn: string }>;

/**
 * The path of a cluster in which a plan waits for approval. It begins with that plan where its catalog still
 * leads there. Where it leads to another version by now, or to none, the plan is out of date (decision 0469);
 * one that moves other Subscriptions too is not the fleet's to take back, and all that is known of the path.
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
  `InstallPlan ${plan.metadata.name} waits for ${to}, which the catalog does not lead to any more`;
