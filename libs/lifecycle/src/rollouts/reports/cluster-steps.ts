import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { sameJson } from '#core/kernel/canonical/same-json';
import { type ClusterStep, stepOf } from '#core/view/rows/rollout-path';
import { storedRows } from '../assignments/stored-rollout.js';

type StepsThere = Readonly<Record<string, ClusterStep>>;

/**
 * At which step of its path each cluster is, by roll-out, as the rows say that the fleet controller keeps in
 * FleetAssignments. Of clusters that are not on their way nothing is kept.
 */
export class ClusterSteps {
  readonly #byCluster = new Map<string, StepsThere>();

  /** Takes what is kept for a cluster by now; true where it is at another step than before. */
  note(cluster: string, assignment: KubernetesObject | undefined): boolean {
    const rows = assignment === undefined ? {} : storedRows(assignment);
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

  /** By `NAMESPACE/NAME` of the roll-out. */
  byRollout(): ReadonlyMap<string, readonly ClusterStep[]> {
    const all = [...this.#byCluster.values()].flatMap((steps) => Object.entries(steps));
    const groups = Map.groupBy(all, ([rollout]) => rollout);
    return new Map([...groups].map(([rollout, own]) => [rollout, own.map(([, step]) => step)]));
  }
}
