import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import type { Sighting } from './motion.js';

/** Fields of a status that show progress. Times also change without progress. */
const FIELDS = ['phase', 'state', 'reason', 'currentCSV', 'installedCSV', 'installPlanGeneration'] as const;
const UNWRITTEN = 'no status yet';

/** Returns the name of an object for people: `InstallPlan install-1`. */
export const objectName = ({ kind, metadata }: KubernetesObject): string => `${kind} ${metadata.name ?? ''}`;

/** Returns an object of a cluster and its state, for the motion of a demo. */
export function objectSighting(cluster: string, object: KubernetesObject): Sighting {
  const spec = recordOf(object['spec']);
  const parts = [...stateParts(recordOf(object['status'])), ...(spec['approved'] === true ? ['approved'] : [])];
  return { name: `${cluster}: ${objectName(object)}`, state: parts.length === 0 ? UNWRITTEN : parts.join(' ') };
}

/** Returns the state of an object in one word: `Installing`, `CONNECTING`. */
export function shortState(object: KubernetesObject): string {
  const status = recordOf(object['status']);
  const word = status['phase'] ?? status['state'] ?? recordOf(status['connectionState'])['lastObservedState'];
  return typeof word === 'string' && word !== '' ? word : UNWRITTEN;
}

function stateParts(status: Readonly<Record<string, unknown>>): string[] {
  const fields = FIELDS.flatMap((field) => textsOf(status[field]));
  const connection = recordOf(status['connectionState']);
  const conditions = listOf(status['conditions']).map(({ type, status: value, reason }) =>
    [`${type}=${value}`, ...textsOf(reason)].join('/'),
  );
  // Of a plan: its steps by status. Of a CSV: its requirements.
  const steps = countsOf([...listOf(status['plan']), ...listOf(status['requirementStatus'])]);
  return [
    ...fields,
    ...textsOf(connection['lastObservedState']),
    ...textsOf(connection['address']),
    ...conditions,
    ...steps,
  ];
}

const recordOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? { ...value } : {};

const listOf = (value: unknown): Readonly<Record<string, unknown>>[] =>
  Array.isArray(value) ? value.map(recordOf) : [];

const textsOf = (value: unknown): string[] =>
  (typeof value === 'string' && value !== '') || typeof value === 'number' ? [String(value)] : [];

function countsOf(lines: readonly Readonly<Record<string, unknown>>[]): string[] {
  const counts = new Map<string, number>();
  for (const { status } of lines) counts.set(String(status), (counts.get(String(status)) ?? 0) + 1);
  return [...counts].map(([status, count]) => `${count} ${status}`).sort();
}
