import type { FleetEvent } from '../controller/record/event-log.js';
import { isFinal, type RolloutPhase, type RowPhase } from '../controller/step/phases.js';

/** A row as the event log alone shows it. */
export type LoggedRow = {
  wave: string;
  phase: RowPhase;
  reason: string;
  class: string | null;
  attempt: number;
  isFailure: boolean;
};

type LoggedWave = {
  phase: string;
  reason: string;
  openedAt: number | undefined;
  lastSuccessAt: number | undefined;
};

/** A rollout as the event log alone shows it. */
export class LoggedRollout {
  phase = '';
  reason = '';
  subject = '';
  readonly rows = new Map<string, LoggedRow>();
  readonly waves = new Map<string, LoggedWave>();
  readonly classes = new Map<string, string>();
  /** Clusters in each phase, by wave. */
  readonly #counts = new Map<string, Map<string, number>>();
  readonly #failures = new Map<string, number>();

  /** Neither final nor waiting for its turn. */
  get isActive(): boolean {
    return this.phase !== '' && this.reason !== 'Queued' && !isFinal(this.phase as RolloutPhase);
  }

  get isStanding(): boolean {
    return this.phase === 'Completed';
  }

  count(wave: string, phase: string): number {
    return this.#counts.get(wave)?.get(phase) ?? 0;
  }

  failures(wave: string): number {
    return this.#failures.get(wave) ?? 0;
  }

  total(phase: string): number {
    return [...this.waves.keys()].reduce((sum, wave) => sum + this.count(wave, phase), 0);
  }

  members(wave: string): number {
    return [...(this.#counts.get(wave)?.values() ?? [])].reduce((sum, count) => sum + count, 0);
  }

  #add(row: LoggedRow, sign: 1 | -1): void {
    const counts = this.#counts.get(row.wave) ?? new Map<string, number>();
    counts.set(row.phase, (counts.get(row.phase) ?? 0) + sign);
    this.#counts.set(row.wave, counts);
    if (row.isFailure) this.#failures.set(row.wave, this.failures(row.wave) + sign);
  }

  move(cluster: string, row: LoggedRow): void {
    const before = this.rows.get(cluster);
    if (before !== undefined) this.#add(before, -1);
    if (row.phase === 'Removed') this.rows.delete(cluster);
    else {
      this.rows.set(cluster, row);
      this.#add(row, 1);
    }
  }

  /** Forgets the rows: they are rebuilt from their clusters. */
  forgetRows(): void {
    this.rows.clear();
    this.#counts.clear();
    this.#failures.clear();
  }

  /** A Resume forgives every failure so far. */
  forgive(): void {
    for (const [cluster, row] of this.rows) if (row.isFailure) this.move(cluster, { ...row, isFailure: false });
  }
}

/** True if a row counts as a failure after an event: it failed, or rolls back because it failed. */
export function isFailureAfter(before: LoggedRow | undefined, { phase, reason }: FleetEvent): boolean {
  if (phase === 'Failed') return true;
  if (phase === 'RollingBack') return before?.isFailure === true && reason !== 'Decision';
  return phase === 'RolledBack' && before?.isFailure === true;
}
