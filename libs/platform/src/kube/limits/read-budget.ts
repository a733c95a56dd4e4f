import { type ExcessHistory, excessAt, probePauseMs } from '#core/kernel/read-budget/probe-pace';
import { DEFAULT_READ_LIMITS, type Excess, excessText, type ReadLimits } from '#core/kernel/read-budget/read-limits';
import { type BytesShare, SharedBytes } from '#core/kernel/read-budget/shared-bytes';
import { KubeApiError } from '../errors/kube-api.error.js';
import { WorkPace } from './work-pace.js';

/** The reason of errors about a cluster that sends more than the budget allows. */
export const TOO_LARGE = 'TooLarge';

/** A read that exceeded its budget; `fitsSince` once it was well again. */
type Exceeded = { text: string; fitsSince?: number };

/** The bytes of one list that is being read. */
type ListShare = Readonly<{
  /** Adds the bytes. If they exceed a budget, returns the excess, and they do not count. */
  add: (bytes: number) => Excess | undefined;
  release: () => void;
}>;

/** A watch that brings more than a tenth of the events that are allowed in a minute is read slowly. */
const ORDINARY_EVENTS = 10;
/**
 * Time after an exceeded budget for which the cluster is read slowly: longer than most pauses between tries.
 */
const LATELY_MS = 120_000;
/** Time for which a read stays reported after it fits again: a flood begins again within seconds. */
const PROVEN_MS = 30_000;
/**
 * Number of lists in a row that count as excess if every answer was too long: pages do not end there. Large
 * objects end this with the first smaller page.
 */
const LONG_ANSWERS = 3;
/** Reads that are remembered as too large; a cluster with more of them has its oldest ones tried again. */
const MOST_EXCEEDED = 256;

/**
 * Limits on the data that one process reads and keeps of one cluster. A read that exceeds its budget fails
 * with reason `TooLarge` and is then refused without a request. After growing pauses one such read at a time
 * may try again.
 */
export class ReadBudget {
  readonly #exceeded = new Map<string, Exceeded>();
  readonly #work = new WorkPace();
  /** Separate, so that events do not wait for a long list. */
  readonly #eventWork = new WorkPace();
  #history: ExcessHistory | undefined;
  #probing: string | undefined;
  #longAnswers = 0;
  #held = 0;
  #listing = 0;

  constructor(
    readonly cluster: string,
    readonly limits: ReadLimits = DEFAULT_READ_LIMITS,
    private readonly now: () => number = () => performance.now(),
    /** Share of the bytes that one process may keep of all clusters. */
    private readonly share: BytesShare = new SharedBytes(limits.processBytes).join(),
    /** True if the cluster rests after work that it makes; the hub API does not. */
    private readonly rests = true,
  ) {}

  /** Does a read, unless it exceeded its budget and its next try is not due. */
  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const probes = this.#admit(key);
    try {
      const value = await work();
      const known = this.#exceeded.get(key);
      if (known !== undefined) known.fitsSince ??= this.now();
      return value;
    } finally {
      if (probes) this.#probing = undefined;
    }
  }

  /** Notes that a read has exceeded its budget. `what`: a kind, or a request such as `get Secret a/b`. */
  exceed(key: string, what: string, excess: Excess): KubeApiError {
    const text = excessText(what, excess, this.limits);
    this.#exceeded.delete(key);
    const [oldest] = this.#exceeded.keys();
    if (this.#exceeded.size >= MOST_EXCEEDED && oldest !== undefined) this.#exceeded.delete(oldest);
    this.#exceeded.set(key, { text });
    this.#history = excessAt(this.#history, this.now());
    return this.#error(text);
  }

  /** Notes that a page of a list was longer than an answer may be; smaller pages are asked for next. */
  noteLongAnswer(): void {
    this.#longAnswers += 1;
  }

  /** Notes that a page of a list has come whole. */
  notePage(): void {
    this.#longAnswers = 0;
  }

  /** Returns the reads that are too large at the moment, one text for each kind or request; sorted. */
  problems(): readonly string[] {
    for (const [key, { fitsSince }] of this.#exceeded) {
      if (fitsSince !== undefined && this.now() - fitsSince > PROVEN_MS) this.#exceeded.delete(key);
    }
    return [...new Set([...this.#exceeded.values()].map(({ text }) => text))].sort();
  }

  /**
   * Takes `bytes` for a cache in place of `before`. If a budget does not allow it, takes nothing and returns
   * the budget's name.
   */
  keep(bytes: number, before: number): Excess | undefined {
    if (bytes > before && this.#held - before + bytes > this.limits.clusterBytes) return 'cluster';
    if (!this.share.take(bytes, before)) return 'process';
    this.#held += bytes - before;
    return undefined;
  }

  /** Bytes that caches keep of the cluster, and lists that are being read. */
  get held(): number {
    return this.#held + this.#listing;
  }

  /** Releases the memory of a cluster that has left. */
  close(): void {
    this.share.leave();
  }

  openList(): ListShare {
    let read = 0;
    return {
      add: (bytes) => {
        if (this.#listing + bytes > this.limits.clusterBytes) return 'cluster';
        if (!this.share.take(bytes, 0)) return 'process';
        read += bytes;
        this.#listing += bytes;
        return undefined;
      },
      release: () => {
        this.share.take(0, read);
        this.#listing -= read;
        read = 0;
      },
    };
  }

  /** Called after `workMs` of work on an answer or a page; resolves when more may be done. */
  rest(workMs: number): Promise<void> | undefined {
    if (!this.rests) return undefined;
    const isExcess = this.#exceededLately || this.#longAnswers >= LONG_ANSWERS;
    return this.#work.rest({ kind: isExcess ? 'excess' : 'lists', workMs });
  }

  /** The same after an event of a watch, one of `events` in this minute. */
  restAfterEvent(workMs: number, events: number): Promise<void> | undefined {
    if (!this.rests) return undefined;
    const isExcess = this.#exceededLately || events > this.limits.objects / ORDINARY_EVENTS;
    return this.#eventWork.rest({ kind: isExcess ? 'excess' : 'events', workMs });
  }

  get #exceededLately(): boolean {
    return this.#history !== undefined && this.now() - this.#history.lastMs < LATELY_MS;
  }

  /** Returns true if this is a try of a read that exceeded its budget before. */
  #admit(key: string): boolean {
    const known = this.#exceeded.get(key);
    if (known === undefined || known.fitsSince !== undefined || this.#history === undefined) return false;
    const due = this.#history.lastMs + probePauseMs(this.#history);
    if (this.now() < due || this.#probing !== undefined) throw this.#error(known.text);
    this.#probing = key;
    return true;
  }

  #error(text: string): KubeApiError {
    const said = `too large: ${text}`;
    return new KubeApiError(this.cluster, 0, TOO_LARGE, `cluster "${this.cluster}": ${said}`, [], said);
  }
}
