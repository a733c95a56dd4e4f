import { DueClusters } from '../controller/record/due-clusters.js';
import { RolloutRecord } from '../controller/record/rollout-record.js';
import { readRows, type StoredRow } from '../controller/record/stored-rows.js';
import type { Decision, DecisionEffects } from '../controller/step/decisions.js';
import type { RolloutSpec, RolloutStatus } from '../controller/step/rollout-state.js';

/** A decision without an outcome. */
export type OpenDecision = {
  readonly decision: Decision;
  /** A part of its rows is written. */
  hasBegun: boolean;
  /** Its effects, once the rollout has them. */
  effects: DecisionEffects | undefined;
};

/** The rollout in the hub API. `intent`: the rows that follow it. `isNew`: it is not there yet. */
type StoredState = Readonly<{
  step: number;
  at: number;
  status: RolloutStatus;
  intent: readonly StoredRow[];
  isNew: boolean;
}>;

/** A rollout of the simulation: also the objects of the hub that belong to it. */
export class VirtualRollout extends RolloutRecord {
  due = new DueClusters();
  decisions: readonly OpenDecision[] = [];
  /** The rows in the assignments of clusters. */
  readonly stored = new Map<string, StoredRow>();
  /** Clusters with announced rows that are not stored. */
  unordered: readonly string[] = [];
  #state: StoredState = { step: 0, at: 0, status: this.status, intent: [], isNew: true };
  /** Clusters that a decision skips: it is an object of its own, and outlives the rows. */
  readonly skipped = new Set<string>();
  /** Clusters that were chosen to go back so far, as of the step that is being written. */
  chosen = 0;
  starts = 0;
  returns = 0;

  /** Restarts with waves: a rollout that waited for its turn has none before. */
  begin(spec: RolloutSpec, status: RolloutStatus): void {
    this.restart(spec, status);
    this.version++;
    this.hasWaited = !this.isNew;
    this.isNew = true;
    this.due.note(null);
    this.save({ ...this.#state, status, isNew: true });
  }

  save(state: StoredState): void {
    this.#state = state;
  }

  /** Reads everything again from the hub API, as a controller does that has just started. */
  restore(now: number): void {
    const { step, at, status, intent, isNew } = this.#state;
    this.rows.clear();
    Object.assign(this, { version: step, status, isNew, attendedUntil: Number.NEGATIVE_INFINITY });
    this.unordered = readRows(this, this.stored, intent, now - at);
    this.recount();
  }

  /** Forgets the rows: their assignments were deleted. */
  loseRows(now: number): void {
    const { version, attendedUntil } = this;
    this.stored.clear();
    this.save({ ...this.#state, intent: [], step: version + 1 });
    this.restore(now);
    this.attendedUntil = attendedUntil;
  }

  override recount(): void {
    super.recount();
    this.due = new DueClusters();
  }

  /** True if it was written after this time: the hub API refuses what follows from an older view. */
  isWrittenAfter(time: number): boolean {
    return this.#state.at > time;
  }
}
