import { isBeingDeleted } from '#core/cluster/membership/cluster-release';
import type { FleetAssignment } from '#core/kernel/api/fleet/fleet-assignment';
import type { FleetCluster } from '#core/kernel/api/fleet/fleet-cluster';
import type { FleetOperator } from '#core/kernel/api/fleet/fleet-operator';
import type { FleetRollout } from '#core/kernel/api/fleet/fleet-rollout';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { sameJson } from '#core/kernel/canonical/same-json';
import type { KnownCluster } from '#core/rollout/controller/facts/fleet-view';
import { HubCluster } from '#core/rollout/controller/facts/hub-cluster';
import { FleetFiles, type FleetSubject } from '#core/rollout/controller/record/subjects';
import { isTargetOf, selectorFailureOn } from '#core/rollout/controller/record/targets';
import { versionsGroup } from '#core/rollout/desired/overrides';
import type { SelectorFailure } from '#core/rollout/placement/select-clusters';
import { unreadableWindow } from '#core/rollout/windows/unreadable-window';
import { type StoredRows, type StoredState, storedRows, storedState } from '../../assignments/stored-rollout.js';
import type { FleetState } from './fleet-state.js';

type Written = Readonly<{ metadata: object }>;

/** True if users have changed nothing of an object. Its status is the hub's. */
function saysTheSame(a: Written, b: Written | undefined): boolean {
  if (a === b) return true;
  const said = ({ metadata }: Written) => {
    const {
      uid,
      generation,
      labels = {},
      deletionTimestamp = null,
    } = metadata as Partial<KubernetesObject['metadata']>;
    return generation === undefined ? undefined : { uid, generation, labels, deletionTimestamp };
  };
  return b !== undefined && said(a) !== undefined && sameJson(said(a), said(b));
}

type SeenCluster = Readonly<{ assignment: FleetAssignment | undefined; cluster: HubCluster }>;

/**
 * Memory of values derived from unchanged objects. A pass over thousands of clusters derives again only the
 * values that depend on the few that have changed. All of it may be lost at any time.
 */
export class LiveMemory {
  readonly #clusters = new WeakMap<FleetCluster, SeenCluster>();
  readonly #rows = new WeakMap<FleetAssignment, StoredRows>();
  readonly #states = new WeakMap<FleetRollout, Readonly<{ state: StoredState | undefined }>>();
  readonly #targets = new WeakMap<KnownCluster, Map<FleetSubject, boolean>>();
  readonly #failures = new WeakMap<
    HubCluster,
    WeakMap<FleetSubject, Readonly<{ found: SelectorFailure | undefined }>>
  >();
  readonly #groups = new WeakMap<KnownCluster, WeakMap<FleetOperator, Readonly<{ group: number | undefined }>>>();
  #files: Readonly<{ from: readonly Written[]; files: FleetFiles }> | undefined;

  /** Returns the same object as before if neither the cluster nor its assignment has changed. */
  clusterOf(object: FleetCluster, assignment: FleetAssignment | undefined, now: number): HubCluster {
    const seen = this.#clusters.get(object);
    if (seen !== undefined && seen.assignment === assignment) return seen.cluster;
    const cluster = new HubCluster(object, assignment, now, seen?.cluster);
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

  /** Returns the same object as before if users have changed nothing. */
  filesOf({ catalogs, strategies, operators, windows, unreadable }: FleetState): FleetFiles {
    const unreadableWindows = unreadable.filter(({ kind }) => kind === 'FleetWindow');
    // An object that is being deleted is rolled out no more.
    const readable = [
      ...catalogs,
      ...strategies,
      ...operators.filter(({ metadata }) => !isBeingDeleted(metadata)),
      ...windows,
    ];
    const from: readonly Written[] = [...readable, ...unreadableWindows.map(({ object }) => object)];
    const before = this.#files;
    const isSame =
      before?.from.length === from.length && from.every((object, at) => saysTheSame(object, before.from[at]));
    if (before !== undefined && isSame) return before.files;
    const files = new FleetFiles(readable, unreadableWindows.map(unreadableWindow));
    this.#files = { from, files };
    return files;
  }

  groupOf(operator: FleetOperator, cluster: KnownCluster): number | undefined {
    const known = this.#groups.get(cluster) ?? new WeakMap<FleetOperator, Readonly<{ group: number | undefined }>>();
    this.#groups.set(cluster, known);
    const found = known.get(operator) ?? { group: versionsGroup(operator, cluster) };
    known.set(operator, found);
    return found.group;
  }

  /** Returns the runtime error for which an expression does not select a cluster. */
  selectorFailure(subject: FleetSubject, cluster: HubCluster): SelectorFailure | undefined {
    const known = this.#failures.get(cluster) ?? new WeakMap();
    this.#failures.set(cluster, known);
    const { found } = known.get(subject) ?? { found: selectorFailureOn(subject, cluster) };
    known.set(subject, { found });
    return found;
  }

  isTarget(subject: FleetSubject, cluster: KnownCluster): boolean {
    const known = this.#targets.get(cluster) ?? new Map<FleetSubject, boolean>();
    this.#targets.set(cluster, known);
    const found = known.get(subject) ?? isTargetOf(subject, cluster);
    known.set(subject, found);
    return found;
  }
}
