import { Agenda } from '../../windows/agenda.js';
import type { StepResult } from '../step/step.js';

/**
 * The clusters of a rollout that the next pass must examine: those with news, and those with a time that has
 * come. It is a hint alone: without it all are examined.
 */
export class DueClusters {
  #isAll = true;
  readonly #news = new Set<string>();
  readonly #wakes = new Map<string, number>();
  readonly #agenda = new Agenda<Readonly<{ cluster: string; at: number }>>();
  #rolloutAt = Number.POSITIVE_INFINITY;

  /** Notes news of one cluster, or of all. */
  note(cluster: string | null): void {
    if (cluster === null) this.#isAll = true;
    else this.#news.add(cluster);
  }

  /** Notes the times at which the clock alone asks for a step. */
  noteWakes({ rowWakes, wakeAt = Number.POSITIVE_INFINITY }: Pick<StepResult, 'rowWakes' | 'wakeAt'>): void {
    this.#rolloutAt = wakeAt;
    for (const [cluster, at] of rowWakes) {
      if (this.#wakes.get(cluster) === at) continue;
      if (at === undefined) this.#wakes.delete(cluster);
      else {
        this.#wakes.set(cluster, at);
        this.#agenda.note(at, { cluster, at });
      }
    }
  }

  /** Returns the next time at which the clock alone asks for a step of a cluster. */
  get nextRowAt(): number {
    const isPast = ({ cluster, at }: Readonly<{ cluster: string; at: number }>) => this.#wakes.get(cluster) !== at;
    return this.#agenda.dropWhile(isPast) ?? Number.POSITIVE_INFINITY;
  }

  /** Returns the next time at which the clock alone asks for a step. */
  get nextAt(): number {
    return Math.min(this.#rolloutAt, this.nextRowAt);
  }

  isDue(now: number): boolean {
    return this.#isAll || this.#news.size > 0 || this.nextAt <= now;
  }

  /** Returns the due clusters, once. */
  take(now: number, all: () => ReadonlySet<string>): ReadonlySet<string> {
    while (this.nextRowAt <= now) {
      const { cluster = '' } = this.#agenda.take() ?? {};
      this.#wakes.delete(cluster);
      this.#news.add(cluster);
    }
    const due = this.#isAll || this.#rolloutAt <= now ? all() : new Set(this.#news);
    this.#isAll = false;
    this.#news.clear();
    return due;
  }
}
