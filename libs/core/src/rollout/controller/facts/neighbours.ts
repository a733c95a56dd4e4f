import type { RolloutView } from '../step/rollout-state.js';

/**
 * True if the active rollout of another subject has its plan for a cluster approved: a plan that moves both
 * may start. `planned`: the class that the cluster plans; default: that of its row.
 */
export function isApprovedIn(
  active: Pick<RolloutView, 'rows' | 'status'> | undefined,
  cluster: string,
  planned?: string,
): boolean {
  const row = active?.rows.get(cluster);
  if (row === undefined || (planned !== undefined && row.class !== planned)) return false;
  const found = active?.status.classes.find(({ name }) => name === row.class);
  return found?.state.phase === 'Approved' || found?.state.phase === 'NotNeeded';
}
