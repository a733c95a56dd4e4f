import { type Subject, subjectKey } from '#core/kernel/subject/subject';
import type { Clock } from '#platform/clock/clock.port';
import { ObservationPace } from './observation-pace.js';

type TouchedSubjectsOptions<S extends Subject> = Readonly<{
  clock: Clock;
  /** The pace that all observations of a process share. Default: a separate one. */
  pace?: ObservationPace | undefined;
  /** `sinceMs`: when the first event that it is for came. */
  observe: (subject: S, sinceMs: number) => Promise<void>;
  /** The subject will be observed again without another event. */
  onFailure: (subject: S, error: unknown) => void;
}>;

/** Events come in bursts; a subject is observed once for all events within this time. */
const GATHER_MS = 25;
const AGAIN_MS = 30_000;

/**
 * The subjects of one cluster that must be observed, each once however many events concern it, and not again
 * before it has rested. They are observed one after the other: two observations of the same subject at once
 * could publish the older one last, and no event would correct it.
 */
export class TouchedSubjects<S extends Subject> {
  /** Touched subjects by key. */
  readonly #touched = new Map<string, Readonly<{ subject: S; sinceMs: number }>>();
  /** Keys that are observed now, rest, or gather events. */
  readonly #held = new Set<string>();
  /** Keys that are due, in order. */
  readonly #due = new Set<string>();
  readonly #pace: ObservationPace;
  #busy = false;
  #stopped = false;

  constructor(private readonly options: TouchedSubjectsOptions<S>) {
    this.#pace = options.pace ?? new ObservationPace(options.clock);
  }

  touch(subject: S): void {
    const key = subjectKey(subject);
    const sinceMs = this.#touched.get(key)?.sinceMs ?? this.options.clock.now().getTime();
    this.#touched.set(key, { subject, sinceMs });
    if (!this.#held.has(key) && !this.#due.has(key)) this.#gather(key);
  }

  /** Begins no further observation. */
  stop(): void {
    this.#stopped = true;
  }

  #gather(key: string): void {
    this.#held.add(key);
    this.options.clock.after(GATHER_MS, () => {
      this.#held.delete(key);
      this.#due.add(key);
      void this.#observeDue();
    });
  }

  async #observeDue(): Promise<void> {
    if (this.#busy) return;
    this.#busy = true;
    // The loop also takes keys that become due meanwhile.
    for (const key of this.#due) {
      if (this.#stopped) return;
      this.#due.delete(key);
      await this.#observe(key);
    }
    this.#busy = false;
  }

  async #observe(key: string): Promise<void> {
    const touched = this.#touched.get(key);
    if (touched === undefined) return;
    const { subject, sinceMs } = touched;
    this.#touched.delete(key);
    this.#held.add(key);
    await this.options.observe(subject, sinceMs).catch((error: unknown) => this.#later(subject, error));
    this.#pace.note();
    this.#rest(key, this.#pace.restMs - GATHER_MS);
  }

  /** Events that come meanwhile are gathered afterwards. */
  #rest(key: string, ms: number): void {
    if (ms > 0) this.options.clock.after(ms, () => this.#rest(key, 0));
    else if (this.#touched.has(key)) this.#gather(key);
    else this.#held.delete(key);
  }

  #later(subject: S, error: unknown): void {
    this.options.onFailure(subject, error);
    this.options.clock.after(AGAIN_MS, () => this.touch(subject));
  }
}
