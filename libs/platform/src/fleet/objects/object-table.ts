import { randomUUID } from 'node:crypto';
import type { KubernetesObject, ObjectRef } from '#core/kernel/api/kubernetes-object';
import { byCodeUnit } from '#core/kernel/canonical/canonical-json';
import { sameJson } from '#core/kernel/canonical/same-json';
import { isRecord } from '#core/kernel/json/json-access';
import type { Clock } from '../../clock/clock.port.js';
import { type DeletionOptions, type KindRef, KubeApiError } from '../../kube/client/kube-client.port.js';
import { checkedObject } from './checked-object.js';

/** A change of an object, as a watch reports it. */
export type TableEvent = Readonly<{
  type: 'ADDED' | 'MODIFIED' | 'DELETED';
  version: number;
  object: KubernetesObject;
}>;

/** Parts of an object that a write concerns: everything but the status, or the status alone. */
export type WrittenPart = 'object' | 'status';

type ObjectTableOptions = Readonly<{
  /** Name in errors. */
  name: string;
  clock: Clock;
  /** Number of changes that are kept for later watches. */
  keptEvents?: number;
}>;

type Metadata = KubernetesObject['metadata'];

const KEPT_EVENTS = 20_000;
const NAME_CHARACTERS = 5;

/** Names an object of the table. */
export const tableKey = ({ kind, namespace = '', name }: Pick<ObjectRef, 'kind' | 'namespace' | 'name'>): string =>
  `${kind}/${namespace}/${name}`;

const keyOf = ({ kind, metadata }: KubernetesObject): string =>
  tableKey({ kind, name: metadata.name ?? '', namespace: metadata.namespace });

/** Objects have no undefined fields, as in JSON. */
const plain = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

/**
 * Objects of the fleet in the memory of this process, kept by the rules of an API server: versions, locks, a
 * separate status, finalizers, checks of writes.
 */
export class ObjectTable {
  readonly #objects = new Map<string, KubernetesObject>();
  readonly #events: TableEvent[] = [];
  readonly #listeners = new Set<(event: TableEvent) => void>();
  #version = 0;
  /** The version of the newest change that was dropped. */
  #forgotten = 0;

  constructor(private readonly options: ObjectTableOptions) {}

  get version(): number {
    return this.#version;
  }

  get(ref: Pick<ObjectRef, 'kind' | 'namespace' | 'name'>): KubernetesObject | undefined {
    return this.#objects.get(tableKey(ref));
  }

  /** Sorted by namespace and name. */
  list({ kind }: Pick<KindRef, 'kind'>): readonly KubernetesObject[] {
    const found = [...this.#objects].filter(([, object]) => object.kind === kind);
    return found.sort(([a], [b]) => byCodeUnit(a, b)).map(([, object]) => object);
  }

  /** Objects of all kinds. */
  all(): Iterable<KubernetesObject> {
    return this.#objects.values();
  }

  /**
   * Returns the changes of a kind after a version.
   *
   * @throws KubeApiError of reason Expired if they are forgotten
   */
  since(kind: string, version: number): readonly TableEvent[] {
    if (version < this.#forgotten) throw this.refusal(410, 'Expired', `too old resource version: ${version}`);
    return this.#events.filter((event) => event.version > version && event.object.kind === kind);
  }

  /** Calls the listener for every change, in order. Returns a function that unsubscribes. */
  onEvent(listener: (event: TableEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  create(asked: KubernetesObject, isDryRun = false): KubernetesObject {
    const { generateName, ...given } = asked.metadata;
    const name = given.name ?? `${generateName ?? ''}${randomUUID().slice(0, NAME_CHARACTERS)}`;
    const { status: _status, ...rest } = asked;
    const object = this.#checked({ ...rest, metadata: { ...given, name } } as KubernetesObject, undefined);
    if (this.#objects.has(keyOf(object))) throw this.#refused(object, 409, 'AlreadyExists', 'already exists');
    const metadata = { ...object.metadata, uid: randomUUID(), creationTimestamp: this.#time(), generation: 1 };
    const created = { ...object, metadata } as KubernetesObject;
    return isDryRun ? created : this.#store('ADDED', created);
  }

  update(asked: KubernetesObject, part: WrittenPart, isDryRun = false): KubernetesObject {
    const before = this.#found(asked);
    const { resourceVersion } = asked.metadata;
    if (resourceVersion !== undefined && resourceVersion !== before.metadata.resourceVersion) {
      const said = 'the object has been modified; please apply your changes to the latest version and try again';
      throw this.#refused(asked, 409, 'Conflict', said);
    }
    const merged =
      part === 'status' ? ({ ...before, status: asked['status'] } as KubernetesObject) : withOwn(asked, before);
    const after = part === 'status' ? plain(merged) : this.#checked(merged, before);
    if (sameJson(after, before)) return before;
    const generation = (before.metadata.generation ?? 1) + (sameJson(after['spec'], before['spec']) ? 0 : 1);
    const next = { ...after, metadata: { ...after.metadata, generation } } as KubernetesObject;
    return isDryRun ? next : this.#storeOrRemove(next);
  }

  /** JSON merge patch, RFC 7386. */
  patch(ref: ObjectRef, patch: object, part: WrittenPart, isDryRun = false): KubernetesObject {
    const before = this.#found({ ...ref, metadata: { name: ref.name, namespace: ref.namespace } });
    const { metadata } = before;
    const asked = mergePatch({ ...before, metadata: { ...metadata, resourceVersion: undefined } }, patch);
    return this.update(asked as KubernetesObject, part, isDryRun);
  }

  /** Deletes an object. Returns false if it was gone already, or another object has its name now. */
  delete(ref: ObjectRef, { uid, resourceVersion, onHeld }: DeletionOptions = {}): boolean {
    const found = this.get(ref);
    if (found === undefined || (uid !== undefined && uid !== found.metadata.uid)) return false;
    if (resourceVersion !== undefined && resourceVersion !== found.metadata.resourceVersion) {
      throw this.#refused(found, 409, 'Conflict', 'the object has been modified');
    }
    const metadata = { ...found.metadata, deletionTimestamp: found.metadata.deletionTimestamp ?? this.#time() };
    const held = this.#storeOrRemove({ ...found, metadata } as KubernetesObject);
    if ((held.metadata.finalizers ?? []).length > 0) onHeld?.(held);
    return true;
  }

  /** Takes an object over as it is: one that was read, and not written by a client. */
  put(object: KubernetesObject): void {
    const before = this.#objects.get(keyOf(object));
    const asKnown = { ...object, metadata: { ...object.metadata, resourceVersion: before?.metadata.resourceVersion } };
    if (before === undefined || !sameJson(plain(asKnown), before)) {
      this.#store(before === undefined ? 'ADDED' : 'MODIFIED', plain(object));
    }
  }

  /** An object that was read before is gone, whatever holds it. */
  drop(ref: Pick<ObjectRef, 'kind' | 'namespace' | 'name'>): void {
    const found = this.get(ref);
    if (found !== undefined) this.#remove(found);
  }

  refusal(status: number, reason: string, message: string): KubeApiError {
    return new KubeApiError(this.options.name, status, reason, `${this.options.name}: ${message}`, [], message);
  }

  #checked(object: KubernetesObject, before: KubernetesObject | undefined): KubernetesObject {
    const checked = checkedObject(plain(object), before);
    if ('problem' in checked) throw this.#refused(object, 422, 'Invalid', `is invalid: ${checked.problem}`);
    return checked.object;
  }

  #found(asked: KubernetesObject): KubernetesObject {
    const found = this.#objects.get(keyOf(asked));
    if (found === undefined) throw this.#refused(asked, 404, 'NotFound', 'not found');
    return found;
  }

  #refused({ kind, metadata }: KubernetesObject, status: number, reason: string, said: string): KubeApiError {
    const namespace = metadata.namespace === undefined ? '' : `${metadata.namespace}/`;
    return this.refusal(status, reason, `${kind} ${namespace}${metadata.name}: ${said}`);
  }

  #storeOrRemove(object: KubernetesObject): KubernetesObject {
    const { deletionTimestamp, finalizers = [] } = object.metadata;
    if (deletionTimestamp === undefined || finalizers.length > 0) return this.#store('MODIFIED', object);
    return this.#remove(object);
  }

  #store(type: 'ADDED' | 'MODIFIED', object: KubernetesObject): KubernetesObject {
    const stored = this.#versioned(object);
    this.#objects.set(keyOf(stored), stored);
    this.#tell({ type, version: this.#version, object: stored });
    return stored;
  }

  #remove(object: KubernetesObject): KubernetesObject {
    this.#objects.delete(keyOf(object));
    const removed = this.#versioned(object);
    this.#tell({ type: 'DELETED', version: this.#version, object: removed });
    return removed;
  }

  #versioned(object: KubernetesObject): KubernetesObject {
    this.#version += 1;
    return { ...object, metadata: { ...object.metadata, resourceVersion: String(this.#version) } } as KubernetesObject;
  }

  #tell(event: TableEvent): void {
    this.#events.push(event);
    const { keptEvents = KEPT_EVENTS } = this.options;
    if (this.#events.length > 2 * keptEvents) {
      const dropped = this.#events.splice(0, this.#events.length - keptEvents);
      this.#forgotten = dropped.at(-1)?.version ?? this.#forgotten;
    }
    for (const listener of this.#listeners) listener(event);
  }

  /** Kubernetes keeps times to the second. */
  #time(): string {
    return `${this.options.clock.now().toISOString().slice(0, 19)}Z`;
  }
}

/** Returns the object of a client's write, with the API server's own fields and the status unchanged. */
function withOwn(asked: KubernetesObject, before: KubernetesObject): KubernetesObject {
  const { uid, creationTimestamp, generation, deletionTimestamp, resourceVersion } = before.metadata;
  const metadata: Metadata = { ...asked.metadata, uid, creationTimestamp, generation, resourceVersion };
  if (deletionTimestamp !== undefined) metadata.deletionTimestamp = deletionTimestamp;
  const { status: _status, ...rest } = asked;
  const status = before['status'];
  return { ...rest, metadata, ...(status === undefined ? {} : { status }) } as KubernetesObject;
}

/** Objects merge field by field, null removes, everything else replaces. */
function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isRecord(patch)) return patch;
  const result: Record<string, unknown> = isRecord(target) ? { ...target } : {};
  for (const [field, value] of Object.entries(patch)) {
    if (value === null) delete result[field];
    else result[field] = mergePatch(result[field], value);
  }
  return result;
}
