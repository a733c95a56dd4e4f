import type { FleetRollout } from '#core/kernel/api/fleet/fleet-rollout';
import { sameJson } from '#core/kernel/canonical/same-json';
import type { GateProgress } from '#core/rollout/controller/step/gate-progress';
import { isChanged } from '#core/rollout/controller/step/row';
import type { ShownGateAnswer } from '#core/view/rows/rollout-gate';
import { type StoredRows, storedState } from '../assignments/stored-rollout.js';

type RowState = Readonly<{ wave: number; isChanged: boolean; gates: Readonly<Record<string, GateProgress>> }>;
type StatesThere = Readonly<Record<string, RowState>>;

/**
 * Facts of rollouts that their statuses do not have: the answers of gates, and the number of changed
 * clusters. The fleet controller keeps both in annotations of FleetAssignments and FleetRollouts
 * (decision 0537).
 */
export class RowStates {
  readonly #byCluster = new Map<string, StatesThere>();

  /** Notes the rows of a cluster's assignment. Returns true if a gate or the cluster has another state. */
  note(cluster: string, rows: StoredRows): boolean {
    const there: Record<string, RowState> = {};
    for (const [rollout, { row }] of Object.entries(rows)) {
      const { gates = {}, wave } = row;
      const state = { wave, isChanged: isChanged(row), gates };
      if (state.isChanged || Object.keys(gates).length > 0) there[rollout] = state;
    }
    const before = this.#byCluster.get(cluster) ?? {};
    if (Object.keys(there).length === 0) this.#byCluster.delete(cluster);
    else this.#byCluster.set(cluster, there);
    return !sameJson(statesOf(before), statesOf(there));
  }

  /** Returns the number of clusters that each rollout has changed, or may have, by `NAMESPACE/NAME`. */
  changedBy(): ReadonlyMap<string, number> {
    const counts = new Map<string, number>();
    for (const there of this.#byCluster.values())
      for (const [rollout, state] of Object.entries(there))
        if (state.isChanged) counts.set(rollout, (counts.get(rollout) ?? 0) + 1);
    return counts;
  }

  /** Returns the answers of the gates of a rollout, by wave and gate. */
  gatesOf(rollout: FleetRollout): (wave: string, gate: string) => readonly ShownGateAnswer[] {
    const { metadata, spec } = rollout;
    const waves = [...spec.strategy.waves.map(({ name }) => name), 'rest'];
    const id = `${metadata.namespace}/${metadata.name}`;
    // The state is long: it is read only if there is a gate.
    let states: NonNullable<ReturnType<typeof storedState>>['status']['waves'] | undefined;
    return (wave, gate) => {
      const at = waves.indexOf(wave);
      states ??= storedState(rollout)?.status.waves ?? [];
      const own = states[at]?.gates?.[gate];
      const inClusters = [...this.#byCluster].flatMap(([cluster, there]): ShownGateAnswer[] => {
        const known = there[id];
        const progress = known?.wave === at ? known.gates[gate] : undefined;
        return progress === undefined ? [] : [{ cluster, progress }];
      });
      return own === undefined ? inClusters : [{ cluster: '', progress: own }, ...inClusters];
    };
  }
}

/** The states without the times of questions. */
const statesOf = (there: StatesThere): unknown =>
  Object.entries(there).map(([rollout, { wave, isChanged: changed, gates }]) => [
    ...[rollout, wave, changed],
    Object.entries(gates).map(([name, { state }]) => [name, state]),
  ]);
