import type { SimulatedCluster } from '#testing/cluster/simulated-cluster';
import { csvName, EDITIONS, type Edition } from '../lifecycle/operator-images.js';
import type { EndState, FleetMilestone } from './clusters-messages.js';

const GROUP = 'operators.coreos.com';
const CATALOG_SOURCES = `catalogsources.${GROUP}`;
const CSVS = `clusterserviceversions.${GROUP}`;
const CSV_KIND = { apiVersion: `${GROUP}/v1alpha1`, kind: 'ClusterServiceVersion' };

/** Calls `reached` once for each milestone, at the write that reaches it: nothing is polled. */
export function watchMilestones(
  cluster: SimulatedCluster,
  operators: readonly string[],
  reached: (milestone: FleetMilestone) => void,
): void {
  const pending = new Map(
    EDITIONS.map((edition) => [edition, new Set(operators.map((name) => csvName(name, edition)))]),
  );
  let served = false;
  cluster.onChange(({ type, resource, object }) => {
    if (type === 'DELETED') return;
    if (resource === CATALOG_SOURCES && !served && isReady(object.status)) {
      served = true;
      reached('catalog');
    }
    if (resource !== CSVS || phaseOf(object.status) !== 'Succeeded') return;
    for (const [edition, names] of pending) {
      if (!names.delete(object.metadata.name) || names.size > 0) continue;
      pending.delete(edition);
      reached(`edition ${edition}`);
    }
  });
}

/** Checks that each operator of a cluster has Succeeded in this edition, and that the one before is gone. */
export function endStateOf(cluster: SimulatedCluster, operators: readonly string[], edition: Edition): EndState {
  const phases = new Map(cluster.list(CSV_KIND).map(({ metadata, status }) => [metadata.name, phaseOf(status)]));
  const faults: string[] = [];
  let succeeded = 0;
  for (const name of operators) {
    const phase = phases.get(csvName(name, edition));
    const others = EDITIONS.filter((other) => other !== edition && phases.has(csvName(name, other)));
    if (phase === 'Succeeded' && others.length === 0) succeeded += 1;
    else faults.push(`${cluster.name}: ${csvName(name, edition)} is ${phase ?? 'missing'}, and ${others.length} older`);
  }
  return { succeeded, faults };
}

const phaseOf = (status: unknown): unknown => (isRecord(status) ? status['phase'] : undefined);

function isReady(status: unknown): boolean {
  const connection = isRecord(status) ? status['connectionState'] : undefined;
  return isRecord(connection) && connection['lastObservedState'] === 'READY';
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;
