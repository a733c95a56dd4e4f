import { type Subject, subjectKey } from '#core/kernel/subject/subject';
import type { Clock } from '#platform/clock/clock.port';

export type TouchedSubjectsOptions<S extends Subject> = Readonly<{
  clock: Clock;
  observe: (subject: S) => Promise<void>;
  /** The subject will be observed again without another event. */
  onFailure: (subject: S, error: unknown) => void;
}>;

/** Events come in bursts; a subject is observed once for all events within this time. */
const GATHER_MS = 25;
const AGAIN_MS = 30_000;

/**
 * The subjects of one cluster that must be observed, each once however many events concern it. They are
 * observed one after the other: two observations of the same subject at once could publish the older one
 * last, and no event would correct it.
 */
export class TouchedSubjects<S extends Subject> {
  readonly #touched = new Map<string, S>();
  #busy = false;
  #stopped = false;

  constructor(private readonly options: TouchedSubjectsOptions<S>) {}

  touch(subject: S): void {
    this.#touched.set(subjectKey(subject), subject);
    if (!this.#busy) this.#gather();
  }

  /** Begins no further observation. */
  stop(): void {
    this.#stopped = true;
  }

  #gather(): void {
    this.#busy = true;
    this.options.clock.after(GATHER_MS, () => void this.#observeAll());
  }

  async #observeAll(): Promise<void> {
    const subjects = [...this.#touched.values()];
    this.#touched.clear();
    for (const subject of subjects) {
      if (this.#stopped) return;
      await this.options.observe(subject).catch((error: unknown) => this.#later(subject, error));
    }
    this.#busy = false;
    if (this.#touched.size > 0) this.#gather();
  }

  #later(subject: S, error: unknown): void {
    this.options.onFailure(subject, error);
    this.options.clock.after(AGAIN_MS, () => this.touch(subject));
  }
}
