import type { RolloutFacts } from './facts.js';
import type { RolloutStatus, RolloutView, WaveStatus } from './rollout-state.js';
import type { RolloutRow } from './row.js';
import { sumOf, type WaveTally } from './tally.js';

/**
 * The draft of a rollout during a step. Changed rows cover those of the view, and the view stays unchanged.
 */
export class Draft {
  readonly #changed = new Map<string, RolloutRow>();
  /** Clusters with a phase that is fixed for this step. */
  readonly settled = new Set<string>();
  readonly tallies: readonly WaveTally[];
  status: RolloutStatus;

  constructor(
    readonly view: RolloutView,
    readonly facts: RolloutFacts,
    readonly now: number,
  ) {
    this.tallies = view.tallies.map((tally) => tally.copy());
    this.status = view.status;
  }

  get spec() {
    return this.view.spec;
  }

  row(cluster: string): RolloutRow | undefined {
    return this.#changed.get(cluster) ?? this.view.rows.get(cluster);
  }

  /** Yields every row in its current state. Use it only for rare events. */
  *allRows(): Iterable<RolloutRow> {
    for (const [cluster, row] of this.view.rows) yield this.#changed.get(cluster) ?? row;
    for (const [cluster, row] of this.#changed) if (!this.view.rows.has(cluster)) yield row;
  }

  put(row: RolloutRow): void {
    const before = this.row(row.cluster);
    if (before === row) return;
    if (before !== undefined) {
      this.tallies[before.wave]?.add(before, -1);
      this.#keepSuccess(before, row);
    }
    this.tallies[row.wave]?.add(row, 1);
    this.#changed.set(row.cluster, row);
  }

  /** Keeps the clock of a soak when a cluster that had succeeded leaves, also after a crash. */
  #keepSuccess({ wave: index, doneAt }: RolloutRow, after: RolloutRow): void {
    if (doneAt === undefined || (after.doneAt === doneAt && after.phase !== 'Removed')) return;
    const { phase, lastSuccessAt = doneAt } = this.wave(index);
    const mayCount = phase === 'Open' || phase === 'Soaking';
    if (mayCount) this.setWave(index, { lastSuccessAt: Math.max(lastSuccessAt, doneAt) });
  }

  /** Changes a row once in this step. */
  move(row: RolloutRow): void {
    this.put(row);
    this.settled.add(row.cluster);
  }

  get changedRows(): ReadonlyMap<string, RolloutRow> {
    return this.#changed;
  }

  tally(wave: number): WaveTally {
    const tally = this.tallies[wave];
    if (tally === undefined) throw new RangeError(`rollout ${this.spec.name} has no wave ${wave}`);
    return tally;
  }

  get sum(): WaveTally {
    return sumOf(this.tallies);
  }

  wave(index: number): WaveStatus {
    const wave = this.status.waves[index];
    if (wave === undefined) throw new RangeError(`rollout ${this.spec.name} has no wave ${index}`);
    return wave;
  }

  /**
   * Changes a wave. A change without an effect keeps the same status, so that a step without new facts
   * changes nothing.
   */
  setWave(index: number, change: Partial<WaveStatus>): void {
    if (isPart(change, this.wave(index))) return;
    const waves = this.status.waves.map((wave, at) => (at === index ? { ...wave, ...change } : wave));
    this.status = { ...this.status, waves };
  }

  setStatus(change: Partial<RolloutStatus>): void {
    if (!isPart(change, this.status)) this.status = { ...this.status, ...change };
  }

  rules(wave: number) {
    const rules = this.spec.waves[wave];
    if (rules === undefined) throw new RangeError(`rollout ${this.spec.name} has no wave ${wave}`);
    return rules.spec;
  }
}

const isPart = <T extends object>(part: Partial<T>, whole: T): boolean =>
  Object.entries(part).every(([key, value]) => whole[key as keyof T] === value);
