import type { Clock } from '#platform/clock/clock.port';
import type { Timers } from '#platform/clock/timers';

/**
 * Time at which a pass over a subject is due. `now`: at once. `soon`: within a second, because passes
 * themselves make such changes and would find nothing to do. `for-news`: only if the observation brings
 * something new.
 */
export type Urgency = 'now' | 'soon' | 'for-news';

/** The urgency taken for one observation. `dueMs`: the time at which a pass is due that was owed before. */
export type TakenUrgency = Readonly<{ urgency: Urgency; dueMs?: number | undefined }>;

/** A pass that is due soon begins no later than this after the change that asks for it. */
const SOON_MS = 1_000;

type PassUrgencyOptions = Readonly<{
  clock: Pick<Clock, 'now'>;
  timers: Timers;
  /** A pass that was owed is due. */
  onDue: (subject: string) => void;
}>;

/** The urgency of the next pass over each subject that must be observed, and the passes that are owed. */
export class PassUrgency {
  readonly #noted = new Map<string, Urgency>();
  readonly #dueMs = new Map<string, number>();

  constructor(private readonly options: PassUrgencyOptions) {}

  /** Notes an urgency; of several for one subject, the most urgent counts. */
  note(subject: string, urgency: Urgency): void {
    const known = this.#noted.get(subject);
    const isLess = urgency === 'for-news' || (urgency === 'soon' && known === 'now');
    if (known === undefined || !isLess) this.#noted.set(subject, urgency);
  }

  /** The subject gets a pass within a second, unless one is enqueued before. */
  owe(subject: string, dueMs = this.#now() + SOON_MS): void {
    if ((this.#dueMs.get(subject) ?? Infinity) <= dueMs) return;
    this.#dueMs.set(subject, dueMs);
    const { timers, onDue } = this.options;
    timers.after(Math.max(0, dueMs - this.#now()), () => {
      if (this.#dueMs.get(subject) !== dueMs) return;
      this.#dueMs.delete(subject);
      onDue(subject);
    });
  }

  /** Takes the noted urgency and forgets it: later notes belong to another observation. */
  take(subject: string): TakenUrgency {
    const taken = { urgency: this.#noted.get(subject) ?? 'for-news', dueMs: this.#dueMs.get(subject) } as const;
    this.#noted.delete(subject);
    this.#dueMs.delete(subject);
    return taken;
  }

  /** The subject was observed, and a pass over it enqueued or not. */
  settle(subject: string, { urgency, dueMs = Infinity }: TakenUrgency, enqueued: boolean): void {
    if (enqueued) return;
    const soonMs = urgency === 'for-news' ? Infinity : this.#now() + SOON_MS;
    if (Math.min(dueMs, soonMs) < Infinity) this.owe(subject, Math.min(dueMs, soonMs));
  }

  /** The observation failed: the next one, whenever it comes, is as urgent. */
  putBack(subject: string, { urgency, dueMs }: TakenUrgency): void {
    this.note(subject, urgency === 'for-news' && dueMs !== undefined ? 'soon' : urgency);
  }

  #now(): number {
    return this.options.clock.now().getTime();
  }
}
