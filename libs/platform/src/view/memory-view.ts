import type { HistoryEntry } from '#core/fleet/view/history-entry';
import type { HubRow } from '#core/fleet/view/hub-row';
import type { FleetRolloutRow } from '#core/fleet/view/rollout-row';
import type { ViewRow } from '#core/fleet/view/rows';
import type { ClusterRowChange, ViewChanges, ViewContent, ViewReader, ViewWriter } from './view-store.port.js';

/** The read model in memory: for tests. */
export class MemoryView implements ViewReader, ViewWriter {
  readonly #rows = new Map<string, Map<string, ViewRow>>();
  readonly #changes: ClusterRowChange[] = [];
  readonly #waiting = new Set<() => void>();
  #hub: readonly HubRow[] = [];
  #rollouts: readonly FleetRolloutRow[] = [];
  #history: readonly HistoryEntry[] = [];
  #epoch = 1;

  async write(change: ClusterRowChange): Promise<void> {
    const rows = this.#rows.get(change.cluster) ?? new Map<string, ViewRow>();
    this.#rows.set(change.cluster, rows);
    for (const row of change.changed) rows.set(row.id, row);
    for (const id of change.removed) rows.delete(id);
    if (rows.size === 0) this.#rows.delete(change.cluster);
    this.#changes.push(change);
    this.#wake();
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

  writeHub(rows: readonly HubRow[]): void {
    this.#hub = rows;
  }

  writeRollouts(rows: readonly FleetRolloutRow[]): void {
    this.#rollouts = rows;
  }

  rollouts(): Promise<readonly FleetRolloutRow[]> {
    return Promise.resolve(this.#rollouts);
  }

  writeHistory(entries: readonly HistoryEntry[]): void {
    this.#history = entries;
  }

  /** As when Redis is flushed. */
  empty(): void {
    this.#rows.clear();
    this.#changes.length = 0;
    this.#epoch += 1;
    this.#wake();
  }

  close(): void {
    this.#wake();
  }

  load(): Promise<ViewContent> {
    const rows = [...this.#rows.values()].flatMap((one) => [...one.values()]);
    return Promise.resolve({ epoch: `${this.#epoch}`, place: `${this.#changes.length}`, rows });
  }

  async changesAfter(epoch: string, place: string, waitMs: number): Promise<ViewChanges | 'lost'> {
    if (epoch === `${this.#epoch}` && Number(place) === this.#changes.length) await this.#change(waitMs);
    if (epoch !== `${this.#epoch}` || Number(place) > this.#changes.length) return 'lost';
    return { place: `${this.#changes.length}`, changes: this.#changes.slice(Number(place)) };
  }

  hub(): Promise<readonly HubRow[]> {
    return Promise.resolve(this.#hub);
  }

  history(): Promise<Readonly<{ entries: readonly HistoryEntry[]; knownSince: string }>> {
    return Promise.resolve({ entries: this.#history, knownSince: this.#history.at(-1)?.at ?? '' });
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
