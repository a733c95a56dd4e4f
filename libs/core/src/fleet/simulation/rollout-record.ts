import type { Decision } from '../rollout/decisions.js';
import type { RolloutSpec, RolloutStatus, RolloutView } from '../rollout/rollout-state.js';
import { isReturnDue, type RolloutRow } from '../rollout/row.js';
import { WaveTally } from '../rollout/tally.js';
import type { WindowRules } from '../windows/window-rules.js';
import { OrderedQueue } from './ordered-queue.js';
import type { FleetSubject } from './subjects.js';

/** A place in the order as a number: the first 52 bits decide, equal ones are taken as they come. */
const rankOf = (order: string): number => Number.parseInt(order.slice(0, 13), 16);

/** One roll-out of the simulation: what is stored of it, and what the controller holds in its memory. */
export class RolloutRecord implements RolloutView {
  readonly rows = new Map<string, RolloutRow>();
  tallies: readonly WaveTally[];
  /** Nothing of it was written yet. */
  isNew = true;
  readonly dirty = new Set<string>();
  isAllDirty = true;
  readonly decisions: Decision[] = [];
  readonly rowWakes = new Map<string, number>();
  wakeAt: number | undefined;
  readonly matching = new Map<string, readonly WindowRules[]>();
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
    /** What a cluster had before this roll-out. */
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

  /** Begins anew with waves: a roll-out that waited for its turn has none before. */
  begin(spec: RolloutSpec, status: RolloutStatus): void {
    this.spec = spec;
    this.status = status;
    this.tallies = spec.waves.map(() => new WaveTally());
    this.maxInFlight = spec.waves.map(() => 0);
    this.#makeQueues();
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

  get isQueued(): boolean {
    return this.status.phase === 'Planning' && this.status.reason === 'Queued';
  }
}
