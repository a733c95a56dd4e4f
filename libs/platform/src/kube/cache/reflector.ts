import type { KubernetesObject, ObjectRef } from '#core/kernel/api/kubernetes-object';
import { isOlderThan } from '#core/kernel/history/resource-version';
import { heldBytes } from '#core/kernel/read-budget/held-bytes';
import { type Log, silentLog } from '../../telemetry/log.port.js';
import { eachEvent, type KindRef, KubeApiError, type WatchEvent } from '../client/kube-client.port.js';
import { withoutManagedFields } from '../client/managed-fields.js';
import { TOO_LARGE } from '../limits/read-budget.js';
import { ObjectStore } from './object-store.js';
import type { ReflectorOptions } from './reflector-options.js';
import { SilenceTimer } from './silence-timer.js';
import { StoreCharge } from './store-charge.js';
import { WatchTrouble } from './watch-trouble.js';
import { WatchedHistory } from './watched-history.js';

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;
/**
 * A watch that ends sooner and brought nothing is a failure: without a pause we would ask
 * for the next one at once.
 */
const SHORTEST_WATCH_MS = 1_000;

/**
 * Keeps a copy of all objects of a kind by list and watch. Continues after lost connections, expired
 * resourceVersions and silent sockets. It also continues if a kind's CustomResourceDefinition is created
 * later or deleted.
 */
export class Reflector<T extends KubernetesObject = KubernetesObject> {
  readonly kind: KindRef;
  readonly store: ObjectStore<T>;
  readonly #options: ReflectorOptions<T>;
  readonly #keep: (object: T) => T;
  readonly #log: Log;
  readonly #random: () => number;
  #stopped = false;
  /** Ends the wait of the reflector, except for a watch. Undefined while it watches. */
  #waiting: AbortController | undefined;
  #running: Promise<void> | undefined;
  #watching: SilenceTimer | undefined;
  /** Pending until the first sync. */
  #syncing: PromiseWithResolvers<void> | undefined = Promise.withResolvers();
  #synced = false;
  #served = false;
  #lastSeenMs = 0;
  #failures = 0;
  readonly #trouble: WatchTrouble;
  #interrupted = false;
  #version = '';
  readonly #charge: StoreCharge<T>;
  readonly #history: WatchedHistory<T> | undefined;

  constructor(options: ReflectorOptions<T>) {
    this.#options = options;
    this.store = new ObjectStore<T>(sizesOf(options));
    this.kind = options.kind;
    this.#keep = options.keep ?? withoutManagedFields;
    this.#charge = new StoreCharge(options, this.store, this.#keep);
    this.#history = historyOf(this, options, () => this.#onOtherHistory());
    this.#log = options.log ?? silentLog;
    this.#random = options.random ?? Math.random;
    this.#trouble = new WatchTrouble(options);
  }

  start(): void {
    if (this.#running === undefined) this.#history?.join();
    this.#running ??= this.#run();
  }

  /** Resolves once nothing more will be called. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#history?.leave();
    this.#waiting?.abort();
    this.#watching?.abort();
    await this.#running;
    this.#trouble.stopped();
    this.#charge.release();
  }

  /**
   * True once the store has held the whole truth of the server's history, and until the server has another
   * one. That a kind is not served is a truth too.
   */
  synced(): boolean {
    return this.#synced && !this.#isOther;
  }

  /** Like {@link synced}, of any history. */
  everSynced(): boolean {
    return this.#synced;
  }

  whenSynced(): Promise<void> {
    return this.#syncing?.promise ?? Promise.resolve();
  }

  served(): boolean {
    return this.#served;
  }

  /** Returns the objects that satisfy `where`, of all namespaces or of one, sorted by namespace and name. */
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
    this.#charge.update();
  }

  /** When the server last answered: the freshness of the store. The epoch before the first answer. */
  lastSeen(): Date {
    return new Date(this.#lastSeenMs);
  }

  /** The resourceVersion that the watch has reached; empty before the first list. */
  version(): string {
    return this.#version;
  }

  /** Returns the reason the store is not kept up to date. Undefined while it is. */
  problem(): string | undefined {
    return this.#trouble.problem ?? (this.#isOther ? WENT_BACK : undefined);
  }

  /** Notes the version of the server's answer to a write. The watch must reach it. */
  noteVersion(version: string): void {
    this.#history?.noteVersion(version);
  }

  /** Ends the watch, since it contradicts other facts about the server: its history is compared. */
  doubt(): void {
    this.#watching?.abort();
  }

  /**
   * True while no watch continues from the store's resourceVersion: between two watches, or after an expired
   * one until the next list. Differences of this time are missing, without a {@link problem} to report.
   */
  interrupted(): boolean {
    return this.#interrupted;
  }

  async #run(): Promise<void> {
    let listed = false;
    while (!this.#stopped) {
      try {
        const from: string | undefined = listed
          ? await this.#whileRunning((signal) => this.#resumeFrom(signal))
          : undefined;
        const isProven: boolean = !listed;
        listed = from !== undefined || (await this.#whileRunning((signal) => this.#list(signal, isProven)));
        if (listed) await this.#watch(from ?? this.#version);
        else await this.#pause(this.#jitter(this.#options.absentKindRetryMs ?? 5_000));
      } catch (error) {
        if (this.#stopped) return;
        if (KubeApiError.is(error, 'Expired', 'NotFound', TOO_LARGE)) listed = false;
        await this.#recover(error);
      }
    }
  }

  /** Returns undefined if all must be listed again. */
  #resumeFrom(stopping: AbortSignal): Promise<string | undefined> {
    return unlessStopped(stopping, this.#history?.resumeFrom() ?? Promise.resolve(this.#version));
  }

  /**
   * Lists the kind. Returns false if it is not served. `isProven`: the list ends the trouble that was
   * reported last.
   */
  async #list(stopping: AbortSignal, isProven: boolean): Promise<boolean> {
    const begun = this.#history?.begin() ?? 0;
    const { client, options } = this.#options;
    const list = await unlessStopped(stopping, client.list<T>(this.kind, { ...options, keep: this.#keep }));
    // All of it is taken in, or nothing: objects that are missing in a part of a list have not gone.
    const present = this.#charge.fitting(list?.items ?? []);
    const history = await unlessStopped(stopping, this.#history?.compared(list, begun) ?? Promise.resolve('same'));
    if (history === 'stale') throw new KubeApiError(client.cluster, 0, 'Expired', 'the list is older than the watch');
    this.#replace(present, history === 'other');
    this.#served = list !== undefined;
    this.#version = list?.resourceVersion ?? '';
    this.#seen();
    if (isProven) this.#trouble.recovered();
    this.#interrupted = false;
    this.#synced = true;
    this.#syncing?.resolve();
    this.#syncing = undefined;
    return this.#served;
  }

  async #watch(resourceVersion: string): Promise<void> {
    const { client, clock, options, known, silenceMs = 150_000, watchSeconds = 1_800 } = this.#options;
    const startedAt = clock.now().getTime();
    // One signal a watch: a fleet has tens of thousands, and combined signals take kilobytes each.
    const timer = new SilenceTimer(clock, silenceMs);
    const timeoutSeconds = Math.round(watchSeconds * (1 + this.#random()));
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
    const lastedMs = () => clock.now().getTime() - startedAt;
    try {
      const stream = client.watch<T>(this.kind, {
        ...options,
        resourceVersion,
        timeoutSeconds,
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
      // At its time-out the server ends a watch, and was there all the time.
      if (lastedMs() < timeoutSeconds * 1_000 - SHORTEST_WATCH_MS) this.#history?.lost();
    }
    if (events > 0 || lastedMs() >= SHORTEST_WATCH_MS || this.#stopped || this.#isOther) return;
    throw new KubeApiError(client.cluster, 0, 'Unreachable', 'the watch ended as soon as it was opened');
  }

  #take(event: WatchEvent<T>): void {
    if (event.type === 'BOOKMARK') {
      this.#history?.passed(event.resourceVersion);
      this.#reached(event.resourceVersion);
      return;
    }
    const { resourceVersion } = event.object.metadata;
    if (this.#history?.takes(resourceVersion) === false) {
      this.#watching?.abort();
      return;
    }
    if (event.type === 'DELETED') {
      const gone = this.#keep(event.object);
      this.#drop(gone);
      this.#history?.noteGone(gone.metadata);
    } else {
      const object = this.#keep(event.object);
      this.#charge.makeRoom(object);
      this.#put(object);
    }
    this.#charge.update();
    this.#reached(resourceVersion);
  }

  #reached(version: string | undefined): void {
    if (version !== undefined && !isOlderThan(version, this.#version)) this.#version = version;
  }

  /** Marks the store as stale until the next list: it is not the server's content. */
  #onOtherHistory(): void {
    this.#syncing ??= Promise.withResolvers();
    this.#call(() => this.#options.handlers?.onOtherHistory?.());
    this.#watching?.abort();
  }

  get #isOther(): boolean {
    return this.#history?.isOther === true;
  }

  /** `isOther`: the objects held before are of another history, so that equal versions prove nothing. */
  #replace(present: ObjectStore<T>, isOther: boolean): void {
    const items = present.list();
    for (const old of this.store.list()) if (present.get(old.metadata) === undefined) this.#drop(old);
    for (const item of items) this.#put(item, isOther);
    this.#call(() => this.#options.handlers?.onReplace?.(items));
  }

  #put(object: T, always = false): void {
    const previous = this.store.get(object.metadata);
    const { resourceVersion, uid } = object.metadata;
    const isSame = previous?.metadata.resourceVersion === resourceVersion && previous?.metadata.uid === uid;
    if (isSame && !always) return;
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
      this.#log.error({ ...this.#trouble.fields, err: error }, 'a handler of a watch failed');
    }
  }

  #seen(): void {
    this.#lastSeenMs = this.#options.clock.now().getTime();
  }

  /** A watch that lasts: the next trouble is a new one, and its pauses begin small again. */
  #proven(): void {
    this.#trouble.recovered();
    this.#failures = 0;
  }

  async #recover(error: unknown): Promise<void> {
    const expected = KubeApiError.is(error, 'Expired');
    if (!expected) this.#trouble.report(error);
    const pause = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(this.#failures, 10));
    // After an expired resourceVersion the list follows at once. If the server reports every one as expired,
    // the reflector pauses between lists.
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
}

const NOTHING = (): void => undefined;
const WENT_BACK = 'the API server went back, as after a restore: the cluster is read again';

function historyOf<T extends KubernetesObject>(
  reflector: Reflector<T>,
  options: ReflectorOptions<T>,
  onOtherHistory: () => void,
): WatchedHistory<T> | undefined {
  const { history } = options.client;
  const watched = { store: reflector.store, version: () => reflector.version(), onOtherHistory };
  return history && new WatchedHistory(history, options, watched);
}

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
