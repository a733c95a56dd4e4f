import { FlotillaError, type Retry } from '#core/kernel/errors/flotilla.error';
import { type Owner, ownerKey } from '#core/kernel/fairness/owner';
import { Demand, unlessAborted } from './demand.js';
import type { Lanes, Run } from './lanes.js';
import type { Patience } from './patience.js';

/** One piece of work of one owner. A request with the same key means the same piece. */
type WantedWork<T> = Readonly<{ key: string; start: () => Run<T> }>;

/**
 * A pass that waits: its owner, its patience, and the function that wakes it once unfinished work is done.
 */
export type Waiting = Readonly<{ owner: Owner; patience: Patience; signal: AbortSignal; wake: () => void }>;

type LastingWorkOptions<T> = Readonly<{
  lanes: Pick<Lanes, 'run'>;
  sizeOf: (value: T) => number;
  /** Bytes of all results that were not taken yet. */
  maxHeldBytes: number;
  /** Milliseconds without a request, after which work is ended and its result dropped. */
  leaseMs?: number;
}>;

/** Thrown if a result was dropped before it was taken: waiting results used too much memory. */
class ResultDropped extends FlotillaError {
  readonly code = 'ResultDropped';
  readonly retry: Retry = 'backoff';
  constructor(maxHeldBytes: number) {
    super(
      `it was fetched, but dropped before its use: unused bundles may have ${maxHeldBytes} bytes in all, and most of them were for this namespace. It is fetched again by itself. If this repeats, approve or subscribe to fewer large bundles at once`,
    );
  }
}

/** Must be much longer than the pause before a pass asks again. */
const LEASE_MS = 120_000;

type Piece<T> = {
  readonly owner: Owner;
  result: Promise<T>;
  isDone: boolean;
  /** Size of the result that waits to be taken. */
  bytes: number;
  lease: NodeJS.Timeout;
  readonly end: () => void;
};

/**
 * Work in fair turns that may take longer than its pass can wait. The pass ends, the work continues, and the
 * pass is woken when it is done; it then takes the result. Work that no pass asks for any more is ended.
 */
export class LastingWork<T> {
  readonly #pieces = new Map<string, Piece<T>>();
  /** Groups of pieces. The pass of a group is woken once all its pieces are done. */
  readonly #waking = new Set<string>();

  constructor(private readonly options: LastingWorkOptions<T>) {}

  /**
   * Returns the results, in order, and holds them no longer. Returns undefined if some are not there in time.
   * Rejects with the first failure.
   */
  async take(wanted: readonly WantedWork<T>[], waiting: Waiting): Promise<readonly T[] | undefined> {
    const keys = wanted.map(({ key }) => `${ownerKey(waiting.owner)} ${key}`);
    const pieces = wanted.map((one, at) => this.#piece(keys[at] ?? '', one, waiting.owner));
    const all = Promise.all(pieces.map(({ result }) => result));
    let done: Readonly<{ value: readonly T[] }> | undefined;
    try {
      done = await waiting.patience.wait(unlessAborted(all, waiting.signal));
    } catch (error) {
      this.#forgetDone(keys);
      throw error;
    }
    if (done === undefined) this.#wakeAfter(keys.join('\n'), all, waiting.wake);
    else this.#forgetDone(keys);
    return done?.value;
  }

  /** Ends all work. */
  stop(): void {
    for (const key of [...this.#pieces.keys()]) this.#drop(key);
  }

  #piece(key: string, { start }: WantedWork<T>, owner: Owner): Piece<T> {
    const known = this.#pieces.get(key);
    if (known !== undefined) {
      known.lease.refresh();
      return known;
    }
    const end = new AbortController();
    const result = this.options.lanes.run(Demand.of(owner, end.signal), start);
    const lease = setTimeout(() => this.#drop(key), this.options.leaseMs ?? LEASE_MS).unref();
    const piece: Piece<T> = { owner, result, isDone: false, bytes: 0, lease, end: () => end.abort() };
    this.#pieces.set(key, piece);
    result.then(
      (value) => this.#note(piece, this.options.sizeOf(value)),
      () => this.#note(piece, 0),
    );
    return piece;
  }

  #note(piece: Piece<T>, bytes: number): void {
    piece.isDone = true;
    piece.bytes = bytes;
    for (let most = this.#mostHeld(); most !== undefined; most = this.#mostHeld()) {
      most.bytes = 0;
      most.result = Promise.reject(new ResultDropped(this.options.maxHeldBytes));
      most.result.catch(() => undefined);
    }
  }

  /** Returns the largest result of the owner with the most bytes. Returns undefined below the limit. */
  #mostHeld(): Piece<T> | undefined {
    const byOwner = new Map<string, { bytes: number; largest: Piece<T> }>();
    let total = 0;
    for (const piece of this.#pieces.values()) {
      if (piece.bytes === 0) continue;
      total += piece.bytes;
      const { bytes = 0, largest = piece } = byOwner.get(ownerKey(piece.owner)) ?? {};
      const larger = piece.bytes > largest.bytes ? piece : largest;
      byOwner.set(ownerKey(piece.owner), { bytes: bytes + piece.bytes, largest: larger });
    }
    if (total <= this.options.maxHeldBytes) return undefined;
    return [...byOwner.values()].reduce((most, one) => (one.bytes > most.bytes ? one : most)).largest;
  }

  #wakeAfter(group: string, all: Promise<unknown>, wake: () => void): void {
    if (this.#waking.has(group)) return;
    this.#waking.add(group);
    const done = () => {
      this.#waking.delete(group);
      wake();
    };
    all.then(done, done);
  }

  #forgetDone(keys: readonly string[]): void {
    for (const key of keys) if (this.#pieces.get(key)?.isDone) this.#drop(key);
  }

  #drop(key: string): void {
    const piece = this.#pieces.get(key);
    if (piece === undefined) return;
    clearTimeout(piece.lease);
    this.#pieces.delete(key);
    piece.end();
  }
}
