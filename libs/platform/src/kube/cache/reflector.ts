import type { KubernetesObject, ObjectRef } from '#core/kernel/api/kubernetes-object';
import { heldBytes } from '#core/kernel/read-budget/held-bytes';
import type { Excess } from '#core/kernel/read-budget/read-limits';
import { type Log, silentLog } from '../../telemetry/log.port.js';
import { troubleOf } from '../client/api-server-trouble.js';
import { type KindRef, KubeApiError, type WatchEvent } from '../client/kube-client.port.js';
import { listKey } from '../client/list-key.js';
import { withoutManagedFields } from '../client/managed-fields.js';
import { TOO_LARGE } from '../limits/read-budget.js';
import { eachEvent } from './each-event.js';
import { ObjectStore } from './object-store.js';
import type { ReflectorOptions } from './reflector-options.js';
import { SilenceTimer } from './silence-timer.js';

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;
/**
 * A watch that ends sooner and brought nothing is a failure: without a pause we would ask
 * for the next one at once.
 */
const SHORTEST_WATCH_MS = 1_000;

/**
 * Keeps a copy of all objects of a kind by list and watch. Goes on through lost connections, expired
 * resourceVersions, silent sockets and kinds whose CustomResourceDefinition comes later or goes.
 */
export class Reflector<T extends KubernetesObject = KubernetesObject> {
  readonly kind: KindRef;
  readonly store: ObjectStore<T>;
  readonly #options: ReflectorOptions<T>;
  readonly #keep: (object: T) => T;
  readonly #log: Log;
  readonly #random: () => number;
  #stopped = false;
  /**
   * Ends what the reflector waits for, but for a watch; none while it watches, as it does most of the
   * time.
   */
  #waiting: AbortController | undefined;
  #running: Promise<void> | undefined;
  #watching: SilenceTimer | undefined;
  /** Until the first sync. */
  #syncing: PromiseWithResolvers<void> | undefined = Promise.withResolvers();
  #synced = false;
  #served = false;
  #lastSeenMs = 0;
  #failures = 0;
  #problem: string | undefined;
  #interrupted = false;
  #version = '';
  /** What the store takes of the cluster's budget. */
  #charged = 0;

  constructor(options: ReflectorOptions<T>) {
    this.#options = options;
    this.store = new ObjectStore<T>(sizesOf(options));
    this.kind = options.kind;
    this.#keep = options.keep ?? withoutManagedFields;
    this.#log = options.log ?? silentLog;
    this.#random = options.random ?? Math.random;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Resolves once nothing more will be called. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#waiting?.abort();
    this.#watching?.abort();
    await this.#running;
    this.#options.client.budget.keep(0, this.#charged);
    this.#charged = 0;
  }

  /**
   * The store has held the whole truth at least once; also where the kind is not
   * served, which is a truth too.
   */
  synced(): boolean {
    return this.#synced;
  }

  whenSynced(): Promise<void> {
    return this.#syncing?.promise ?? Promise.resolve();
  }

  served(): boolean {
    return this.#served;
  }

  /** Sorted by namespace and name; all, or those of one namespace, where `where`. */
  list(namespace?: string, where?: (object: T) => boolean): readonly T[] {
    return where === undefined ? this.store.list(namespace) : this.store.listWhere(namespace, where);
  }

  metadata(): T['metadata'][] {
    return this.store.list().map(({ metadata }) => metadata);
  }

  get(ref: Pick<ObjectRef, 'namespace' | 'name'>): T | undefined {
    return this.store.get(ref);
  }

  /** The object was made so many bytes smaller; one that is not in the store is not counted. */
  lighter(object: T, bytes: number): void {
    if (this.store.get(object.metadata) !== object) return;
    this.store.lighten(bytes);
    this.#charge();
  }

  /** When the server last answered: the freshness of the store. The epoch before the first answer. */
  lastSeen(): Date {
    return new Date(this.#lastSeenMs);
  }

  /** The resourceVersion that the watch has reached; empty before the first list. */
  version(): string {
    return this.#version;
  }

  /** Why the store is not being kept up to date; undefined while it is. */
  problem(): string | undefined {
    return this.#problem;
  }

  /**
   * No watch is open that goes on where the store is: between two watches, and from a place that is too old
   * until the next list. Differences of this time are missing, without a {@link problem} to report.
   */
  interrupted(): boolean {
    return this.#interrupted;
  }

  async #run(): Promise<void> {
    let listed = false;
    while (!this.#stopped) {
      try {
        listed = listed || (await this.#whileRunning((signal) => this.#list(signal)));
        if (listed) await this.#watch();
        else await this.#pause(this.#jitter(this.#options.absentKindRetryMs ?? 5_000));
      } catch (error) {
        if (this.#stopped) return;
        if (KubeApiError.is(error, 'Expired', 'NotFound', TOO_LARGE)) listed = false;
        await this.#recover(error);
      }
    }
  }

  /** False where the kind is not served. */
  async #list(stopping: AbortSignal): Promise<boolean> {
    const list = await unlessStopped(
      stopping,
      this.#options.client.list<T>(this.kind, { ...this.#options.options, keep: this.#keep }),
    );
    // All of it is taken in, or nothing: objects that are missing in a part of a list have not gone.
    this.#replace(this.#fitting(list?.items ?? []));
    this.#served = list !== undefined;
    this.#version = list?.resourceVersion ?? '';
    this.#seen();
    this.#recovered();
    this.#interrupted = false;
    this.#synced = true;
    this.#syncing?.resolve();
    this.#syncing = undefined;
    return this.#served;
  }

  async #watch(): Promise<void> {
    const { client, clock, options, known, silenceMs = 150_000, watchSeconds = 1_800 } = this.#options;
    const startedAt = clock.now().getTime();
    // One signal a watch: a fleet has tens of thousands, and combined signals take kilobytes each.
    const timer = new SilenceTimer(clock, silenceMs);
    this.#watching = timer;
    if (this.#stopped) timer.abort();
    let events = 0;
    let cancelProof = NOTHING;
    const onOpen = () => {
      this.#seen();
      this.#interrupted = false;
      // Accepting a watch proves nothing yet: overloaded servers accept and fail it at once, over and over.
      cancelProof = clock.after(SHORTEST_WATCH_MS, () => {
        cancelProof = NOTHING;
        this.#proven();
      });
    };
    try {
      const stream = client.watch<T>(this.kind, {
        ...options,
        resourceVersion: this.#version,
        timeoutSeconds: Math.round(watchSeconds * (1 + this.#random())),
        signal: timer.signal,
        onOpen,
        ...(known === undefined ? {} : { known }),
      });
      await eachEvent(stream, (event) => {
        if (this.#stopped) return;
        events += 1;
        timer.heard();
        this.#seen();
        this.#proven();
        this.#take(event);
      });
    } finally {
      timer.dispose();
      this.#interrupted = true;
      this.#watching = undefined;
      cancelProof();
    }
    const lasted = clock.now().getTime() - startedAt;
    if (events > 0 || lasted >= SHORTEST_WATCH_MS || this.#stopped) return;
    throw new KubeApiError(client.cluster, 0, 'Unreachable', 'the watch ended as soon as it was opened');
  }

  #take(event: WatchEvent<T>): void {
    if (event.type === 'BOOKMARK') {
      this.#version = event.resourceVersion;
      return;
    }
    if (event.type === 'DELETED') this.#drop(this.#keep(event.object));
    else {
      const object = this.#keep(event.object);
      this.#makeRoom(object);
      this.#put(object);
    }
    this.#charge();
    this.#version = event.object.metadata.resourceVersion ?? this.#version;
  }

  /** The items of a list by name, where the budget of the cluster has room for them. */
  #fitting(items: readonly T[]): ObjectStore<T> {
    const present = this.store.empty();
    for (const item of items) present.set(item);
    const { budget } = this.#options.client;
    const excess = budget.keep(present.bytes, this.#charged);
    if (excess !== undefined) throw this.#exceeded(excess);
    this.#charged = present.bytes;
    return present;
  }

  /** @throws KubeApiError of reason TooLarge where the budget of the cluster has no room for the object */
  #makeRoom(object: T): void {
    const { budget } = this.#options.client;
    const isNew = this.store.get(object.metadata) === undefined;
    if (isNew && this.store.size >= budget.limits.objects) throw this.#exceeded('objects');
    const after = this.store.bytesWith(object);
    const excess = budget.keep(after, this.#charged);
    if (excess !== undefined) throw this.#exceeded(excess);
    this.#charged = after;
  }

  /** What the store takes now: an object less, or one that was not newer than the one held. */
  #charge(): void {
    this.#options.client.budget.keep(this.store.bytes, this.#charged);
    this.#charged = this.store.bytes;
  }

  #exceeded(excess: Excess): KubeApiError {
    const { client, options = {} } = this.#options;
    return client.budget.exceed(listKey({ resource: this.kind, options, keep: this.#keep }), this.kind.kind, excess);
  }

  #replace(present: ObjectStore<T>): void {
    const items = present.list();
    for (const old of this.store.list()) if (present.get(old.metadata) === undefined) this.#drop(old);
    for (const item of items) this.#put(item);
    this.#call(() => this.#options.handlers?.onReplace?.(items));
  }

  #put(object: T): void {
    const previous = this.store.get(object.metadata);
    const { resourceVersion, uid } = object.metadata;
    if (previous?.metadata.resourceVersion === resourceVersion && previous?.metadata.uid === uid) return;
    this.store.set(object);
    this.#call(() => this.#options.handlers?.onChange?.(object, previous));
  }

  #drop(object: T): void {
    if (this.store.delete(object.metadata)) this.#call(() => this.#options.handlers?.onDelete?.(object));
  }

  /** A handler that fails must not end the watch. */
  #call(call: () => void): void {
    try {
      call();
    } catch (error) {
      this.#log.error({ ...this.#fields(), err: error }, 'a handler of a watch failed');
    }
  }

  #seen(): void {
    this.#lastSeenMs = this.#options.clock.now().getTime();
  }

  #recovered(): void {
    if (this.#problem !== undefined) this.#log.info(this.#fields(), 'the watch is up to date again');
    this.#problem = undefined;
  }

  /** A watch that lasts: the next trouble is a new one, and its pauses begin small again. */
  #proven(): void {
    this.#recovered();
    this.#failures = 0;
  }

  async #recover(error: unknown): Promise<void> {
    const expected = KubeApiError.is(error, 'Expired');
    // Said once per outage, not once per try.
    if (this.#problem === undefined && !expected) this.#log.warn({ ...this.#fields(), err: error }, 'a watch failed');
    if (!expected) this.#problem = troubleOf(error);
    const pause = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(this.#failures, 10));
    // A place that is too old is asked for anew at once; a server to whom every place is
    // too old, not over and over.
    const atOnce = expected && this.#failures === 0;
    this.#failures += 1;
    await this.#pause(atOnce ? 0 : this.#jitter(pause));
  }

  #pause(milliseconds: number): Promise<void> {
    return this.#whileRunning((signal) => this.#options.clock.sleep(milliseconds, signal));
  }

  /** `signal` is aborted at the stop. */
  async #whileRunning<R>(wait: (signal: AbortSignal) => Promise<R>): Promise<R> {
    const waiting = new AbortController();
    this.#waiting = waiting;
    try {
      return await wait(waiting.signal);
    } finally {
      this.#waiting = undefined;
    }
  }

  /** Half to one and a half: thousands of watches that broke together must not come back together. */
  #jitter(milliseconds: number): number {
    return milliseconds * (0.5 + this.#random());
  }

  #fields() {
    return { cluster: this.#options.client.cluster, kind: this.kind.kind, apiVersion: this.kind.apiVersion };
  }
}

const NOTHING = (): void => undefined;

/** Most kinds share one function. */
function sizesOf<T extends KubernetesObject>({ handlerBytes }: ReflectorOptions<T>): (object: T) => number {
  return handlerBytes === undefined ? heldBytes : (object) => heldBytes(object) + handlerBytes(object);
}

/**
 * The work's result; fails as soon as the signal is aborted: a server that does not
 * answer must hold up no ending.
 */
async function unlessStopped<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const stopped = Promise.withResolvers<never>();
  const stop = () => stopped.reject(signal.reason);
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  return Promise.race([work, stopped.promise]).finally(() => signal.removeEventListener('abort', stop));
}
