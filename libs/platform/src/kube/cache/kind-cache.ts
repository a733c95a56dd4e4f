import type { KubernetesObject, ObjectRef } from '#core/kernel/api/kubernetes-object';
import { isAsNewAs, isOlderThan } from '#core/kernel/history/resource-version';
import { withoutManagedFields } from '../client/managed-fields.js';
import { byPlace, placeIn } from './object-store.js';
import { ObjectsAtRest } from './objects-at-rest.js';
import { PackedObject } from './packed-object.js';
import { Reflector } from './reflector.js';
import type { ReflectorOptions } from './reflector-options.js';

type KindCacheOptions = Omit<ReflectorOptions<PackedObject>, 'keep' | 'contentOf' | 'handlers'> &
  Readonly<{
    /**
     * Returns the fields to keep of an object in addition to its names and labels. Default: all but
     * `metadata.managedFields`.
     */
    reduce?: (object: KubernetesObject) => KubernetesObject;
    /** True if the watch's selector selects an object. */
    selected?: (object: KubernetesObject) => boolean;
    /**
     * An object appeared, changed or went, by any writer; not called for the objects of the first list.
     */
    onMoved?: (metadata: KubernetesObject['metadata']) => void;
  }>;

/** Called for each object of a kind: those that are there, then every difference. */
type KindFollower = Readonly<{
  onChange: (object: PackedObject, previous: PackedObject | undefined) => void;
  onDelete: (object: PackedObject) => void;
}>;

/** Our own change of one object: its state after a write, or the deletion of the one with `uid`. */
type Own = Readonly<{ namespace: string; name: string; at: number }> &
  (Readonly<{ object: PackedObject; selected: boolean }> | Readonly<{ deleted: string }>);

/** The watch reports a deletion within milliseconds; the cache waits no longer than this. */
const DELETION_MS = 10_000;
/**
 * Most own writes kept while the watch lags; beyond it the watch counts as broken and the oldest are dropped.
 */
const MOST_OWN = 1_000;

/**
 * All objects of a kind as a watch reports them, and our own writes: the answer to a write of ours is
 * kept until the watch has reached its resourceVersion. So a reader of this cache sees at least the
 * writes of its own process.
 */
export class KindCache {
  readonly #reflector: Reflector<PackedObject>;
  readonly #own = new Map<string, Own>();
  readonly #followers = new Set<KindFollower>();
  readonly #atRest: ObjectsAtRest;

  constructor(private readonly options: KindCacheOptions) {
    const { reduce = withoutManagedFields, selected: _selected, onMoved, ...watch } = options;
    const moved = ({ metadata }: PackedObject) => {
      if (this.#reflector.everSynced()) onMoved?.(metadata);
    };
    const handlers = {
      onChange: (object: PackedObject, previous: PackedObject | undefined) => {
        this.#callEach((follower) => follower.onChange(object, previous));
        moved(object);
      },
      onDelete: (object: PackedObject) => {
        this.#atRest.gone(keyOf(object.metadata));
        this.#callEach((follower) => follower.onDelete(object));
        moved(object);
      },
      onOtherHistory: () => this.#own.clear(),
    };
    this.#atRest = new ObjectsAtRest(watch.clock, (object, bytes) => this.#reflector.lighter(object, bytes));
    this.#reflector = new Reflector<PackedObject>({
      ...watch,
      handlers,
      keep: (object) => this.#kept(object, reduce),
      contentOf: reduce,
      known: (line) => this.#writtenAs(line),
    });
  }

  /** An own write that the watch now reports was packed when it was answered. */
  #kept(object: KubernetesObject, reduce: (object: KubernetesObject) => KubernetesObject): PackedObject {
    const key = keyOf(object.metadata);
    const own = this.#own.get(key);
    const written = own !== undefined && 'object' in own ? own.object : undefined;
    if (written !== undefined && isSame(written, object)) return written;
    return this.#packed(key, new PackedObject(reduce(object)));
  }

  #packed(key: string, object: PackedObject): PackedObject {
    this.#atRest.changed(key, object);
    return object;
  }

  /** The object of an event of ours, by its text: the answer to the write is here already. */
  #writtenAs(line: string): PackedObject | undefined {
    if (this.#own.size === 0) return undefined;
    const version = onlyVersionIn(line);
    for (const own of this.#own.values()) {
      if (!('object' in own) || own.object.metadata.resourceVersion !== version) continue;
      return line.includes(`"uid":"${own.object.metadata.uid}"`) ? own.object : undefined;
    }
    return undefined;
  }

  start(): void {
    this.#reflector.start();
  }

  stop(): Promise<void> {
    return this.#reflector.stop().finally(() => this.#atRest.stop());
  }

  /**
   * Calls the follower for each object that the watch has reported, at once, and for every later difference,
   * until the returned function is called. Our own writes are among them once the watch reports them.
   */
  follow(follower: KindFollower): () => void {
    this.#followers.add(follower);
    for (const object of this.#reflector.store.list()) this.#call(() => follower.onChange(object, undefined));
    return () => this.#followers.delete(follower);
  }

  /** The state of the watch, as of a watch of one's own. */
  get watch(): Pick<Reflector<PackedObject>, 'synced' | 'whenSynced' | 'served' | 'lastSeen' | 'problem'> {
    return this.#reflector;
  }

  /** True if the content is kept up to date: the kind is served, was listed, and its watch is open. */
  get current(): boolean {
    const reflector = this.#reflector;
    return reflector.synced() && reflector.served() && !reflector.interrupted() && reflector.problem() === undefined;
  }

  /** When the API server last sent something, if only a bookmark. */
  lastSeen(): Date {
    return this.#reflector.lastSeen();
  }

  /** True if the cache has every write up to this resourceVersion. */
  hasReached(version: string): boolean {
    return isAsNewAs(this.#reflector.version(), version);
  }

  /** Sorted by namespace and name. */
  list(namespace?: string): readonly PackedObject[] {
    const listed = this.#reflector.store.list(namespace);
    this.#forgetReported();
    if (this.#own.size === 0) return listed;
    const shown = [...listed];
    for (const own of this.#own.values()) if (namespace === undefined || namespace === own.namespace) show(own, shown);
    return shown;
  }

  get({ namespace, name }: Pick<ObjectRef, 'namespace' | 'name'>): PackedObject | undefined {
    this.#forgetReported();
    const reported = this.#reflector.store.get({ namespace, name });
    const own = this.#own.get(keyOf({ namespace, name }));
    if (own === undefined) return reported;
    if ('object' in own) return own.selected ? own.object : undefined;
    return reported !== undefined && hides(own.deleted, reported.metadata) ? undefined : reported;
  }

  /** The API server answered a write of ours with this. */
  noteWritten(object: KubernetesObject): void {
    const { resourceVersion } = object.metadata;
    const { selected = () => true, reduce = withoutManagedFields } = this.options;
    if (resourceVersion === undefined || !isAsNewAs(resourceVersion, '0')) return;
    this.#reflector.noteVersion(resourceVersion);
    // If the watch has passed this version already, it has reported this object or a newer one.
    if (this.hasReached(resourceVersion)) {
      const reported = this.#reflector.store.get(object.metadata);
      if (isSame(reported, object)) reported?.isOpenAs(reduce(object));
      else if (isOlderThan(reported?.metadata.resourceVersion, resourceVersion)) this.#reflector.doubt();
      return;
    }
    // The pass that wrote it reads it again at once.
    const packed = this.#packed(keyOf(object.metadata), new PackedObject(reduce(object), 'opened'));
    this.#note({ object: packed, selected: selected(object), ...this.#named(object.metadata) });
  }

  /**
   * The API server accepted the deletion; an object that is held by finalizers is seen again
   * once the watch reports it.
   */
  noteDeleted(ref: Pick<ObjectRef, 'namespace' | 'name'>): void {
    const uid = this.get(ref)?.metadata.uid;
    if (uid !== undefined) this.#note({ deleted: uid, ...this.#named(ref) });
  }

  #callEach(call: (follower: KindFollower) => void): void {
    for (const follower of this.#followers) this.#call(() => call(follower));
  }

  /** A follower that fails must not keep the others from being called. */
  #call(call: () => void): void {
    try {
      call();
    } catch (err) {
      const { client, kind, log } = this.options;
      log?.error({ cluster: client.cluster, ...kind, err }, 'a reader of a watch failed');
    }
  }

  #note(own: Own): void {
    const key = keyOf(own);
    this.#own.delete(key);
    this.#own.set(key, own);
    const [oldest] = this.#own.keys();
    if (this.#own.size > MOST_OWN && oldest !== undefined) this.#own.delete(oldest);
  }

  #forgetReported(): void {
    for (const [key, own] of this.#own) if (this.#wasReported(own)) this.#own.delete(key);
  }

  #wasReported(own: Own): boolean {
    if ('object' in own) return this.hasReached(own.object.metadata.resourceVersion ?? '');
    const reported = this.#reflector.store.get(own);
    if (reported === undefined || !hides(own.deleted, reported.metadata)) return true;
    return this.options.clock.now().getTime() - own.at > DELETION_MS;
  }

  #named({ namespace = '', name = '' }: Readonly<{ namespace?: string | undefined; name?: string | undefined }>) {
    return { namespace, name, at: this.options.clock.now().getTime() };
  }
}

const isSame = (one: KubernetesObject | undefined, other: KubernetesObject): boolean =>
  one?.metadata.resourceVersion === other.metadata.resourceVersion && one?.metadata.uid === other.metadata.uid;

/** True if this is the deleted object, as it was before. */
const hides = (deleted: string, { uid, deletionTimestamp }: KubernetesObject['metadata']): boolean =>
  uid === deleted && !deletionTimestamp;

/** Applies a write of ours to a sorted list that the watch has reported. */
function show(own: Own, sorted: PackedObject[]): void {
  const at = placeIn(sorted, own);
  const found = sorted[at];
  const reported = found !== undefined && byPlace(found.metadata, own) === 0 ? found : undefined;
  const there = reported === undefined ? 0 : 1;
  if ('object' in own) sorted.splice(at, there, ...(own.selected ? [own.object] : []));
  else if (reported !== undefined && hides(own.deleted, reported.metadata)) sorted.splice(at, 1);
}

const keyOf = ({
  namespace = '',
  name = '',
}: Readonly<{ namespace?: string | undefined; name?: string | undefined }>): string => `${namespace}/${name}`;

const VERSION = '"resourceVersion":"';

/**
 * Returns the version of the object if the text names one alone. Text within a string has its quotes escaped.
 * But a user may give an annotation this name, and it precedes the version of the object.
 */
function onlyVersionIn(line: string): string | undefined {
  const at = line.indexOf(VERSION);
  if (at < 0 || at !== line.lastIndexOf(VERSION)) return undefined;
  const from = at + VERSION.length;
  return line.slice(from, line.indexOf('"', from));
}
