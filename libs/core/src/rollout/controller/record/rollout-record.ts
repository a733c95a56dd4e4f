import type { RolloutSpec, RolloutStatus, RolloutView } from '../step/rollout-state.js';
import { isReturnDue, type RolloutRow } from '../step/row.js';
import { WaveTally } from '../step/tally.js';
import { OrderedQueue } from './ordered-queue.js';
import type { FleetSubject } from './subjects.js';

/** A place in the order as a number: the first 52 bits decide, equal ones are taken as they come. */
const rankOf = (order: string): number => Number.parseInt(order.slice(0, 13), 16);

/** One rollout: its stored state, and counts and queues that follow from its rows. */
export class RolloutRecord implements RolloutView {
  readonly rows = new Map<string, RolloutRow>();
  tallies: readonly WaveTally[];
  /** True until its first write. */
  isNew = true;
  /** True if it was reported before it began: it waited for its turn. */
  hasWaited = false;
  /** Grows with each write, as a resourceVersion does. */
  version = 0;
  attendedUntil = Number.NEGATIVE_INFINITY;
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

  /** Gives the rollout other waves. It has no rows yet. */
  protected restart(spec: RolloutSpec, status: RolloutStatus): void {
    this.spec = spec;
    this.status = status;
    this.tallies = spec.waves.map(() => new WaveTally());
    this.maxInFlight = spec.waves.map(() => 0);
    this.#makeQueues();
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
  }

  get isQueued(): boolean {
    return this.status.phase === 'Planning' && this.status.reason === 'Queued';
  }
}
