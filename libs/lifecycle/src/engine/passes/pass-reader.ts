import type { Action } from '#core/kernel/actions/action';
import { type KubernetesObject, type ObjectRef, refOf } from '#core/kernel/api/kubernetes-object';
import type { ClusterCache } from '#platform/kube/cache/cluster-cache';
import type { SeenVersions } from '#platform/kube/cache/seen-versions';
import { selects } from '#platform/kube/cache/selects';
import type { KindRef, KubernetesList, ListOptions } from '#platform/kube/client/kube-client.port';

/** Age after which a pass that waits long for its API server reads again. */
const OLDEST_READ_MS = 5_000;

/** Sources of the reads of a pass. */
export type ClusterReads = Readonly<{
  get: (ref: ObjectRef) => Promise<KubernetesObject | undefined>;
  list: (kind: KindRef, options: ListOptions) => Promise<KubernetesList<KubernetesObject> | undefined>;
  serverVersion: () => Promise<string>;
  /** The cache, in place of requests. */
  cache?: Pick<ClusterCache, 'get' | 'list' | 'noteWritten' | 'noteDeleted'> &
    Partial<Pick<ClusterCache, 'listMetadata'>>;
  /** Kinds that the cache is known to lag for. */
  behind?: readonly string[];
  /**
   * Returns those of these kinds that the cache does not have up to their versions, after waiting
   * `patienceMs` for them.
   */
  lagging?: (seen: SeenVersions, patienceMs: number) => Promise<readonly string[]>;
  /** Grows when the API server turns out to have another history, as after a restore. */
  epoch?: () => number;
}>;

/** `written`: writes since then, by place. They are joined with `items` when the list is asked for again. */
type Listed = { selected: Selected | undefined; items: Promise<readonly KubernetesObject[]>; written: Written };
type Selected = NonNullable<ReturnType<typeof selects>>;
type Written = Map<string, KubernetesObject>;
type Got = Readonly<{ ref: ObjectRef; object: Promise<KubernetesObject | undefined> }>;
/** Answers for the kinds of one name, by request. */
type Answers = Readonly<{ lists: Map<string, Listed>; gets: Map<string, Got> }>;

/**
 * Reads for one pass: from the cluster's cache if there is one, otherwise by requests. A pass that has met
 * signs of a lagging cache doubts it, and asks the API server from then on. Several stages and rounds share
 * one read; the API server's answers to our own writes replace earlier reads. Changes by others start another
 * pass, and their resourceVersion makes the API server refuse a write on top of them. So a pass costs few
 * requests, and a later pass corrects each of its decisions.
 */
export class PassReader {
  readonly #answers = new Map<string, Answers>();
  #version: Promise<string | undefined> | undefined;
  #since: number | undefined;
  readonly #doubted: Set<string>;
  #doubtsAll: boolean;
  #deleted = false;
  #epoch: number;

  constructor(private readonly cluster: ClusterReads) {
    this.#epoch = this.#epochNow;
    this.#doubted = new Set(cluster.behind);
    this.#doubtsAll = cluster.cache === undefined;
  }

  /** True if every answer from now on comes from the API server, to a request of this pass. */
  get live(): boolean {
    return this.#doubtsAll;
  }

  /** True if this pass has read an API server that has another history now. */
  get isOutdated(): boolean {
    return this.#epochNow !== this.#epoch;
  }

  get #epochNow(): number {
    return this.cluster.epoch?.() ?? 0;
  }

  /**
   * Returns every item with its apiVersion and kind, which lists leave out. Empty if the kind is not served.
   */
  list<T extends KubernetesObject>(kind: KindRef, options: ListOptions = {}): Promise<readonly T[]> {
    const { lists } = this.#of(kind.kind);
    const key = listKey(kind, options);
    const known = itemsOf(lists.get(key)) ?? this.#within(kind, options);
    if (known !== undefined) return known as Promise<readonly T[]>;
    const items = this.#list(kind, options);
    lists.set(key, { selected: selects(options), items, written: new Map() });
    items.catch(() => lists.delete(key));
    return items as Promise<readonly T[]>;
  }

  /**
   * Like {@link list} of all items, but certain only of names, namespaces, labels, versions and times of
   * deletion. A cluster may have thousands, and the cache opens none for that.
   */
  listMetadata(kind: KindRef): Promise<readonly KubernetesObject[]> {
    const { lists } = this.#of(kind.kind);
    const key = `${listKey(kind, {})} metadata`;
    const known = itemsOf(lists.get(key)) ?? itemsOf(lists.get(listKey(kind, {})));
    if (known !== undefined) return known;
    const held = this.#cacheOf(kind.kind)?.listMetadata?.(kind);
    if (held === undefined) return this.list(kind);
    const items = Promise.resolve(held);
    lists.set(key, { selected: () => true, items, written: new Map() });
    return items;
  }

  get<T extends KubernetesObject>(ref: ObjectRef): Promise<T | undefined> {
    const { gets } = this.#of(ref.kind);
    const key = getKey(ref);
    const known = gets.get(key)?.object ?? this.#among(ref);
    if (known !== undefined) return known as Promise<T | undefined>;
    const object = this.#get(ref);
    gets.set(key, { ref, object });
    object.catch(() => gets.delete(key));
    return object as Promise<T | undefined>;
  }

  /** gitVersion of the API server; undefined when it is unknown. */
  serverVersion(): Promise<string | undefined> {
    this.#version ??= this.cluster.serverVersion().catch(() => undefined);
    return this.#version;
  }

  /**
   * True if an object read before may be gone: the cache may lag, or a deletion of this pass may have removed
   * it too.
   */
  get mayHaveLost(): boolean {
    return !this.#doubtsAll || this.#deleted;
  }

  /** A new round begins at `now`. */
  turn(now: Date): void {
    if (this.isOutdated) this.doubtAll();
    this.#since ??= now.getTime();
    if (now.getTime() - this.#since <= OLDEST_READ_MS) return;
    this.forgetAll();
    this.#since = now.getTime();
  }

  /** The API server answered a write of ours with this: newer than all that this pass has read of it. */
  noteWritten(object: KubernetesObject): void {
    this.cluster.cache?.noteWritten(object);
    if (object.metadata.deletionTimestamp) this.#deleted = true;
    const answers = this.#answers.get(object.kind);
    if (answers === undefined) return;
    // If it is being deleted, this write may have removed its last finalizer; forget all reads of the kind.
    if (object.metadata.deletionTimestamp) {
      this.forget(object.kind);
      return;
    }
    const ref = refOf(object);
    if (answers.gets.has(getKey(ref))) answers.gets.set(getKey(ref), { ref, object: Promise.resolve(object) });
    for (const [key, { selected, written }] of answers.lists) {
      if (!key.startsWith(`${object.apiVersion} `)) continue;
      if (selected === undefined) answers.lists.delete(key);
      else written.set(placeOf(object), object);
    }
  }

  /**
   * Notes that the API server accepted the deletion: the cache leaves the object out. Objects that are
   * deleted with it are not known.
   */
  noteDeleted(ref: ObjectRef): void {
    this.cluster.cache?.noteDeleted(ref);
    this.#deleted = true;
    this.forget(ref.kind);
  }

  /** These actions were tried, with unknown results. */
  forgetAbout(actions: readonly Action[]): void {
    for (const action of actions) {
      if (action.do === 'delete') {
        this.#deleted = true;
        this.doubt(action.ref.kind);
      } else if (action.do === 'patch') this.doubt(action.ref.kind);
      else if (action.do === 'emitEvent') this.forget('Event');
      else if ('object' in action) this.doubt(action.object.kind);
    }
  }

  /**
   * Returns those of these kinds that this pass may have read before they were at their versions. Waits at
   * most `patienceMs` for the cache. None if every read is a request.
   */
  async lagging(seen: SeenVersions, patienceMs: number): Promise<readonly string[]> {
    const cached = Object.fromEntries(Object.entries(seen).filter(([kind]) => this.#cacheOf(kind) !== undefined));
    const kinds = Object.keys(cached);
    if (kinds.length === 0) return kinds;
    const lagging = (await this.cluster.lagging?.(cached, patienceMs)) ?? kinds;
    // The cache may have received its current objects only after this pass read it.
    for (const kind of kinds) if (!lagging.includes(kind)) this.forget(kind);
    return lagging;
  }

  /** Later reads of this kind are requests to the API server. */
  doubt(kind: string): void {
    this.#doubted.add(kind);
    this.forget(kind);
  }

  /** Like {@link doubt}, for every kind. */
  doubtAll(): void {
    this.#doubtsAll = true;
    this.#deleted = false;
    this.#epoch = this.#epochNow;
    this.forgetAll();
  }

  forget(kind: string): void {
    this.#answers.delete(kind);
  }

  forgetAll(): void {
    this.#answers.clear();
  }

  #cacheOf(kind: string): ClusterReads['cache'] {
    return this.#doubtsAll || this.#doubted.has(kind) ? undefined : this.cluster.cache;
  }

  #of(kind: string): Answers {
    const answers = this.#answers.get(kind) ?? { lists: new Map(), gets: new Map() };
    this.#answers.set(kind, answers);
    return answers;
  }

  async #get(ref: ObjectRef): Promise<KubernetesObject | undefined> {
    const held = this.#cacheOf(ref.kind)?.get(ref);
    return held === undefined ? this.cluster.get(ref) : held.found;
  }

  async #list({ apiVersion, kind }: KindRef, options: ListOptions): Promise<readonly KubernetesObject[]> {
    const held = this.#cacheOf(kind)?.list({ apiVersion, kind }, options);
    if (held !== undefined) return held;
    const found = await this.cluster.list({ apiVersion, kind }, options);
    return (found?.items ?? []).map((item) => ({ ...item, apiVersion, kind }));
  }

  /**
   * Returns the answer from a list that was read already: of all objects, of the namespace or of the cluster.
   */
  #within(kind: KindRef, options: ListOptions): Promise<readonly KubernetesObject[]> | undefined {
    const { namespace, labelSelector, fieldSelector } = options;
    const selected = selects(options);
    if (selected === undefined) return undefined;
    const narrowed = (labelSelector ?? fieldSelector) !== undefined;
    return this.#all(kind, narrowed ? namespace : undefined)?.then((items) => items.filter(selected));
  }

  #among(ref: ObjectRef): Promise<KubernetesObject | undefined> | undefined {
    return this.#all(ref, ref.namespace)?.then((items) => items.find(({ metadata }) => isNamed(metadata, ref)));
  }

  #all(kind: KindRef, namespace: string | undefined): Promise<readonly KubernetesObject[]> | undefined {
    const { lists } = this.#of(kind.kind);
    const ofNamespace = namespace === undefined ? undefined : lists.get(listKey(kind, { namespace }));
    return itemsOf(ofNamespace ?? lists.get(listKey(kind, {})));
  }
}

function listKey({ apiVersion }: KindRef, { namespace = '', labelSelector = '', fieldSelector = '' }: ListOptions) {
  return [apiVersion, namespace, labelSelector, fieldSelector].join(' ');
}

const getKey = ({ apiVersion, namespace = '', name }: ObjectRef): string => [apiVersion, namespace, name].join(' ');

const isNamed = (metadata: KubernetesObject['metadata'], { name, namespace = '' }: ObjectRef): boolean =>
  metadata.name === name && (metadata.namespace ?? '') === namespace;

const placeOf = ({ metadata: { namespace = '', name = '' } }: KubernetesObject): string => `${namespace}/${name}`;

/** Returns the items with the writes since the last call; thousands of writes are joined at once. */
function itemsOf(listed: Listed | undefined): Promise<readonly KubernetesObject[]> | undefined {
  if (listed === undefined || listed.written.size === 0) return listed?.items;
  const { selected = () => false, items, written } = listed;
  listed.written = new Map();
  listed.items = items.then((known) => withWritten(known, written, selected));
  return listed.items;
}

function withWritten(
  items: readonly KubernetesObject[],
  written: Written,
  selected: Selected,
): readonly KubernetesObject[] {
  const known = items.flatMap((item) => {
    const place = placeOf(item);
    const newer = written.get(place);
    if (newer === undefined) return [item];
    written.delete(place);
    return selected(newer) ? [newer] : [];
  });
  return [...known, ...[...written.values()].filter(selected)];
}
