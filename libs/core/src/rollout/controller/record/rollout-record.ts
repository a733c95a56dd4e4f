import { byCodeUnit } from '../../../kernel/canonical/canonical-json.js';
import type { Decision } from '../step/decisions.js';
import type { RolloutSpec, RolloutStatus, RolloutView } from '../step/rollout-state.js';
import { isReturnDue, type RolloutRow } from '../step/row.js';
import type { Order } from '../step/starts.js';
import { WaveTally } from '../step/tally.js';
import { OrderedQueue } from './ordered-queue.js';
import type { RowChange } from './row-change.js';
import type { FleetSubject } from './subjects.js';

/** A place in the order as a number: the first 52 bits decide, equal ones are taken as they come. */
const rankOf = (order: string): number => Number.parseInt(order.slice(0, 13), 16);

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

/** One rollout of the simulation: its stored state, and the controller's memory of it. */
export class RolloutRecord implements RolloutView {
  readonly rows = new Map<string, RolloutRow>();
  tallies: readonly WaveTally[];
  /** True until its first write. */
  isNew = true;
  /** True if it was reported before it began: it waited for its turn. */
  hasWaited = false;
  readonly dirty = new Set<string>();
  isAllDirty = true;
  readonly decisions: Decision[] = [];
  /** Orders in the rollout's status that are not yet in the rows of the clusters. */
  intent: readonly GivenOrder[] = [];
  /** Grows with each write, as a resourceVersion does. */
  version = 0;
  readonly #past: PastStep[] = [];
  /** Longest age of a requested view, in milliseconds. */
  keepsFor: number | undefined;
  /** Clusters that a decision skips: it is an object of its own, and outlives the rows. */
  readonly skipped = new Set<string>();
  readonly rowWakes = new Map<string, number>();
  wakeAt: number | undefined;
  attendedUntil = Number.NEGATIVE_INFINITY;
  /** Clusters that were chosen to go back so far, as of the step that is being written. */
  chosen = 0;
  starts = 0;
  returns = 0;
  maxInFlight: number[];
  #budget: OrderedQueue[] = [];
  #returns: OrderedQueue;

  constructor(
    public spec: RolloutSpec,
    public status: RolloutStatus,
    public subject: FleetSubject,
    /** Returns the bundle that a cluster had before this rollout. */
    readonly previousOf: (cluster: string) => string | null,
  ) {
    this.tallies = spec.waves.map(() => new WaveTally());
    this.maxInFlight = spec.waves.map(() => 0);
    this.#returns = this.#returnQueue();
    this.#makeQueues();
  }

  #returnQueue(): OrderedQueue {
    return new OrderedQueue((cluster) => {
      const row = this.rows.get(cluster);
      return row !== undefined && isReturnDue(row);
    });
  }

  #makeQueues(): void {
    this.#budget = this.spec.waves.map(
      (_, wave) =>
        new OrderedQueue((cluster) => {
          const row = this.rows.get(cluster);
          return row?.phase === 'Waiting' && row.reason === 'Budget' && row.wave === wave;
        }),
    );
  }

  /** Restarts with waves: a rollout that waited for its turn has none before. */
  begin(spec: RolloutSpec, status: RolloutStatus): void {
    this.spec = spec;
    this.status = status;
    this.version++;
    this.#past.length = 0;
    this.tallies = spec.waves.map(() => new WaveTally());
    this.maxInFlight = spec.waves.map(() => 0);
    this.#makeQueues();
    this.hasWaited = !this.isNew;
    this.isNew = true;
    this.isAllDirty = true;
  }

  forBudget(wave: number): Iterable<string> {
    return this.#budget[wave]?.inOrder() ?? [];
  }

  forReturn(): Iterable<string> {
    return this.#returns.inOrder();
  }

  /** Stores a row; one that is removed is forgotten. */
  store(row: RolloutRow): void {
    if (row.phase === 'Removed') {
      this.rows.delete(row.cluster);
      return;
    }
    this.rows.set(row.cluster, row);
    if (row.phase === 'Waiting' && row.reason === 'Budget') this.#budget[row.wave]?.add(rankOf(row.order), row.cluster);
    if (isReturnDue(row)) this.#returns.add(row.wave * 2 ** 52 + rankOf(row.order), row.cluster);
  }

  /** Counts all rows again, as a controller does that has just started. */
  recount(): void {
    this.tallies = this.spec.waves.map(() => new WaveTally());
    this.#makeQueues();
    this.#returns = this.#returnQueue();
    for (const row of this.rows.values()) {
      this.tallies[row.wave]?.add(row, 1);
      this.store(row);
    }
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

  get isQueued(): boolean {
    return this.status.phase === 'Planning' && this.status.reason === 'Queued';
  }
}
