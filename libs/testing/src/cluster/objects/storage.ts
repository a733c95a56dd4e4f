import { byCodeUnit } from '#core/kernel/canonical/canonical-json';
import { type ApiObject, keyOf } from './api-object.js';

export type ChangeType = 'ADDED' | 'MODIFIED' | 'DELETED';

/**
 * One write. `previous` lets a watch with a selector distinguish an object that left its
 * selection from one that changed.
 */
export type Change = Readonly<{
  type: ChangeType;
  resource: string;
  revision: number;
  object: ApiObject;
  previous?: ApiObject;
}>;

/**
 * All objects of a cluster at one revision, by resource. The storage shares them, and never changes an
 * object.
 */
export type EtcdSnapshot = Readonly<{ revision: number; objects: ReadonlyMap<string, ReadonlyMap<string, ApiObject>> }>;

type Table = {
  objects: Map<string, ApiObject>;
  sorted: readonly string[] | undefined;
  history: Change[];
  /** The newest revision with a change that is no longer in the history. */
  forgotten: number;
};

const KEPT_CHANGES = 256;

/**
 * The objects of one cluster, all resources under one growing revision, with the recent
 * changes that watches replay.
 */
export class ObjectStorage {
  readonly #tables = new Map<string, Table>();
  readonly #listeners = new Set<(change: Change) => void>();
  /** Listeners by resource: a cluster has dozens of watches, and a change concerns two or three of them. */
  readonly #listenersOf = new Map<string, Set<(change: Change) => void>>();
  #revision = 1;
  #compacted = 0;

  /** `keptChanges`: of each resource, at least. */
  constructor(private readonly keptChanges = KEPT_CHANGES) {}

  get revision(): number {
    return this.#revision;
  }

  get(resource: string, key: string): ApiObject | undefined {
    return this.#tables.get(resource)?.objects.get(key);
  }

  /** All objects of a resource in the order of their keys, as etcd returns them. */
  list(resource: string): readonly ApiObject[] {
    const table = this.#tables.get(resource);
    if (table === undefined) return [];
    table.sorted ??= [...table.objects.keys()].sort(byCodeUnit);
    return table.sorted.flatMap((key) => table.objects.get(key) ?? []);
  }

  resourcesInUse(): readonly string[] {
    return [...this.#tables].flatMap(([resource, table]) => (table.objects.size > 0 ? [resource] : []));
  }

  /**
   * Stores the object under a new revision and notifies every listener; the returned
   * object carries the revision.
   */
  put(resource: string, object: ApiObject): ApiObject {
    const table = this.#table(resource);
    const key = keyOf(object);
    const previous = table.objects.get(key);
    const revision = this.#next();
    const stored: ApiObject = { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } };
    table.objects.set(key, stored);
    if (previous === undefined) table.sorted = undefined;
    const type = previous === undefined ? 'ADDED' : 'MODIFIED';
    this.#record(table, { type, resource, revision, object: stored, ...(previous === undefined ? {} : { previous }) });
    return stored;
  }

  /** Stores an object several clusters share; it keeps the revision it carries and no watch sees it. */
  seed(resource: string, object: ApiObject): void {
    const table = this.#table(resource);
    table.objects.set(keyOf(object), object);
    table.sorted = undefined;
  }

  remove(resource: string, object: ApiObject): void {
    const table = this.#table(resource);
    const key = keyOf(object);
    const previous = table.objects.get(key);
    if (previous === undefined) return;
    table.objects.delete(key);
    table.sorted = undefined;
    const revision = this.#next();
    const last: ApiObject = { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } };
    this.#record(table, { type: 'DELETED', resource, revision, object: last, previous });
  }

  /** Forgets a resource that is no longer served, with its history. */
  drop(resource: string): void {
    this.#tables.delete(resource);
  }

  /** Returns changes after a revision, or undefined if they are no longer all known. */
  changesSince(resource: string, revision: number): readonly Change[] | undefined {
    const table = this.#tables.get(resource);
    if (revision < Math.max(this.#compacted, table?.forgotten ?? 0)) return undefined;
    return table?.history.filter((change) => change.revision > revision) ?? [];
  }

  /** Forgets all history: every revision handed out so far is too old to watch from. */
  compact(): void {
    this.#compacted = this.#next();
    for (const table of this.#tables.values()) table.history = [];
  }

  snapshot(): EtcdSnapshot {
    const objects = [...this.#tables].map(([resource, table]) => [resource, new Map(table.objects)] as const);
    return { revision: this.#revision, objects: new Map(objects) };
  }

  /**
   * Stores exactly the content of the snapshot, with the versions and the revision of that time, as etcd does
   * after a restore. Watches can begin at that revision; the listeners learn every difference.
   */
  restore({ revision, objects }: EtcdSnapshot): void {
    const changes = [...new Set([...this.#tables.keys(), ...objects.keys()])].flatMap((resource) =>
      this.#swap(resource, objects.get(resource) ?? new Map(), revision),
    );
    this.#revision = revision;
    this.#compacted = revision;
    for (const change of changes) this.#notify(change);
  }

  onChange(listener: (change: Change) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Returns how to end it. */
  onChangeOf(resource: string, listener: (change: Change) => void): () => void {
    const listeners = this.#listenersOf.get(resource) ?? new Set();
    this.#listenersOf.set(resource, listeners.add(listener));
    return () => listeners.delete(listener);
  }

  #next(): number {
    this.#revision += 1;
    return this.#revision;
  }

  #table(resource: string): Table {
    const known = this.#tables.get(resource);
    if (known !== undefined) return known;
    const made: Table = { objects: new Map(), sorted: undefined, history: [], forgotten: 0 };
    this.#tables.set(resource, made);
    return made;
  }

  #record(table: Table, change: Change): void {
    table.history.push(change);
    if (table.history.length > 2 * this.keptChanges) {
      const dropped = table.history.splice(0, table.history.length - this.keptChanges);
      table.forgotten = dropped.at(-1)?.revision ?? table.forgotten;
    }
    this.#notify(change);
  }

  #notify(change: Change): void {
    for (const listener of this.#listeners) listener(change);
    for (const listener of this.#listenersOf.get(change.resource) ?? []) listener(change);
  }

  /** Puts other objects in the place of a resource's; returns the differences. */
  #swap(resource: string, wanted: ReadonlyMap<string, ApiObject>, revision: number): Change[] {
    const table = this.#table(resource);
    const before = table.objects;
    table.objects = new Map(wanted);
    table.sorted = undefined;
    table.history = [];
    table.forgotten = 0;
    const gone = [...before].filter(([key]) => !wanted.has(key));
    const changed = [...wanted].filter(([key, object]) => before.get(key) !== object);
    return [
      ...gone.map(([, object]): Change => ({ type: 'DELETED', resource, revision, object, previous: object })),
      ...changed.map(([key, object]): Change => {
        const previous = before.get(key);
        if (previous === undefined) return { type: 'ADDED', resource, revision, object };
        return { type: 'MODIFIED', resource, revision, object, previous };
      }),
    ];
  }
}
