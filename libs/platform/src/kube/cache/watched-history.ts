import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { sameJson } from '#core/kernel/canonical/same-json';
import { isAsNewAs, isOlderThan, olderOf } from '#core/kernel/history/resource-version';
import { compareList } from '#core/kernel/history/server-history';
import type { KindRef, KubernetesList } from '../client/kube-client.port.js';
import { withoutManagedFields } from '../client/managed-fields.js';
import type { HistoryAsking, HistoryFollower, SeenChange, ServerHistory } from '../client/watch-history.js';
import type { ObjectStore } from './object-store.js';
import type { ReflectorOptions } from './reflector-options.js';

/** The watch of this history. */
type Watched<T extends KubernetesObject> = Readonly<{
  store: ObjectStore<T>;
  version: () => string;
  onOtherHistory: () => void;
}>;

/**
 * The relation of a list to the history seen before. The list continues it, is of another history, or is
 * older and must be read again.
 */
type ListHistory = 'same' | 'other' | 'stale';

/**
 * The part of its server's history that one watch has seen, and the version from which the watch may
 * continue.
 */
export class WatchedHistory<T extends KubernetesObject> implements HistoryFollower {
  #epoch: number;
  /** When the connection was lost, until the history is confirmed. */
  #lostAtMs: number | undefined;
  /** The version from which the watch continues, if it is older than the reached version. */
  #since: string | undefined;
  #mustList = false;
  #gone: KubernetesObject['metadata'] | undefined;
  #written: string | undefined;

  constructor(
    private readonly server: ServerHistory,
    private readonly options: ReflectorOptions<T>,
    private readonly watched: Watched<T>,
  ) {
    this.#epoch = server.epoch;
  }

  get kind(): KindRef {
    return this.options.kind;
  }

  /** True from the moment another history was found until the next list. */
  get isOther(): boolean {
    return this.#epoch !== this.server.epoch;
  }

  join(): void {
    this.server.join(this);
  }

  leave(): void {
    this.server.leave(this);
  }

  /** The newest version that the server has shown, by the watch or in an answer to a write. */
  version(): string {
    const reached = this.watched.version();
    return isOlderThan(reached, this.#written) ? (this.#written ?? reached) : reached;
  }

  noteVersion(version: string): void {
    if (!isOlderThan(version, this.#written)) this.#written = version;
  }

  onOtherHistory(): void {
    this.watched.onOtherHistory();
  }

  /** Notes a lost connection: the server may have another history afterwards. */
  lost(): void {
    this.#lostAtMs ??= this.options.clock.now().getTime();
  }

  /** Returns the version to watch from. Returns undefined if all must be listed again. */
  async resumeFrom(): Promise<string | undefined> {
    const reached = this.watched.version();
    if (this.#mustList) return undefined;
    if (this.#lostAtMs === undefined) return this.#since ?? reached;
    const confirmed = await this.server.confirm(this.#lostAtMs, this.#asking);
    if (this.isOther || confirmed === undefined || confirmed.except.has(this)) return undefined;
    this.#lostAtMs = undefined;
    // No change is known from between: if the server has one, it may be of another history.
    this.#since = isOlderThan(confirmed.since, reached) ? confirmed.since : undefined;
    return olderOf(confirmed.since, reached);
  }

  /** The watch has brought everything up to this version. */
  passed(version: string): void {
    if (isAsNewAs(version, this.watched.version())) this.#since = undefined;
  }

  /**
   * Returns false for a change of a version that was passed before. It is of another history, or from before
   * the first list: the next list decides.
   */
  takes(version: string | undefined): boolean {
    if (this.isOther || this.#mustList) return false;
    this.#mustList = this.#since !== undefined && isAsNewAs(this.watched.version(), version);
    if (!this.#mustList) this.#since = undefined;
    return !this.#mustList;
  }

  noteGone(metadata: KubernetesObject['metadata']): void {
    const { namespace, name, uid, resourceVersion } = metadata;
    this.#gone = { namespace, name, uid, resourceVersion };
  }

  /** The epoch of a list that begins. */
  begin(): number {
    return this.server.epoch;
  }

  /** Compares a list with the history seen before; the next watch continues from there. */
  async compared(list: KubernetesList<T> | undefined, begunIn: number): Promise<ListHistory> {
    if (begunIn !== this.server.epoch) return 'stale';
    const history = list === undefined || this.isOther ? 'same' : await this.#compare(list);
    if (history === 'stale') return history;
    const isOther = this.isOther;
    this.#epoch = this.server.epoch;
    this.#lostAtMs = undefined;
    this.#since = undefined;
    this.#mustList = false;
    this.#gone = undefined;
    this.#written = undefined;
    return isOther ? 'other' : 'same';
  }

  async #compare({ resourceVersion: version, items }: KubernetesList<T>): Promise<ListHistory> {
    const { epoch } = this.server;
    const reached = this.watched.version();
    const known = ({ metadata }: Pick<KubernetesObject, 'metadata'>) => this.watched.store.get(metadata);
    const comparison = compareList({ version, items, reached, known });
    const isOlder = isOlderThan(version, this.version());
    if (isOlder && !(await this.server.isBehind(this, this.#asking))) return 'stale';
    if (comparison.history !== 'other') return isOlder ? 'other' : 'same';
    if (epoch === this.server.epoch) this.server.found(comparison.because, this.#asking);
    return 'other';
  }

  lastChange(): SeenChange | undefined {
    const newest = this.watched.store.newest();
    const gone = this.#gone;
    const isDeleted = gone !== undefined && !isAsNewAs(newest?.metadata.resourceVersion, gone.resourceVersion);
    const metadata = isDeleted ? gone : newest?.metadata;
    if (metadata?.resourceVersion === undefined || this.isOther) return undefined;
    const { namespace, name = '', uid, resourceVersion } = metadata;
    const hasContentOf = (object: KubernetesObject) => newest !== undefined && this.#isContent(newest, object);
    return { namespace, name, uid, resourceVersion, isDeleted, reached: this.watched.version(), hasContentOf };
  }

  #isContent(held: T, object: KubernetesObject): boolean {
    const { contentOf, keep = withoutManagedFields } = this.options;
    const kept = contentOf === undefined ? keep(object as T) : contentOf(object);
    return sameJson(opened(held), opened(kept));
  }

  get #asking(): HistoryAsking {
    const { client, clock, log, random = Math.random } = this.options;
    return { client, clock, random, ...(log === undefined ? {} : { log }) };
  }
}

/** Kept objects may be packed or shared. */
function opened(object: KubernetesObject): unknown {
  const { open } = object;
  return typeof open === 'function' ? open.call(object) : object;
}
