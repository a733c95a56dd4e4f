import type { KubernetesObject, ObjectRef } from '#core/kernel/api/kubernetes-object';
import type { Clock } from '../../clock/clock.port.js';
import { selects } from '../../kube/cache/selects.js';
import {
  type DeletionOptions,
  type KindRef,
  type KubeApiError,
  KubeClient,
  type KubernetesList,
  type ListOptions,
  type ListReading,
  type WatchEvent,
  type WatchOptions,
  type WriteOptions,
  type Written,
} from '../../kube/client/kube-client.port.js';
import { ReadBudget } from '../../kube/limits/read-budget.js';
import { isServedKind } from './checked-object.js';
import type { ObjectTable, TableEvent, WrittenPart } from './object-table.js';

type TableClientOptions = Readonly<{
  table: ObjectTable;
  /** Name in errors and logs, in place of an API server. */
  name: string;
  clock: Clock;
  fieldManager: string;
  /** Refuses a write, by throwing. */
  guard?: (ref: ObjectRef, part: WrittenPart | 'finalizers') => void;
  /** Settles once a write of the object is stored so that it outlives the process. */
  whenKept?: (ref: ObjectRef) => Promise<void>;
  /** Fields that managers have applied, shared by the clients of a table. */
  applied?: Map<string, Readonly<Record<string, unknown>>>;
}>;

type StatusOption = WriteOptions & Readonly<{ subresource?: 'status' }>;

const BOOKMARK_EVERY_MS = 60_000;
const VERSION = 'v1.34.0';

/** The client of an API server for the fleet's objects, on a table of this process. */
export class TableClient extends KubeClient {
  readonly cluster: string;
  readonly budget: ReadBudget;
  readonly #applied: Map<string, Readonly<Record<string, unknown>>>;

  constructor(private readonly options: TableClientOptions) {
    super();
    this.cluster = options.name;
    this.budget = new ReadBudget(options.name);
    this.#applied = options.applied ?? new Map();
  }

  async get<T extends KubernetesObject>(ref: ObjectRef): Promise<T | undefined> {
    if (!isServedKind(ref.apiVersion, ref.kind)) return undefined;
    return this.options.table.get(ref) as T | undefined;
  }

  async list<T extends KubernetesObject>(
    kind: KindRef,
    options: ListReading<T> = {},
  ): Promise<KubernetesList<T> | undefined> {
    if (!isServedKind(kind.apiVersion, kind.kind)) return undefined;
    const { table } = this.options;
    const items = table.list(kind).filter(this.#selection(options)) as T[];
    return { items: items.map(options.keep ?? ((item) => item)), resourceVersion: String(table.version) };
  }

  async create<T extends KubernetesObject>(object: T, { dryRun = false }: WriteOptions = {}): Promise<Written<T>> {
    const { apiVersion, kind, metadata } = object;
    // Events are for users of an API server; logs say the same.
    if (kind === 'Event' || kind === 'Namespace') return { object, warnings: [] };
    if (!isServedKind(apiVersion, kind)) throw this.#unserved(object);
    this.#guard({ apiVersion, kind, name: metadata.name ?? '', namespace: metadata.namespace }, 'object');
    return this.#kept(this.options.table.create(object, dryRun), dryRun);
  }

  async update<T extends KubernetesObject>(object: T, { dryRun = false }: WriteOptions = {}): Promise<Written<T>> {
    this.#guard(refTo(object), 'object');
    return this.#kept(this.options.table.update(object, 'object', dryRun), dryRun);
  }

  async updateStatus<T extends KubernetesObject>(object: T): Promise<Written<T>> {
    this.#guard(refTo(object), 'status');
    return this.#kept(this.options.table.update(object, 'status'), false);
  }

  async apply<T extends KubernetesObject>(object: T, options: StatusOption = {}): Promise<Written<T>> {
    const { table } = this.options;
    const { dryRun = false, subresource, fieldManager = this.options.fieldManager } = options;
    const ref = refTo(object);
    const live = table.get(ref);
    if (subresource !== 'status') {
      if (live === undefined) return this.create(object, { dryRun });
      this.#guard(ref, 'object');
      return this.#kept(table.patch(ref, object, 'object', dryRun), dryRun);
    }
    this.#guard(ref, 'status');
    if (live === undefined) throw table.refusal(404, 'NotFound', `${ref.kind} ${ref.name}: not found`);
    const key = `${live.metadata.uid} ${fieldManager}`;
    const wanted = (object['status'] ?? {}) as Readonly<Record<string, unknown>>;
    const status = appliedStatus(
      (live['status'] ?? {}) as object as typeof wanted,
      this.#applied.get(key) ?? {},
      wanted,
    );
    if (!dryRun) this.#applied.set(key, wanted);
    return this.#kept(table.update({ ...live, status } as KubernetesObject, 'status', dryRun), dryRun);
  }

  async patch<T extends KubernetesObject>(
    ref: ObjectRef,
    patch: Readonly<Record<string, unknown>>,
    { dryRun = false, subresource }: StatusOption = {},
  ): Promise<Written<T>> {
    const fields = Object.keys(patch['metadata'] ?? {}).filter((key) => key !== 'resourceVersion');
    const isOfFinalizers = Object.keys(patch).join() === 'metadata' && fields.join() === 'finalizers';
    this.#guard(ref, subresource ?? (isOfFinalizers ? 'finalizers' : 'object'));
    return this.#kept(this.options.table.patch(ref, patch, subresource ?? 'object', dryRun), dryRun);
  }

  async delete(ref: ObjectRef, options?: DeletionOptions): Promise<boolean> {
    this.#guard(ref, 'object');
    const isGone = this.options.table.delete(ref, options);
    await this.options.whenKept?.(ref);
    return isGone;
  }

  async *watch<T extends KubernetesObject>(kind: KindRef, options: WatchOptions): AsyncGenerator<WatchEvent<T>> {
    const { table, clock } = this.options;
    if (!isServedKind(kind.apiVersion, kind.kind)) throw this.#unserved({ ...kind, metadata: {} });
    const isSelected = this.#selection(options);
    const waiting: WatchEvent<T>[] = [];
    let wake = (): void => undefined;
    const push = (event: WatchEvent<T>) => {
      waiting.push(event);
      wake();
    };
    const take = ({ type, object }: TableEvent) => {
      if (object.kind === kind.kind && isSelected(object)) push({ type, object: object as T });
    };
    for (const event of table.since(kind.kind, Number(options.resourceVersion))) take(event);
    const unsubscribe = table.onEvent(take);
    let cancel = (): void => undefined;
    const beat = () => {
      cancel = clock.after(BOOKMARK_EVERY_MS, beat);
      push({ type: 'BOOKMARK', resourceVersion: String(table.version) });
    };
    cancel = clock.after(BOOKMARK_EVERY_MS, beat);
    const ends = [options.signal, ...(options.until === undefined ? [] : [options.until])];
    const onAbort = () => wake();
    for (const end of ends) end.addEventListener('abort', onAbort, { once: true });
    try {
      options.onOpen?.();
      while (!ends.some((end) => end.aborted)) {
        const next = waiting.shift();
        if (next !== undefined) yield next;
        else
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
      }
    } finally {
      cancel();
      unsubscribe();
      for (const end of ends) end.removeEventListener('abort', onAbort);
    }
  }

  async serves({ apiVersion, kind }: KindRef): Promise<boolean> {
    return isServedKind(apiVersion, kind);
  }

  async serverVersion(): Promise<string> {
    return VERSION;
  }

  actingAs(): KubeClient {
    throw this.options.table.refusal(403, 'Forbidden', 'there is no API server that knows other users');
  }

  refusal(status: number, reason: string, message: string): KubeApiError {
    return this.options.table.refusal(status, reason, message);
  }

  async close(): Promise<void> {
    // Nothing is open.
  }

  #selection(options: ListOptions): (object: KubernetesObject) => boolean {
    return selects(options) ?? (() => true);
  }

  #guard(ref: ObjectRef, part: WrittenPart | 'finalizers'): void {
    this.options.guard?.(ref, part);
  }

  #unserved({ apiVersion, kind }: KubernetesObject): Error {
    return this.options.table.refusal(404, 'NotFound', `${kind} of ${apiVersion} is not kept here`);
  }

  async #kept<T extends KubernetesObject>(object: KubernetesObject, isDryRun: boolean): Promise<Written<T>> {
    if (!isDryRun) await this.options.whenKept?.(refTo(object));
    return { object: object as T, warnings: [] };
  }
}

const refTo = ({ apiVersion, kind, metadata }: KubernetesObject): ObjectRef => ({
  ...{ apiVersion, kind, name: metadata.name ?? '' },
  namespace: metadata.namespace,
});

type Status = Readonly<Record<string, unknown>>;

/**
 * Returns a status after a server-side apply: the manager's new fields replace its earlier ones; fields of
 * others stay. A field counts as a whole, lists too: the fleet's definitions say no more about statuses.
 */
function appliedStatus(live: Status, before: Status, applied: Status): Status {
  const kept = Object.entries(live).filter(([key]) => !Object.hasOwn(before, key));
  return { ...Object.fromEntries(kept), ...applied };
}
