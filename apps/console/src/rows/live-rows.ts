import type { ViewRow } from '#core/view/rows/rows';
import type { Clock } from '#platform/clock/clock.port';
import type { Log } from '#platform/telemetry/log.port';
import type { ClusterRowChange, ViewReader } from '#platform/view/view-store.port';
import { FleetOrders, type FleetRows } from './fleet-rows.js';
import { SharedTexts } from './shared-texts.js';

/** A row as it was and as it is; `before` is absent for a new row, `after` for a deleted one. */
export type RowStep = Readonly<{ before?: ViewRow; after?: ViewRow }>;

/**
 * News for followers. `reset`: all rows may be others. `filling`: the rows stay, and the store is fuller than
 * before.
 */
export type ViewNews = Readonly<{ steps: readonly RowStep[] } | { reset: true } | { filling: true }>;

type Filling = Readonly<{ clusters: number; of: number }>;

const WAIT_MS = 5_000;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 15_000;
const FILL_EVERY_MS = 2_000;
/** A store that was emptied is taken as it is after so long: clusters may have left in between. */
const FILLED_AFTER_MS = 120_000;

type Options = Readonly<{ reader: ViewReader; clock: Clock; log: Log }>;

/**
 * The rows of the fleet in memory: they follow the read model. While the store is unreachable or being
 * refilled, the last rows stay. Their time is the last one at which they were known to be complete.
 */
export class LiveRows {
  #byCluster = new Map<string, Map<string, ViewRow>>();
  #orders = new FleetOrders();
  #texts = new SharedTexts();
  #version = 0;
  #asOf: Date | undefined;
  #filling: Filling | undefined;
  #loaded = Promise.withResolvers<void>();
  #running: Promise<void> | undefined;
  readonly #stopped = new AbortController();
  readonly #followers = new Set<(news: ViewNews) => void>();
  #place = { epoch: '', place: '' };

  constructor(private readonly options: Options) {}

  /** Begins to follow, once. */
  start(): void {
    this.#running ??= this.#run();
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    this.options.reader.close();
    await this.#running;
  }

  /** Resolves when rows are there for the first time. */
  get loaded(): Promise<void> {
    return this.#loaded.promise;
  }

  get rows(): FleetRows {
    return this.#orders.rows;
  }

  /** Another number: other rows. */
  get version(): number {
    return this.#version;
  }

  /** When the rows were last known to be complete; absent: never. */
  get asOf(): Date | undefined {
    return this.#asOf;
  }

  get filling(): Filling | undefined {
    return this.#filling;
  }

  get size(): number {
    return this.#byCluster.values().reduce((sum, rows) => sum + rows.size, 0);
  }

  row(cluster: string, id: string): ViewRow | undefined {
    return this.#byCluster.get(cluster)?.get(id);
  }

  rowsOf(cluster: string): readonly ViewRow[] {
    return [...(this.#byCluster.get(cluster)?.values() ?? [])];
  }

  /** Returns a function that ends it. */
  follow(follower: (news: ViewNews) => void): () => void {
    this.#followers.add(follower);
    return () => this.#followers.delete(follower);
  }

  async #run(): Promise<void> {
    const { clock, log } = this.options;
    let pause = FIRST_PAUSE_MS;
    let has = false;
    while (!this.#stopped.signal.aborted) {
      try {
        if (!has) await this.#load();
        has = await this.#readChanges();
        pause = FIRST_PAUSE_MS;
      } catch (error) {
        if (this.#stopped.signal.aborted) return;
        log.warn({ error: String(error) }, 'could not read the read model; the console shows its earlier rows');
        await clock.sleep(pause, this.#stopped.signal);
        pause = Math.min(2 * pause, LONGEST_PAUSE_MS);
      }
    }
  }

  /** Takes all rows; of a store that is being filled again only when it has as many clusters as before. */
  async #load(): Promise<void> {
    const { reader, clock } = this.options;
    const begun = clock.now().getTime();
    while (!this.#stopped.signal.aborted) {
      const content = await reader.load();
      const clusters = new Set(content.rows.map(({ cluster }) => cluster)).size;
      const known = this.#byCluster.size;
      const late = clock.now().getTime() - begun >= FILLED_AFTER_MS;
      if (clusters >= known || late) {
        this.#place = { epoch: content.epoch, place: content.place };
        this.#take(content.rows);
        this.#filling = undefined;
        this.#asOf = clock.now();
        this.#loaded.resolve();
        return;
      }
      const isNews = this.#filling?.clusters !== clusters;
      this.#filling = { clusters, of: known };
      if (isNews) this.#tell({ filling: true });
      await clock.sleep(FILL_EVERY_MS, this.#stopped.signal);
    }
  }

  async #readChanges(): Promise<boolean> {
    const { reader, clock } = this.options;
    const answer = await reader.changesAfter(this.#place.epoch, this.#place.place, WAIT_MS);
    if (answer === 'lost') return false;
    this.#asOf = clock.now();
    this.#place = { ...this.#place, place: answer.place };
    const steps = answer.changes.flatMap((change) => this.#apply(change));
    if (steps.length > 0) {
      this.#version += 1;
      this.#tell({ steps });
    }
    return true;
  }

  #take(loaded: readonly ViewRow[]): void {
    this.#byCluster = new Map();
    this.#texts = new SharedTexts();
    const rows = loaded.map((row) => this.#texts.row(row));
    for (const row of rows) this.#rowsFor(row.cluster).set(row.id, row);
    this.#orders = new FleetOrders(rows);
    this.#version += 1;
    this.#tell({ reset: true });
  }

  #apply({ cluster, changed, removed }: ClusterRowChange): RowStep[] {
    const steps: RowStep[] = [];
    const rows = this.#rowsFor(cluster);
    for (const row of changed) {
      const after = this.#texts.row(row);
      const before = rows.get(after.id);
      if (before !== undefined) this.#orders.change(before, 'remove');
      this.#orders.change(after, 'add');
      rows.set(after.id, after);
      steps.push(before === undefined ? { after } : { before, after });
    }
    for (const id of removed) {
      const before = rows.get(id);
      if (before === undefined) continue;
      this.#orders.change(before, 'remove');
      rows.delete(id);
      steps.push({ before });
    }
    if (rows.size === 0) this.#byCluster.delete(cluster);
    return steps;
  }

  #rowsFor(cluster: string): Map<string, ViewRow> {
    const rows = this.#byCluster.get(cluster) ?? new Map<string, ViewRow>();
    this.#byCluster.set(cluster, rows);
    return rows;
  }

  #tell(news: ViewNews): void {
    for (const follower of this.#followers) follower(news);
  }
}
