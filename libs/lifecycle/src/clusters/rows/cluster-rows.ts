import { type ClusterSigns, clusterRow } from '#core/view/rows/cluster-row';
import { changedRow, type WrittenRow, writtenRow } from '#core/view/rows/row-differences';
import type { ViewRow } from '#core/view/rows/rows';
import type { Clock } from '#platform/clock/clock.port';
import { Timers } from '#platform/clock/timers';
import type { Log } from '#platform/telemetry/log.port';
import type { ViewWriter } from '#platform/view/view-store.port';
import type { ClusterPart } from '../../engine/membership/cluster-membership.js';
import type { ResyncItem } from '../../engine/membership/resync.js';
import { type NamespaceChange, WrittenRows } from './written-rows.js';

/** Source of the rows of a cluster. */
export type RowSource = Readonly<{
  /** True if all watches have received their objects: until then a missing object is not gone. */
  synced: () => boolean;
  /** The namespaces with rows; the empty one stands for objects in no namespace. */
  namespaces: () => Iterable<string>;
  /** Returns the rows of a namespace. `now`: RFC 3339. Undefined if the objects are not known yet. */
  rowsOf: (namespace: string, now: string) => readonly ViewRow[] | undefined;
  /** A row that says that a plan is complete is written: from now on the plan has none. */
  shown: (namespace: string, plan: string) => void;
  /** Undefined while nothing is certain yet. */
  cluster: () => ClusterSigns | undefined;
}>;

type ClusterRowsDeps = Readonly<{
  cluster: string;
  clock: Clock;
  log: Log;
  writer: ViewWriter;
  source: RowSource;
}>;

/** Changes of this long are written together. */
const GATHER_MS = 200;
/** Pause before due rows are tried again, if Redis was not reached. */
const AGAIN_MS = 5_000;
/** Namespaces until others have their turn: a large cluster has thousands. */
const AT_ONCE = 20;
const NO_CHANGES: ReadonlyMap<string, NamespaceChange> = new Map();

/**
 * Keeps the rows of one cluster in the read model up to date. A row is written if it differs from the row
 * that this process wrote, or found there when it began: a cluster at rest costs no write.
 */
export class ClusterRows implements ClusterPart {
  /** Undefined until the stored rows were read. */
  #written: WrittenRows | undefined;
  #cluster: WrittenRow | undefined;
  readonly #due = new Set<string>();
  readonly #timers: Timers;
  #isGathering = false;
  #running: Promise<void> | undefined;

  constructor(private readonly deps: ClusterRowsDeps) {
    this.#timers = new Timers(deps.clock);
  }

  async start(): Promise<void> {
    this.#gather(GATHER_MS);
  }

  /** Something in the namespace moved; the empty one: a ClusterExtension or ClusterCatalog. */
  touch(namespace: string): void {
    this.#due.add(namespace);
    this.#gather(GATHER_MS);
  }

  /** Redis was emptied, or all that is observed is there for the first time. */
  touchAll(): void {
    this.#written = undefined;
    this.#gather(GATHER_MS);
  }

  /**
   * Returns the number of its operators, as they were written last. Undefined until all stored rows were
   * read.
   */
  get operators(): number | undefined {
    if (this.#written === undefined || !this.deps.source.synced()) return undefined;
    return [...this.#written.after(NO_CHANGES)].filter(({ kind }) => kind === 'operator').length;
  }

  /** Notes that the cluster may have become reachable or unreachable. */
  checkReach(): void {
    if (this.#written === undefined) return;
    const row = this.#clusterRow(this.#written.after(NO_CHANGES));
    if (row !== undefined && changedRow(row, this.#cluster) !== undefined) this.#gather(GATHER_MS);
  }

  resyncs(): readonly ResyncItem[] {
    return [];
  }

  async stop(): Promise<void> {
    this.#timers.stop();
    await this.#running;
  }

  /**
   * Leaves the rows as they are: the fate of the rows depends on the cluster's next place, and the fleet
   * decides.
   */
  leave(): Promise<void> {
    return this.stop();
  }

  #gather(ms: number): void {
    if (this.#isGathering || this.#timers.stopped) return;
    this.#isGathering = true;
    this.#timers.after(ms, () => {
      this.#isGathering = false;
      this.#running = (this.#running ?? Promise.resolve()).then(() => this.#run());
    });
  }

  async #run(): Promise<void> {
    if (this.#timers.stopped || !this.deps.source.synced()) return this.#writeClusterAlone();
    const due = new Set(this.#due);
    try {
      if (this.#written === undefined) for (const namespace of await this.#load()) due.add(namespace);
      this.#due.clear();
      await this.#write(due);
    } catch (error) {
      for (const namespace of due) this.#due.add(namespace);
      this.#failed(error);
    }
  }

  #failed(error: unknown): void {
    if (this.#timers.stopped) return;
    const { cluster, log } = this.deps;
    log.warn({ cluster, error: String(error) }, 'could not write rows of a cluster; retrying');
    this.#gather(AGAIN_MS);
  }

  /**
   * Writes the cluster's own row alone: before its objects are known, a cluster has that row, and the rows of
   * an earlier process.
   */
  async #writeClusterAlone(): Promise<void> {
    const facts = this.deps.source.cluster();
    if (this.#timers.stopped || facts === undefined || facts.reach === 'fresh') return;
    try {
      if (this.#written === undefined) await this.#load();
      await this.#write([]);
    } catch (error) {
      this.#failed(error);
    }
  }

  /** Reads the stored rows. Returns the namespaces to compare with them. */
  async #load(): Promise<Iterable<string>> {
    const { writer, cluster, source } = this.deps;
    const [rows, ids] = await Promise.all([writer.rowsOf(cluster), writer.idsOf(cluster)]);
    const written = new WrittenRows(rows);
    const own = rows.find(({ kind }) => kind === 'cluster');
    const known = new Set(rows.map(({ id }) => id));
    const removed = ids.filter((id) => !known.has(id));
    if (removed.length > 0) await writer.write({ cluster, changed: [], removed });
    this.#cluster = own && writtenRow(own);
    this.#written = written;
    return new Set([...source.namespaces(), ...written.namespaces(), ...this.#due]);
  }

  async #write(namespaces: Iterable<string>): Promise<void> {
    const { writer, cluster } = this.deps;
    const written = this.#written ?? new WrittenRows();
    const changes = await this.#changes(namespaces, written);
    const own = this.#clusterRow(written.after(changes));
    const clusterChange = own && changedRow(own, this.#cluster);
    const all = [...changes.values()];
    const changed = [...all.flatMap((one) => one.changed), ...(clusterChange === undefined ? [] : [clusterChange])];
    const removed = all.flatMap((one) => one.removed);
    if (changed.length === 0 && removed.length === 0) return;
    await writer.write({ cluster, changed, removed });
    written.take(changes);
    if (clusterChange !== undefined) this.#cluster = writtenRow(clusterChange);
    for (const row of changed) {
      if (row.kind !== 'plan' || row.phase !== 'Complete') continue;
      this.deps.source.shown(row.namespace, row.name);
      this.touch(row.namespace);
    }
  }

  async #changes(namespaces: Iterable<string>, written: WrittenRows): Promise<ReadonlyMap<string, NamespaceChange>> {
    const changes = new Map<string, NamespaceChange>();
    const now = this.#now();
    let count = 0;
    for (const namespace of namespaces) {
      const rows = this.deps.source.rowsOf(namespace, now);
      if (rows !== undefined) changes.set(namespace, written.change(namespace, rows));
      count += 1;
      if (count % AT_ONCE === 0) await new Promise(setImmediate);
    }
    return changes;
  }

  #clusterRow(rows: Iterable<WrittenRow>): ViewRow | undefined {
    const facts = this.deps.source.cluster();
    return facts && clusterRow(facts, rows, this.#now());
  }

  #now(): string {
    return this.deps.clock.now().toISOString();
  }
}
