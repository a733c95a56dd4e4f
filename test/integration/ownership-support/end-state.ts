import { z } from 'zod';
import { byCodeUnit, canonicalJson } from '#core/kernel/canonical/canonical-json';
import type { SimulatedCluster, StoredObject } from '#testing/cluster/simulated-cluster';

/** Given by the API server, and another one in each run. */
const VOLATILE = new Set(['uid', 'resourceVersion', 'creationTimestamp', 'clusterIP', 'clusterIPs']);
/** Annotations with values made of UIDs, and of the time of observations. */
const MARKS = new Set(['flotilla.dev/made-by-hub', 'flotilla.dev/change']);
const UID = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g;

/**
 * Returns everything that a cluster stores, one sorted line for each object. Leaves out values that differ
 * from run to run: UIDs, revisions, times, and the addresses of Services, of which a refused create takes
 * one, too.
 */
export const endStateOf = (cluster: SimulatedCluster): readonly string[] =>
  [...new Set(cluster.stored().filter(isLasting).map(lineOf))].toSorted(byCodeUnit);

/** Lines that only one of two end states has. */
export const differencesOf = (a: readonly string[], b: readonly string[]): readonly string[] => [
  ...a.filter((line) => !b.includes(line)).map((line) => `first alone: ${line}`),
  ...b.filter((line) => !a.includes(line)).map((line) => `second alone: ${line}`),
];

/**
 * True for objects other than Events. Events report findings of passes on the way, such as a catalog that is
 * still empty, and these depend on the time of the pass.
 */
const isLasting = ({ resource }: StoredObject): boolean => resource !== 'events';

function lineOf({ resource, object }: StoredObject): string {
  const { name, namespace = '' } = object.metadata;
  return `${resource} ${namespace}/${name} ${canonicalOf(withoutTraces(resource.split('.')[0], object))}`;
}

function withoutTraces(resource: string | undefined, object: Readonly<Record<string, unknown>>): object {
  if (resource === 'clusterserviceversions') return withoutHistory(object);
  return resource === 'installplans' ? asCreated(object) : object;
}

const Plan = z.looseObject({ status: z.looseObject({ plan: z.array(z.looseObject({ status: z.string() })) }) });

/** A step of a process that was killed before it wrote so is found done by the next: `Present`. */
function asCreated(object: Readonly<Record<string, unknown>>): object {
  const plan = Plan.safeParse(object).data;
  if (plan === undefined) return object;
  const steps = plan.status.plan.map((step) => (step.status === 'Present' ? { ...step, status: 'Created' } : step));
  return { ...plan, status: { ...plan.status, plan: steps } };
}

/** The conditions of a ClusterServiceVersion are states on the way, too; phase and reason are the last. */
function withoutHistory(csv: Readonly<Record<string, unknown>>): object {
  const { conditions: _history, ...status } = { conditions: [], ...(csv['status'] as object | undefined) };
  return { ...csv, status };
}

function canonicalOf(object: object): string {
  const json = JSON.stringify(object, (key, value: unknown) => {
    if (VOLATILE.has(key) || MARKS.has(key)) return undefined;
    return key === 'managedFields' && Array.isArray(value) ? inOrder(value) : value;
  });
  return canonicalJson(JSON.parse(json)).replaceAll(UID, 'UID').replaceAll(TIME, 'TIME');
}

/** Their order is that of their times. */
const inOrder = (entries: readonly object[]): readonly object[] =>
  entries.map((entry) => ({ ...entry, time: '' })).toSorted((a, b) => byCodeUnit(canonicalJson(a), canonicalJson(b)));
