import { FlotillaError, type Retry } from '#core/kernel/errors/flotilla.error';
import { readPayload } from '#core/kernel/payload/read-payload';
import { isOutage, troubleOf } from '../kube/errors/api-server-trouble.js';
import type { Log } from '../telemetry/log.port.js';
import { outagesOf } from '../telemetry/outage-log.js';
import type { FinishedJob, JobContract, JobHandler } from './job-queue.port.js';
import { type BackoffLimits, retryDelayMs } from './retry-delay.js';

/** A job that does not have the shape of its queue's jobs: written by hand, or damaged. */
class InvalidJob extends FlotillaError {
  readonly code = 'InvalidJob';
  readonly retry: Retry = 'when-input-changes';
  constructor(
    readonly queue: string,
    readonly problems: string,
  ) {
    super(`a job of queue ${queue} cannot be read: ${problems}`);
  }
}

/** A job failed, and Redis did not take its next try: the job must stay in its queue. */
export class RetryNotPlanned extends FlotillaError {
  readonly code = 'RetryNotPlanned';
  readonly retry: Retry = 'backoff';
  constructor(queue: string, because: string) {
    super(`the next try of a job of queue ${queue} could not be recorded in Redis: ${because}`);
  }
}

/** The parts of a queue that an attempt needs. */
export type AttemptHost<J> = Readonly<{
  contract: JobContract<J>;
  log: Log;
  backoff: BackoffLimits;
  random: () => number;
  now: () => Date;
  onFinished: (job: FinishedJob) => void;
  /** Notes that the key fails now, and returns how many times in a row it has failed. */
  countFailure: (key: string) => Promise<number>;
  /** The next failure of the key is the first in a row; the key still counts as failing. */
  forgetFailures: (key: string) => Promise<void>;
  /** The key does not fail any more. */
  noteSuccess: (key: string) => Promise<void>;
  /** Sets the delayed job of the key. */
  again: (job: J, delayMs: number) => Promise<void>;
  /** Keeps a job of a newer release for a service that can read it. Returns false if it cannot be kept. */
  setAside: (data: unknown, version: number) => Promise<boolean>;
}>;

/** A job as it lies in its queue; `addedMs`: when it was added, in milliseconds since 1970. */
export type QueuedJob = Readonly<{ data: unknown; addedMs: number }>;

const LONGEST_KEY = 200;

/**
 * Runs the handler once. A failure sets a delayed job for the next try before it is thrown on, so that
 * nothing is lost if the process dies in between.
 * @throws the handler's error, InvalidJob or RetryNotPlanned
 */
export async function attemptJob<J>(
  host: AttemptHost<J>,
  { data, addedMs }: QueuedJob,
  handler: JobHandler<J>,
  signal: AbortSignal,
): Promise<void> {
  const { contract } = host;
  const job = await readJob(host, data);
  if (job === undefined) return;
  const key = contract.keyOf(job);
  const start = host.now().getTime();
  // The time was read by the process that added the job: its clock may be ahead.
  const waitedSeconds = Math.max(0, start - addedMs) / 1_000;
  const finished = (outcome: FinishedJob['outcome']) => {
    const seconds = (host.now().getTime() - start) / 1_000;
    host.onFinished({ queue: contract.name, key, outcome, waitedSeconds, seconds });
  };
  try {
    await handler(job, { signal, addedMs });
  } catch (error) {
    await planRetry(host, job, error, signal).catch((refused: unknown) => {
      throw new RetryNotPlanned(contract.name, describeError(refused));
    });
    finished('failed');
    throw error;
  }
  await host.noteSuccess(key);
  finished('completed');
}

/**
 * Reads a job. Returns undefined for one of a newer release: it is then set aside.
 * @throws InvalidJob or RetryNotPlanned
 */
async function readJob<J>(host: AttemptHost<J>, data: unknown): Promise<J | undefined> {
  const { contract } = host;
  const read = readPayload(data, contract);
  if (read.kind === 'read') return read.value;
  if (read.kind === 'newer') {
    const aside = await host.setAside(data, read.version).catch((refused: unknown) => {
      throw new RetryNotPlanned(contract.name, describeError(refused));
    });
    if (aside) return undefined;
  }
  await host.countFailure(`not a job: ${JSON.stringify(data)}`.slice(0, LONGEST_KEY));
  throw new InvalidJob(
    contract.name,
    read.kind === 'newer' ? `version ${read.version} is newer, and there is no room for more of them` : read.problems,
  );
}

async function planRetry<J>(host: AttemptHost<J>, job: J, error: unknown, signal: AbortSignal): Promise<void> {
  const key = host.contract.keyOf(job);
  if (signal.aborted) return host.again(job, 0); // not its fault: it was stopped
  const attempt = await host.countFailure(key);
  const delayMs = retryDelayMs(error, attempt, host.random(), host.backoff);
  const fields = { queue: host.contract.name, key, attempt, error: describeError(error) };
  const level = isOutage(error) ? 'debug' : 'warn';
  // A cluster that is away fails the jobs of all its namespaces: the log has one line for all of them.
  if (isOutage(error)) outagesOf(host.log).met(error.cluster, troubleOf(error), host.now().getTime());
  if (delayMs === undefined) {
    host.log[level](fields, 'job failed; it will be tried when it is asked for again');
    await host.forgetFailures(key);
  } else {
    host.log[level]({ ...fields, againInMs: delayMs }, 'job failed; it will be tried again');
    await host.again(job, delayMs);
  }
}

/** One line for logs and for the queue's record of the failure. */
export const describeError = (error: unknown): string => {
  if (error instanceof FlotillaError) return `${error.code}: ${error.message}`;
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
};
