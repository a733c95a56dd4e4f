import { sameJson } from '#core/kernel/canonical/same-json';
import { type ClusterStep, stepOf } from '#core/view/rows/rollout-path';
import type { StoredRows } from '../assignments/stored-rollout.js';

type StepsThere = Readonly<Record<string, ClusterStep>>;

/**
 * The step of each cluster on its path, by rollout, from the rows that the fleet controller keeps in
 * FleetAssignments. Clusters that are not on their way are left out.
 */
export class ClusterSteps {
  readonly #byCluster = new Map<string, StepsThere>();

  /**
   * Notes the rows of a cluster's assignment. Returns true if the cluster is at another step than before.
   */
  note(cluster: string, rows: StoredRows): boolean {
    const steps: Record<string, ClusterStep> = {};
    for (const [rollout, { row }] of Object.entries(rows)) {
      const step = stepOf(row);
      if (step !== undefined) steps[rollout] = step;
    }
    const before = this.#byCluster.get(cluster) ?? {};
    if (Object.keys(steps).length === 0) this.#byCluster.delete(cluster);
    else this.#byCluster.set(cluster, steps);
    return !sameJson(before, steps);
  }

  /** Returns the steps by `NAMESPACE/NAME` of the rollout. */
  byRollout(): ReadonlyMap<string, readonly ClusterStep[]> {
    const all = [...this.#byCluster.values()].flatMap((steps) => Object.entries(steps));
    const groups = Map.groupBy(all, ([rollout]) => rollout);
    return new Map([...groups].map(([rollout, own]) => [rollout, own.map(([, step]) => step)]));
  }
}
