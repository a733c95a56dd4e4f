import { FlotillaError, type Retry } from '#core/kernel/errors/flotilla.error';
import { type Owner, ownerKey } from '#core/kernel/fairness/owner';

/** The work is no longer wanted: the object that asked for it was deleted, paused or changed. */
class WorkNotWanted extends FlotillaError {
  readonly code = 'WorkNotWanted';
  readonly retry: Retry = 'when-input-changes';
  constructor() {
    super('the work was cancelled: its result is no longer needed');
  }
}

type Waiting = { readonly owner: Owner; count: number };
type DemandChange = 'joined' | 'left';

/**
 * The owners that a piece of work is done for. Owners join and leave while it is under way. When the last one
 * has left, `signal` is aborted, for good.
 */
export class Demand {
  readonly #owners = new Map<string, Waiting>();
  readonly #listeners = new Set<(change: DemandChange, owner: Owner) => void>();
  readonly #end = new AbortController();

  /** Makes the demand of one owner. It lasts until `signal` is aborted. */
  static of(owner: Owner, signal?: AbortSignal): Demand {
    const demand = new Demand();
    const leave = demand.join(owner);
    if (signal?.aborted) leave();
    else signal?.addEventListener('abort', leave, { once: true });
    return demand;
  }

  /** Makes the demand of the hub itself, for work that no namespace asks for. */
  static ofHub(signal?: AbortSignal): Demand {
    return Demand.of({ cluster: '', namespace: '' }, signal);
  }

  get signal(): AbortSignal {
    return this.#end.signal;
  }

  owners(): readonly Owner[] {
    return [...this.#owners.values()].map(({ owner }) => owner);
  }

  /** Gives how to leave again. */
  join(owner: Owner): () => void {
    const key = ownerKey(owner);
    const waiting = this.#owners.get(key) ?? { owner, count: 0 };
    this.#owners.set(key, waiting);
    waiting.count += 1;
    if (waiting.count === 1) this.#emit('joined', owner);
    let left = false;
    return () => {
      if (!left) this.#leave(waiting);
      left = true;
    };
  }

  /**
   * All owners of another demand are owners of this one as long as they are of that. Gives how
   * to leave with all of them.
   */
  follow(other: Demand): () => void {
    const leaves = new Map(other.owners().map((owner) => [ownerKey(owner), this.join(owner)]));
    const unfollow = other.onChange((change, owner) => {
      const key = ownerKey(owner);
      if (change === 'joined') leaves.set(key, this.join(owner));
      else leaves.get(key)?.();
    });
    return () => {
      unfollow();
      for (const leave of leaves.values()) leave();
    };
  }

  onChange(listener: (change: DemandChange, owner: Owner) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #leave(waiting: Waiting): void {
    waiting.count -= 1;
    if (waiting.count > 0) return;
    this.#owners.delete(ownerKey(waiting.owner));
    this.#emit('left', waiting.owner);
    if (this.#owners.size === 0) this.#end.abort(new WorkNotWanted());
  }

  #emit(change: DemandChange, owner: Owner): void {
    for (const listener of [...this.#listeners]) listener(change, owner);
  }
}

/**
 * The value, unless the signal is aborted before: then its reason is thrown, whatever the work still does.
 */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  work.catch(() => undefined);
  signal.throwIfAborted();
  const { promise, reject } = Promise.withResolvers<never>();
  const gone = () => reject(signal.reason);
  signal.addEventListener('abort', gone, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener('abort', gone);
  }
}
