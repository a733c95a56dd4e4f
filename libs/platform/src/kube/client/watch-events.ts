import { z } from 'zod';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { KubernetesObject as KubernetesObjectSchema } from '#core/kernel/api/kubernetes-object';
import type { Excess } from '#core/kernel/read-budget/read-limits';
import { type WatchRate, watchRate } from '#core/kernel/read-budget/watch-rate';
import { receivingMs } from '#core/kernel/read-budget/work-pace';
import type { ReadBudget } from '../limits/read-budget.js';
import { TransportError, textOf } from '../transport/transport.error.js';
import type { WatchLines } from '../transport/watch-lines.js';
import type { KubeApiError, WatchEvent } from './kube-client.port.js';
import { KubeStatus, refusal } from './kube-status.js';
import { isWellFormedObject } from './well-formed-object.js';

const Line = z.object({
  type: z.enum(['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK', 'ERROR']),
  object: z.looseObject({}),
});

/** So much of the time between two events of a watch counts as work for the first at most. */
const LONGEST_EVENT_MS = 50;

/** One watch request. */
export type WatchSource = Readonly<{
  cluster: string;
  /** Names the request in messages. */
  what: string;
  budget: ReadBudget;
  /** Aborted: the watch ends without an error. */
  signals: readonly AbortSignal[];
  open: () => Promise<WatchLines>;
  /** The error of a watch that brought too much. */
  exceeded: (excess: Excess) => KubeApiError;
  /** The object of an event that its consumer has already, by the text. */
  known?: ((line: string) => KubernetesObject | undefined) | undefined;
  /** What comes out for an error. */
  failure: (error: unknown) => unknown;
}>;

type Event = z.infer<typeof Line>;

/** A deletion is always parsed. */
const KNOWN_TYPES = ['MODIFIED', 'ADDED'] as const;

/**
 * The events of one watch; an ERROR event is thrown, most of all 410 Expired. Ends when the server ends
 * it, or when it brings too much; it is read on only after the cluster has rested for the work that it
 * makes.
 *
 * Written out, and not as generators that read from each other: each of those takes half a kilobyte for
 * as long as the watch rests.
 */
export class WatchEvents<T extends KubernetesObject> implements AsyncIterableIterator<WatchEvent<T>, undefined> {
  #lines: WatchLines | undefined;
  #rate: WatchRate | undefined;
  /** The event that the consumer has now: the work that it made so far, and when it was given out. */
  #given: Readonly<{ workMs: number; atMs: number }> | undefined;
  #done = false;

  constructor(private readonly source: WatchSource) {}

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<WatchEvent<T>, undefined>> {
    try {
      const value = this.#done ? undefined : await this.#next();
      if (value !== undefined) return { done: false, value };
    } catch (error) {
      if (!this.#done && !this.source.signals.some(({ aborted }) => aborted)) throw this.source.failure(error);
    } finally {
      if (this.#given === undefined) this.#end();
    }
    return { done: true, value: undefined };
  }

  async return(): Promise<IteratorResult<WatchEvent<T>, undefined>> {
    this.#end();
    return { done: true, value: undefined };
  }

  async #next(): Promise<WatchEvent<T> | undefined> {
    await this.#rested();
    this.#lines ??= await this.source.open();
    for (let line = await this.#lines.next(); line !== undefined; line = await this.#lines.next()) {
      if (line.trim() !== '') return this.#read(line);
    }
    return undefined;
  }

  /** The consumer may also have waited for something else since it got its event. */
  async #rested(): Promise<void> {
    const given = this.#given;
    this.#given = undefined;
    if (given === undefined) return;
    const taken = Math.min(performance.now() - given.atMs, LONGEST_EVENT_MS);
    await this.source.budget.restAfterEvent(given.workMs + taken, this.#rate?.events ?? 0);
  }

  #read(line: string): WatchEvent<T> {
    const { budget, cluster, what } = this.source;
    const startedAt = performance.now();
    const event = this.#known(line) ?? eventOf<T>(JSON.parse(line), cluster, what);
    const atMs = performance.now();
    const next = watchRate(this.#rate, line.length, atMs, budget.limits);
    if ('excess' in next) throw this.source.exceeded(next.excess);
    this.#rate = next.rate;
    this.#given = { workMs: receivingMs(line.length) + atMs - startedAt, atMs };
    return event;
  }

  #known(line: string): WatchEvent<T> | undefined {
    const type = KNOWN_TYPES.find((one) => line.startsWith(`{"type":"${one}",`));
    const object = type && this.source.known?.(line);
    return object && { type, object: object as T };
  }

  #end(): void {
    this.#done = true;
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

/** A line that is no event means that we have lost our place in the stream. */
export function asLost(error: unknown): TransportError {
  return error instanceof TransportError ? error : new TransportError('lost', textOf(error));
}
