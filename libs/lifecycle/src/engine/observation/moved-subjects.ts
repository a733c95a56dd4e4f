import { type Subject, subjectKey } from '#core/kernel/subject/subject';
import type { Clock } from '#platform/clock/clock.port';
import type { JobQueue } from '#platform/queue/job-queue.port';
import type { SubjectJob } from '#platform/queue/jobs';
import type { Log } from '#platform/telemetry/log.port';

const AGAIN_MS = 30_000;

/**
 * Enqueues a pass over each subject that moved, and retries if the queue refuses it. Otherwise only the next
 * resync, hours later, would report the change.
 */
export class MovedSubjects {
  readonly #waiting = new Set<string>();

  constructor(
    private readonly options: Readonly<{ queue: Pick<JobQueue<SubjectJob>, 'add'>; clock: Clock; log: Log }>,
  ) {}

  enqueue(subject: Subject): void {
    this.options.queue.add({ v: 1, ...subject }).catch((error: unknown) => this.#later(subject, error));
  }

  #later(subject: Subject, error: unknown): void {
    const { clock, log } = this.options;
    const key = subjectKey(subject);
    if (this.#waiting.has(key)) return;
    log.warn({ ...subject, error }, 'could not enqueue a pass; retrying');
    this.#waiting.add(key);
    clock.after(AGAIN_MS, () => {
      this.#waiting.delete(key);
      this.enqueue(subject);
    });
  }
}
