import type { Timers } from '#platform/clock/timers';

/**
 * When a pass over a subject is due: at once, or within a second, because passes themselves make such changes
 * and would find nothing to do; or only if the observation brings something new.
 */
export type Urgency = 'now' | 'soon' | 'for-news';

/** A pass that is due soon begins no later than this after the change that asks for it. */
const SOON_MS = 1_000;

/** The urgency of the next pass over each subject that is to be observed, and the passes that are owed. */
export class PassUrgency {
  readonly #noted = new Map<string, Urgency>();
  readonly #owed = new Set<string>();

  constructor(
    private readonly timers: Timers,
    /** A pass that was owed is due. */
    private readonly onDue: (subject: string) => void,
  ) {}

  /** Of several the most urgent counts. */
  note(subject: string, urgency: Urgency): void {
    const known = this.#noted.get(subject);
    const isLess = urgency === 'for-news' || (urgency === 'soon' && known === 'now');
    if (known === undefined || !isLess) this.#noted.set(subject, urgency);
  }

  /** What was noted is forgotten here. */
  take(subject: string): Urgency {
    const noted = this.#noted.get(subject) ?? 'for-news';
    this.#noted.delete(subject);
    return noted;
  }

  /** The subject was observed, and a pass over it enqueued or not. */
  settle(subject: string, urgency: Urgency, enqueued: boolean): void {
    if (enqueued) this.#owed.delete(subject);
    else if (urgency !== 'for-news' && !this.#owed.has(subject)) {
      this.#owed.add(subject);
      this.timers.after(SOON_MS, () => {
        if (this.#owed.delete(subject)) this.onDue(subject);
      });
    }
  }
}
