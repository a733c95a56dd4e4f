import { z } from 'zod';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { KubernetesObject as KubernetesObjectSchema } from '#core/kernel/api/kubernetes-object';
import type { Excess } from '#core/kernel/read-budget/read-limits';
import { type WatchRate, watchRate } from '#core/kernel/read-budget/watch-rate';
import { receivingMs } from '#core/kernel/read-budget/work-pace';
import type { ReadBudget } from '../limits/read-budget.js';
import type { LineReader, WatchLines } from '../transport/watch-lines.js';
import type { KubeApiError, WatchEvent, WatchedEvents } from './kube-client.port.js';
import { KubeStatus, refusal } from './kube-status.js';
import { isWellFormedObject } from './well-formed-object.js';

const Line = z.object({
  type: z.enum(['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK', 'ERROR']),
  object: z.looseObject({}),
});

/** Most of the time between two events of a watch that counts as work for the first. */
const LONGEST_EVENT_MS = 50;

/** One watch request: an object, as it is held while the watch rests. */
export interface WatchSource {
  readonly cluster: string;
  /** Names the request in messages. */
  readonly what: string;
  readonly budget: ReadBudget;
  /** True if the caller has ended the watch. It then ends without an error. */
  readonly isAborted: boolean;
  open(): Promise<WatchLines>;
  /** The error of a watch that brought too much. */
  exceeded(excess: Excess): KubeApiError;
  /** The object of an event that its consumer has already, by the text. */
  known(line: string): KubernetesObject | undefined;
  /** Returns the error to report for an error. */
  failure(error: unknown): unknown;
}

type Event = z.infer<typeof Line>;

/** A deletion is always parsed. */
const KNOWN_TYPES = ['MODIFIED', 'ADDED'] as const;

/**
 * The events of one watch; an ERROR event is thrown, most of all 410 Expired. Ends when the server ends
 * it, or when it brings too much; it is read on only after the cluster has rested for the work that it
 * makes.
 *
 * Written out, and not as functions that wait for each other: each of those takes half a kilobyte for as
 * long as the watch rests (decision 0193).
 */
export class WatchEvents<T extends KubernetesObject> implements WatchedEvents<T>, LineReader {
  #lines: WatchLines | undefined;
  #rate: WatchRate | undefined;
  #take: ((event: WatchEvent<T>) => Promise<void> | undefined) | undefined;
  #ended: PromiseWithResolvers<void> | undefined;
  #isDone = false;

  constructor(private readonly source: WatchSource) {}

  each(take: (event: WatchEvent<T>) => Promise<void> | undefined): Promise<void> {
    const ended = Promise.withResolvers<void>();
    if (this.#isDone) ended.resolve();
    this.#take = take;
    this.#ended = ended;
    void this.#open();
    return ended.promise;
  }

  close(): void {
    this.#end();
    this.#ended?.resolve();
  }

  /** One event at a time: the next one is read when it is asked for. */
  async *[Symbol.asyncIterator](): AsyncGenerator<WatchEvent<T>, undefined> {
    let found = Promise.withResolvers<WatchEvent<T> | undefined>();
    let taken = Promise.withResolvers<void>();
    const end = this.each((event) => {
      taken = Promise.withResolvers<void>();
      found.resolve(event);
      return taken.promise;
    });
    end.then(
      () => found.resolve(undefined),
      (error: unknown) => found.reject(error),
    );
    try {
      for (let event = await found.promise; event !== undefined; event = await found.promise) {
        found = Promise.withResolvers();
        yield event;
        taken.resolve();
      }
      return undefined;
    } finally {
      this.close();
    }
  }

  onLines(): void {
    for (;;) {
      const rest = this.#next();
      if (rest === 'none') return;
      if (rest === undefined) continue;
      void rest.then(
        () => this.onLines(),
        (error: unknown) => this.#fail(error),
      );
      return;
    }
  }

  async #open(): Promise<void> {
    if (this.#isDone) return;
    try {
      this.#lines = await this.source.open();
    } catch (error) {
      this.#broke(error);
      return;
    }
    if (this.#isDone) this.#lines.close();
    else this.onLines();
  }

  /**
   * Returns the promise to wait for before the next one. `none`: there is no further one yet, or it has
   * ended.
   */
  #next(): Promise<void> | 'none' | undefined {
    if (this.#isDone) return 'none';
    const found = this.#lines?.take(this);
    if (found === undefined) return 'none';
    if ('end' in found) {
      if ('error' in found.end) this.#broke(found.end.error);
      else this.close();
      return 'none';
    }
    return found.line.trim() === '' ? undefined : this.#give(found.line);
  }

  #give(line: string): Promise<void> | 'none' | undefined {
    const startedAt = performance.now();
    let event: WatchEvent<T>;
    try {
      event = this.#read(line, startedAt);
    } catch (error) {
      this.#broke(error);
      return 'none';
    }
    const atMs = performance.now();
    const workMs = receivingMs(line.length) + atMs - startedAt;
    try {
      const taking = this.#take?.(event);
      return taking === undefined ? this.#rest(workMs, atMs) : taking.then(() => this.#rest(workMs, atMs));
    } catch (error) {
      this.#fail(error);
      return 'none';
    }
  }

  /** The consumer may also have waited for something else since it got its event. */
  #rest(workMs: number, atMs: number): Promise<void> | undefined {
    const taken = Math.min(performance.now() - atMs, LONGEST_EVENT_MS);
    return this.source.budget.restAfterEvent(workMs + taken, this.#rate?.events ?? 0);
  }

  #read(line: string, nowMs: number): WatchEvent<T> {
    const { budget, cluster, what } = this.source;
    const event = this.#known(line) ?? eventOf<T>(JSON.parse(line), cluster, what);
    const next = watchRate(this.#rate, line.length, nowMs, budget.limits);
    if ('excess' in next) throw this.source.exceeded(next.excess);
    this.#rate = next.rate;
    return event;
  }

  #known(line: string): WatchEvent<T> | undefined {
    const type = KNOWN_TYPES.find((one) => line.startsWith(`{"type":"${one}",`));
    const object = type && this.source.known(line);
    return object && { type, object: object as T };
  }

  /** The watch itself failed; one that its caller has ended does not. */
  #broke(error: unknown): void {
    if (this.#isDone || this.source.isAborted) this.close();
    else this.#fail(this.source.failure(error));
  }

  /** Errors of the consumer are thrown unchanged. */
  #fail(error: unknown): void {
    this.#end();
    this.#ended?.reject(error);
  }

  #end(): void {
    this.#isDone = true;
    this.#lines?.close();
  }
}

function eventOf<T extends KubernetesObject>(parsed: unknown, cluster: string, what: string): WatchEvent<T> {
  const { type, object } = typedEvent(parsed);
  if (type === 'ERROR') {
    const code = KubeStatus.safeParse(object).data?.code ?? 500;
    throw refusal(cluster, what, code, JSON.stringify(object));
  }
  const { resourceVersion } = checked(object).metadata;
  if (type === 'BOOKMARK') return { type, resourceVersion: resourceVersion ?? '' };
  return { type, object: object as unknown as T };
}

const isEventType = (type: unknown): type is Event['type'] => Line.shape.type.options.some((one) => one === type);

function typedEvent(parsed: unknown): Event {
  if (typeof parsed === 'object' && parsed !== null && 'type' in parsed && 'object' in parsed) {
    const { type, object } = parsed;
    if (isEventType(type) && isWellFormedObject(object)) return { type, object };
  }
  return Line.parse(parsed);
}

const checked = (object: Event['object']): KubernetesObject =>
  isWellFormedObject(object) ? object : KubernetesObjectSchema.parse(object);
