import type { FleetObject } from '../../kernel/api/fleet/fleet-kinds.js';
import type { ClusterEntry, FaultsFile } from './scenario-schema.js';

/** A cluster of a scenario. A FleetCluster may restrict the namespaces that choose it. */
export type ScenarioCluster = ClusterEntry & Readonly<{ allowedNamespaces?: readonly string[] | undefined }>;

/** Everything that a run depends on: its input was read and checked. */
export type FleetScenario = Readonly<{
  objects: readonly FleetObject[];
  clusters: readonly ScenarioCluster[];
  file: FaultsFile;
  /** Manifests of the script, by their place in it. */
  applied: ReadonlyMap<number, FleetObject>;
  seed: string;
  /** Latest end of the run, in milliseconds after the start. */
  until: number;
}>;

const REGIONS = ['eu', 'us', 'ap'] as const;
const LAB_PERCENT = 2;
const CANARY_PERCENT = 8;

/** The clusters of `--clusters N`. */
export function numberedClusters(count: number): ClusterEntry[] {
  const lab = shareOf(LAB_PERCENT, count);
  const canary = shareOf(CANARY_PERCENT, count);
  return Array.from({ length: count }, (_, at) => ({
    name: `c-${String(at + 1).padStart(4, '0')}`,
    labels: {
      index: String(at + 1),
      region: REGIONS[at % REGIONS.length] ?? 'eu',
      tier: at < lab ? 'lab' : at < lab + canary ? 'canary' : 'prod',
    },
  }));
}

const shareOf = (percent: number, count: number): number => Math.max(1, Math.floor((percent * count) / 100));

/** Returns the clusters of an entry: with a count, that many under numbered names. */
export const clustersOf = (entry: ClusterEntry): ClusterEntry[] =>
  entry.count === undefined
    ? [entry]
    : Array.from({ length: entry.count }, (_, at) => ({
        ...entry,
        name: `${entry.name}-${String(at + 1).padStart(4, '0')}`,
      }));
