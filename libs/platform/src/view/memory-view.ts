import type { HistoryEntry } from '#core/view/rows/history-entry';
import type { HubRow } from '#core/view/rows/hub-row';
import type { FleetRolloutRow } from '#core/view/rows/rollout-row';
import { rowHistory } from '#core/view/rows/row-history';
import type { ViewRow } from '#core/view/rows/rows';
import { LONGEST_HISTORY } from './view-keys.js';
import type {
  ClusterRowChange,
  HubReports,
  RolloutWriter,
  ViewChanges,
  ViewContent,
  ViewReader,
  ViewWriter,
} from './view-store.port.js';

/** Changed rows that readers can still ask for: a later reader loads all rows again. */
const MOST_CHANGES = 50_000;

/** A row that changed or went. Readers get the row as it is then: no old version stays in memory. */
type RowChange = Readonly<{ cluster: string; id: string }>;

/** The read model within one process. Loses everything when it ends. */
export class MemoryView implements ViewReader, ViewWriter, RolloutWriter, HubReports {
  readonly #rows = new Map<string, Map<string, ViewRow>>();
  #changes: RowChange[] = [];
  /** Number of changes that were dropped. */
  #dropped = 0;
  readonly #waiting = new Set<() => void>();
  readonly #reports = new Map<string, HubRow>();
  #rollouts: readonly FleetRolloutRow[] = [];
  #history: readonly HistoryEntry[] = [];
  #since = '';
  #epoch = 1;

  async write(change: ClusterRowChange): Promise<void> {
    const rows = this.#rows.get(change.cluster) ?? new Map<string, ViewRow>();
    const news = change.changed.flatMap((row) => {
      const before = rows.get(row.id);
      return before === undefined ? [] : rowHistory(before, row);
    });
    if (news.length > 0) this.#history = [...news.toReversed(), ...this.#history].slice(0, LONGEST_HISTORY);
    this.#since ||= change.changed[0]?.updatedAt ?? '';
    this.#rows.set(change.cluster, rows);
    for (const row of change.changed) rows.set(row.id, row);
    for (const id of change.removed) rows.delete(id);
    if (rows.size === 0) this.#rows.delete(change.cluster);
    this.#note(change);
  }

  rowsOf(cluster: string): Promise<readonly ViewRow[]> {
    return Promise.resolve([...(this.#rows.get(cluster)?.values() ?? [])]);
  }

  idsOf(cluster: string): Promise<readonly string[]> {
    return Promise.resolve([...(this.#rows.get(cluster)?.keys() ?? [])]);
  }

  clusters(): Promise<readonly string[]> {
    return Promise.resolve([...this.#rows.keys()]);
  }

  async put(row: HubRow): Promise<void> {
    this.#reports.set(row.instance, row);
  }

  async remove(instance: string): Promise<void> {
    this.#reports.delete(instance);
  }

  async forgetBefore(since: Date): Promise<void> {
    for (const { instance, updatedAt } of [...this.#reports.values()]) {
      if (Date.parse(updatedAt) < since.getTime()) this.#reports.delete(instance);
    }
  }

  async writeRollouts(rows: readonly FleetRolloutRow[]): Promise<void> {
    this.#rollouts = rows;
  }

  rollouts(): Promise<readonly FleetRolloutRow[]> {
    return Promise.resolve(this.#rollouts);
  }

  /** Replaces the history that the written rows have made. */
  writeHistory(entries: readonly HistoryEntry[]): void {
    this.#history = entries;
    this.#since = entries.at(-1)?.at ?? '';
  }

  /** Empties it, as a flush of Redis does. */
  empty(): void {
    this.#rows.clear();
    this.#changes = [];
    this.#dropped = 0;
    this.#epoch += 1;
    this.#wake();
  }

  close(): void {
    this.#wake();
  }

  load(): Promise<ViewContent> {
    const rows = [...this.#rows.values()].flatMap((one) => [...one.values()]);
    return Promise.resolve({ epoch: `${this.#epoch}`, place: `${this.#place}`, rows });
  }

  async changesAfter(epoch: string, place: string, waitMs: number): Promise<ViewChanges | 'lost'> {
    if (epoch === `${this.#epoch}` && Number(place) === this.#place) await this.#change(waitMs);
    const at = Number(place) - this.#dropped;
    if (epoch !== `${this.#epoch}` || at < 0 || at > this.#changes.length) return 'lost';
    return { place: `${this.#place}`, changes: this.#changesOf(this.#changes.slice(at)) };
  }

  hub(): Promise<readonly HubRow[]> {
    return Promise.resolve([...this.#reports.values()]);
  }

  history(): Promise<Readonly<{ entries: readonly HistoryEntry[]; knownSince: string }>> {
    // A full list may have had older entries. These are gone.
    const oldest = this.#history.length < LONGEST_HISTORY ? undefined : this.#history.at(-1)?.at;
    return Promise.resolve({ entries: this.#history, knownSince: oldest ?? this.#since });
  }

  get #place(): number {
    return this.#dropped + this.#changes.length;
  }

  #note({ cluster, changed, removed }: ClusterRowChange): void {
    for (const id of [...changed.map((row) => row.id), ...removed]) this.#changes.push({ cluster, id });
    const tooMany = this.#changes.length - 2 * MOST_CHANGES;
    if (tooMany > 0) {
      this.#dropped += tooMany + MOST_CHANGES;
      this.#changes = this.#changes.slice(tooMany + MOST_CHANGES);
    }
    this.#wake();
  }

  /** Reads the rows as they are now, by cluster. */
  #changesOf(changes: readonly RowChange[]): ClusterRowChange[] {
    const ids = Map.groupBy(changes, ({ cluster }) => cluster);
    return [...ids].map(([cluster, ofCluster]) => {
      const rows = this.#rows.get(cluster);
      const all = [...new Set(ofCluster.map(({ id }) => id))];
      return {
        cluster,
        changed: all.flatMap((id) => rows?.get(id) ?? []),
        removed: all.filter((id) => rows?.has(id) !== true),
      };
    });
  }

  #wake(): void {
    for (const wake of this.#waiting) wake();
  }

  #change(waitMs: number): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        this.#waiting.delete(done);
        resolve();
      };
      const timer = setTimeout(done, waitMs);
      this.#waiting.add(done);
    });
  }
}
