import { COPIED_FROM_LABEL } from '#core/classic/csv/copies/step-copies';
import { CLUSTER_PROXY } from '#core/classic/csv/world/cluster-proxy';
import { namespacesWaitingForRights } from '#core/cluster/observation/waiting-for-rights';
import { type ClusterServiceVersion, CSV_API } from '#core/kernel/api/cluster-service-version';
import type { ObjectRef } from '#core/kernel/api/kubernetes-object';
import { isAsNewAs } from '#core/kernel/history/resource-version';
import { deniedRight } from '#core/kernel/rbac/denied-right';
import type { Clock } from '#platform/clock/clock.port';
import type { ClusterCache } from '#platform/kube/cache/cluster-cache';
import type { SeenVersions } from '#platform/kube/cache/seen-versions';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import type { ClusterReads } from '../passes/pass-reader.js';
import type { CacheLease, ClusterCaches } from './cluster-caches.js';
import { MANAGED_SECRETS, ManagedSecrets } from './managed-secrets.js';
import { DEFINITION, RecentDefinitions } from './recent-definitions.js';
import { RightsChanges } from './rights-changes.js';
import { SharedLists } from './shared-lists.js';

type ClusterViewOptions = Readonly<{
  client: KubeClient;
  clock: Clock;
  caches: ClusterCaches;
  /** The cache stays open without work: another role of this process reads it all the time. */
  staysOpen?: boolean;
  /** An object that only the applier may watch has changed in this namespace. */
  onMoved?: (namespace: string) => void;
}>;

/** Watches report within milliseconds; a pass that would have to wait longer asks the cluster. */
const PATIENCE_MS = 250;
/** A pass waits no longer for the first lists of a cache that was opened for it. */
const OPENING_MS = 1_000;
/** Time without a read after which a cache is closed: the cache of an idle cluster takes megabytes. */
const REST_MS = 60_000;
/**
 * The same while the caches of many clusters are open, as after a start: the jobs of a cluster come
 * together.
 */
const SHORT_REST_MS = 5_000;
/**
 * The same after a pass has written. More work is likely to come, and the lists of an opening cache cost more
 * than the pass. While memory is short, a minute.
 */
const REST_AFTER_WRITE_MS = 300_000;
/**
 * A cluster stays OpenShift, or plain Kubernetes, while it runs. The answer is checked again now and then
 * nevertheless.
 */
const PLAIN_FOR_MS = 60_000;

type Opened = Readonly<{ lease: CacheLease; rights: RightsChanges; listed: Promise<unknown>; unsubscribe: () => void }>;

/**
 * The source of reads for passes over the subjects of one cluster: the cache, and requests for the rest. The
 * first pass opens the cache. It is closed when no pass has read for a while (decision 0164).
 */
export class ClusterView {
  readonly #options: ClusterViewOptions;
  readonly #secrets: ManagedSecrets;
  readonly #lists: SharedLists;
  readonly #definitions: RecentDefinitions;
  #opened: Opened | undefined;
  #usedAt = 0;
  #wroteAt = Number.NEGATIVE_INFINITY;
  #cancelRest: (() => void) | undefined;
  #stopped = false;
  #plainUntil = 0;
  /** The newest versions that the poller had reached when it enqueued a job. */
  #seen: SeenVersions = {};

  constructor(options: ClusterViewOptions) {
    const { client, clock, onMoved } = options;
    this.#options = options;
    this.#lists = new SharedLists(client);
    this.#definitions = new RecentDefinitions(clock);
    this.#secrets = new ManagedSecrets({ client, clock, onMoved: (namespace) => onMoved?.(namespace) });
  }

  /** Starts the watches that the applier alone has the right to open. */
  start(): void {
    if (this.#options.staysOpen === true) this.#open();
    else void this.#secrets.startIfAny();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#definitions.clear();
    await Promise.all([this.#secrets.stop(), this.#close()]);
  }

  /** True if the cache is open. */
  get isOpen(): boolean {
    return this.#opened !== undefined;
  }

  /**
   * Returns the time at which the cluster last sent something through a watch. Undefined if nothing is
   * watched.
   */
  lastSeen(): Date | undefined {
    return this.#opened?.lease.cache.lastSeen() ?? this.#secrets.lastSeen();
  }

  /** Answers of the API server that refuse a watch, one text a kind. */
  deniedWatches(): readonly string[] {
    const problems = this.#opened?.lease.cache.problems() ?? this.#secrets.problems();
    return problems.filter((problem) => deniedRight(problem) !== undefined);
  }

  /**
   * Readers for one pass. `seen`: resourceVersions the poller had reached when it enqueued the job; kinds
   * behind them are read live, and so is everything once the cache is closed.
   */
  async reads(seen: SeenVersions): Promise<ClusterReads> {
    this.#seen = newestOf(this.#seen, seen);
    return this.#stopped ? this.#live(seen) : this.#cached(this.#open(), seen);
  }

  /**
   * Returns readers for work that follows the passes so far. They open no cache, and read live if none is
   * open.
   */
  async readsAfter(): Promise<ClusterReads> {
    return this.#opened === undefined ? this.#live(this.#seen) : this.#cached(this.#opened, this.#seen);
  }

  #live(seen: SeenVersions): ClusterReads {
    return {
      get: (ref) => this.#get(ref, seen),
      list: (kind, options) => this.#lists.list(kind, options),
      serverVersion: () => this.#options.client.serverVersion(),
      epoch: () => this.#options.client.history?.epoch ?? 0,
    };
  }

  async #cached({ lease: { cache }, listed }: Opened, seen: SeenVersions): Promise<ClusterReads> {
    await listed;
    return {
      ...this.#live(seen),
      cache: this.#noting(cache, seen),
      behind: await cache.behind(seen, PATIENCE_MS),
      lagging: (versions, patienceMs) => cache.behind(versions, patienceMs),
    };
  }

  /** The cache for one pass: as long as the pass reads or writes, the cache is not at rest. */
  #noting(cache: ClusterCache, seen: SeenVersions): NonNullable<ClusterReads['cache']> {
    const used = (): ClusterCache => {
      this.#usedAt = this.#now();
      return cache;
    };
    const written = (): ClusterCache => {
      this.#wroteAt = this.#now();
      return used();
    };
    const changed = (kind: string, name = ''): ClusterCache => {
      if (kind === DEFINITION) this.#definitions.noteWritten(name);
      return written();
    };
    return {
      get: (ref) => {
        const found = ref.kind === DEFINITION ? this.#definitions.found(ref, seen[DEFINITION]) : undefined;
        return found === undefined ? used().get(ref) : { found };
      },
      list: (kind, options) => used().list(kind, options),
      listMetadata: (kind) => used().listMetadata(kind),
      noteWritten: (object) => changed(object.kind, object.metadata.name).noteWritten(object),
      noteDeleted: (ref) => changed(ref.kind, ref.name).noteDeleted(ref),
    };
  }

  #open(): Opened {
    this.#usedAt = this.#now();
    if (this.#opened !== undefined) return this.#opened;
    const { client, clock, caches, onMoved } = this.#options;
    const lease = caches.lease(client);
    const { cache } = lease;
    const rights = new RightsChanges({ clock, csvs: cache, onAffected: (namespace) => onMoved?.(namespace) });
    const unsubscribe = cache.onMoved((kind, metadata) => {
      rights.note(kind, metadata);
      if (kind === MANAGED_SECRETS.kind && metadata.namespace !== undefined) this.#secretMoved(metadata.namespace);
    });
    const listed = Promise.race([cache.whenSynced(), clock.sleep(OPENING_MS)]);
    this.#opened = { lease, rights, listed, unsubscribe };
    if (this.#options.staysOpen !== true) this.#restIn(this.#restMs);
    return this.#opened;
  }

  /** The poller may not read Secrets, so lost serving certificates are noticed here. */
  #secretMoved(namespace: string): void {
    if (!this.#secrets.isCurrent) this.#options.onMoved?.(namespace);
    if (this.#options.staysOpen !== true) this.#secrets.start();
  }

  get #restMs(): number {
    return this.#options.caches.areMany ? SHORT_REST_MS : REST_MS;
  }

  #restIn(delayMs: number): void {
    this.#cancelRest = this.#options.clock.after(delayMs, () => void this.#rest());
  }

  async #rest(): Promise<void> {
    const afterWriteMs = this.#options.caches.areTooMany ? REST_MS : REST_AFTER_WRITE_MS;
    const left = Math.max(this.#usedAt + this.#restMs, this.#wroteAt + afterWriteMs) - this.#now();
    if (left > 0) this.#restIn(Math.min(left, REST_MS));
    else if (this.#mayBeWokenByRights()) this.#restIn(REST_MS);
    else await this.#close();
  }

  /** Changes of rights wake operators that wait for them; only this cache has the objects of users. */
  #mayBeWokenByRights(): boolean {
    const found = this.#opened?.lease.cache.list(CSV_API, { labelSelector: `!${COPIED_FROM_LABEL}` });
    return namespacesWaitingForRights((found ?? []) as readonly ClusterServiceVersion[]).length > 0;
  }

  async #close(): Promise<void> {
    this.#cancelRest?.();
    const opened = this.#opened;
    this.#opened = undefined;
    if (opened === undefined) return;
    const { lease, rights, unsubscribe } = opened;
    if (!this.#stopped && this.#options.staysOpen !== true) this.#keepSecrets(lease.cache);
    unsubscribe();
    rights.stop();
    await lease.end();
  }

  /** Starts the watch of managed Secrets if the cache cannot say that there are none. */
  #keepSecrets(cache: ClusterCache): void {
    const found = cache.list(MANAGED_SECRETS, { labelSelector: MANAGED_SECRETS.labelSelector });
    if (found === undefined) void this.#secrets.startIfAny();
    else if (found.length > 0) this.#secrets.start();
  }

  async #get(ref: ObjectRef, seen: SeenVersions) {
    const { client } = this.#options;
    if (ref.kind === DEFINITION) return this.#definitions.read(seen[DEFINITION], () => client.get(ref));
    if (ref.kind !== CLUSTER_PROXY.kind || ref.apiVersion !== CLUSTER_PROXY.apiVersion) return client.get(ref);
    const now = this.#now();
    if (now < this.#plainUntil) return undefined;
    const found = await client.get(ref);
    if (found === undefined && !(await client.serves(ref))) this.#plainUntil = now + PLAIN_FOR_MS;
    return found;
  }

  #now(): number {
    return this.#options.clock.now().getTime();
  }
}

function newestOf(known: SeenVersions, seen: SeenVersions): SeenVersions {
  const newer = Object.entries(seen).filter(([kind, version]) => !isAsNewAs(known[kind], version));
  return newer.length === 0 ? known : { ...known, ...Object.fromEntries(newer) };
}
