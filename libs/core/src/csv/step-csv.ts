import type { ClusterServiceVersion } from '../api/cluster-service-version.js';
import type { CsvStep, CsvWorld } from './csv-world.js';

/**
 * One pass over one ClusterServiceVersion: at most one transition (csv-lifecycle.md §1–§3, §9). The shell loops while
 * `next` says `now`, writing each status, so that the history shows every phase as OLM's does.
 */
export function stepCsv(_csv: ClusterServiceVersion, _world: CsvWorld): CsvStep {
  return { actions: [], afterwards: [], wake: [] };
}

/** The verdict when installing failed: `forbidden` freezes the CSV until its rights change (csv-lifecycle.md §3). */
export function installFailed(
  _csv: ClusterServiceVersion,
  _failure: Readonly<{ forbidden: boolean; message: string }>,
  _now: Date,
): CsvStep {
  return { actions: [], afterwards: [], wake: [] };
}
