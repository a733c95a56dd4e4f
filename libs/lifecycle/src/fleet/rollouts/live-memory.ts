import { versionsGroup } from '#core/fleet/desired/overrides';
import { isTargetOf } from '#core/fleet/simulation/rollout-facts';
import { FleetFiles, type FleetSubject } from '#core/fleet/simulation/subjects';
import type { FleetAssignment } from '#core/kernel/api/fleet/fleet-assignment';
import type { FleetCluster } from '#core/kernel/api/fleet/fleet-cluster';
import type { FleetOperator } from '#core/kernel/api/fleet/fleet-operator';
import type { FleetRollout } from '#core/kernel/api/fleet/fleet-rollout';
import type { FleetState } from './fleet-state.js';
import { LiveCluster } from './live-cluster.js';
import { type StoredRows, type StoredState, storedRows, storedState } from './stored-rollout.js';

const isBeingDeleted = ({ metadata }: Readonly<{ metadata: object }>): boolean => 'deletionTimestamp' in metadata;

type SeenCluster = Readonly<{ assignment: FleetAssignment | undefined; cluster: LiveCluster }>;

/**
 * What was derived from objects that have not changed: a pass over thousands of clusters derives anew what
 * follows from the few that have. All of it may be lost at any time.
 */
export class LiveMemory {
  readonly #clusters = new WeakMap<FleetCluster, SeenCluster>();
  readonly #rows = new WeakMap<FleetAssignment, StoredRows>();
  readonly #states = new WeakMap<FleetRollout, Readonly<{ state: StoredState | undefined }>>();
  readonly #targets = new WeakMap<LiveCluster, Map<FleetSubject, boolean>>();
  readonly #groups = new WeakMap<LiveCluster, Map<FleetOperator, number | undefined>>();
  #files: Readonly<{ from: readonly object[]; files: FleetFiles }> | undefined;

  /** The same object as before where neither the cluster nor its assignment has changed. */
  clusterOf(object: FleetCluster, assignment: FleetAssignment | undefined, now: number): LiveCluster {
    const seen = this.#clusters.get(object);
    if (seen !== undefined && seen.assignment === assignment) return seen.cluster;
    const cluster = new LiveCluster(object, assignment, now, seen?.cluster);
    this.#clusters.set(object, { assignment, cluster });
    return cluster;
  }

  rowsOf(assignment: FleetAssignment): StoredRows {
    const known = this.#rows.get(assignment) ?? storedRows(assignment);
    this.#rows.set(assignment, known);
    return known;
  }

  stateOf(rollout: FleetRollout): StoredState | undefined {
    const known = this.#states.get(rollout) ?? { state: storedState(rollout) };
    this.#states.set(rollout, known);
    return known.state;
  }

  /** The same object as before where people have changed nothing. */
  filesOf({ catalogs, strategies, operators, windows }: FleetState): FleetFiles {
    // What is being deleted is rolled out no more.
    const from = [...catalogs, ...strategies, ...operators.filter((one) => !isBeingDeleted(one)), ...windows];
    const before = this.#files;
    const isSame = before?.from.length === from.length && from.every((object, at) => object === before.from[at]);
    if (before !== undefined && isSame) return before.files;
    const files = new FleetFiles(from);
    this.#files = { from, files };
    return files;
  }

  groupOf(operator: FleetOperator, cluster: LiveCluster): number | undefined {
    const known = this.#groups.get(cluster) ?? new Map<FleetOperator, number | undefined>();
    this.#groups.set(cluster, known);
    if (!known.has(operator)) known.set(operator, versionsGroup(operator, cluster));
    return known.get(operator);
  }

  isTarget(subject: FleetSubject, cluster: LiveCluster): boolean {
    const known = this.#targets.get(cluster) ?? new Map<FleetSubject, boolean>();
    this.#targets.set(cluster, known);
    const found = known.get(subject) ?? isTargetOf(subject, cluster);
    known.set(subject, found);
    return found;
  }
}
