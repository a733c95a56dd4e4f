import type { HistoryEntry } from '#core/view/rows/history-entry';
import type { HubRow } from '#core/view/rows/hub-row';
import type { FleetRolloutRow } from '#core/view/rows/rollout-row';
import type { ViewRow } from '#core/view/rows/rows';

/** The changed rows of one cluster. */
export type ClusterRowChange = Readonly<{
  cluster: string;
  /** Rows that are new or other than before. */
  changed: readonly ViewRow[];
  /** Ids of rows that are gone. */
  removed: readonly string[];
}>;

/** All rows, as of a place in the stream of changes: later entries were not in them. */
export type ViewContent = Readonly<{
  /** Another value: the store was emptied in between, and its rows say nothing of those before. */
  epoch: string;
  place: string;
  rows: readonly ViewRow[];
}>;

export type ViewChanges = Readonly<{ place: string; changes: readonly ClusterRowChange[] }>;

/** The read model as the console reads it. */
export type ViewReader = Readonly<{
  load(): Promise<ViewContent>;
  /**
   * Returns changes after a place. They may come twice. Waits for the first of them up to `waitMs`
   * milliseconds.
   * `lost`: the epoch is another one, or the store no longer knows the place; load again.
   */
  changesAfter(epoch: string, place: string, waitMs: number): Promise<ViewChanges | 'lost'>;
  /** Ends a wait for changes. The wait then fails. */
  close(): void;
  /** Returns the last report of each service about itself. */
  hub(): Promise<readonly HubRow[]>;
  /** Returns the fleet's rollouts. Empty if the hub has no fleet. */
  rollouts(): Promise<readonly FleetRolloutRow[]>;
  /** Changes that the hub saw, the newest first; `knownSince`: nothing older is known, RFC 3339 or empty. */
  history(): Promise<Readonly<{ entries: readonly HistoryEntry[]; knownSince: string }>>;
}>;

/** The read model as its writers see it: each cluster has one, the poller that owns its shard. */
export type ViewWriter = Readonly<{
  /** The rows that are there, from an earlier process. */
  rowsOf(cluster: string): Promise<readonly ViewRow[]>;
  /** The ids of all rows that are there, of another release, too. */
  idsOf(cluster: string): Promise<readonly string[]>;
  /** The clusters that have rows. */
  clusters(): Promise<readonly string[]>;
  write(change: ClusterRowChange): Promise<void>;
}>;

/** Writes the fleet's rollouts. All pollers of the hub write the same. */
export type RolloutWriter = Readonly<{ writeRollouts(rows: readonly FleetRolloutRow[]): Promise<void> }>;

/** The last report of each process of the hub about itself. */
export type HubReports = Readonly<{
  put(row: HubRow): Promise<void>;
  remove(instance: string): Promise<void>;
  /** Removes reports that are older or cannot be read. */
  forgetBefore(since: Date): Promise<void>;
}>;
