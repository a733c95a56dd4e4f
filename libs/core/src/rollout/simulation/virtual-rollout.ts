import { byCodeUnit } from '../../kernel/canonical/canonical-json.js';
import { RolloutRecord } from '../controller/record/rollout-record.js';
import type { RowChange } from '../controller/record/row-change.js';
import type { Decision } from '../controller/step/decisions.js';
import type { RolloutSpec, RolloutStatus, RolloutView } from '../controller/step/rollout-state.js';
import { isReturnDue, type RolloutRow } from '../controller/step/row.js';
import type { Order } from '../controller/step/starts.js';
import type { WaveTally } from '../controller/step/tally.js';

/** The changes of a step, and the state before it. */
type PastStep = Readonly<{
  at: number;
  version: number;
  status: RolloutStatus;
  tallies: readonly WaveTally[];
  rows: readonly (readonly [string, RolloutRow | undefined])[];
}>;

/** An order, and the time of the step that gives it. */
type GivenOrder = Order & Readonly<{ at: number }>;

/** A rollout of the simulation: also the objects of the hub that belong to it, and its past. */
export class VirtualRollout extends RolloutRecord {
  readonly dirty = new Set<string>();
  isAllDirty = true;
  readonly decisions: Decision[] = [];
  /** Orders in the rollout's status that are not yet in the rows of the clusters. */
  intent: readonly GivenOrder[] = [];
  readonly #past: PastStep[] = [];
  /** Longest age of a requested view, in milliseconds. */
  keepsFor: number | undefined;
  /** Clusters that a decision skips: it is an object of its own, and outlives the rows. */
  readonly skipped = new Set<string>();
  readonly rowWakes = new Map<string, number>();
  wakeAt: number | undefined;
  /** Clusters that were chosen to go back so far, as of the step that is being written. */
  chosen = 0;
  starts = 0;
  returns = 0;

  /** Restarts with waves: a rollout that waited for its turn has none before. */
  begin(spec: RolloutSpec, status: RolloutStatus): void {
    this.restart(spec, status);
    this.version++;
    this.#past.length = 0;
    this.hasWaited = !this.isNew;
    this.isNew = true;
    this.isAllDirty = true;
  }

  override recount(): void {
    super.recount();
    this.isAllDirty = true;
  }

  /** Notes a step before it is stored, as long as views of before may be asked for. */
  keep(now: number, changes: readonly RowChange[]): void {
    this.version++;
    if (this.keepsFor === undefined) return;
    const oldest = now - this.keepsFor;
    while ((this.#past[0]?.at ?? now) < oldest) this.#past.shift();
    const { version, status, tallies } = this;
    const rows = changes.map(({ before, after }) => [after.cluster, before] as const);
    this.#past.push({ at: now, version: version - 1, status, tallies, rows });
  }

  /** The rollout as it was at a time, with its version then. */
  viewAt(time: number): Readonly<{ view: RolloutView; version: number }> {
    const rows = new Map(this.rows);
    let { status, tallies, version } = this;
    for (const step of this.#past.toReversed()) {
      if (step.at <= time) break;
      ({ status, tallies, version } = step);
      for (const [cluster, row] of step.rows) {
        if (row === undefined) rows.delete(cluster);
        else rows.set(cluster, row);
      }
    }
    const inOrder = (accepts: (row: RolloutRow) => boolean): string[] =>
      [...rows.values()]
        .filter(accepts)
        .sort((a, b) => a.wave - b.wave || byCodeUnit(a.order, b.order))
        .map(({ cluster }) => cluster);
    const forBudget = (wave: number): string[] =>
      inOrder((row) => row.wave === wave && row.phase === 'Waiting' && row.reason === 'Budget');
    return {
      version,
      view: {
        ...{ spec: this.spec, status, rows, tallies, attendedUntil: this.attendedUntil },
        ...{ forBudget, forReturn: () => inOrder(isReturnDue) },
      },
    };
  }
}
