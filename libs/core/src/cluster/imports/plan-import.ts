import { FLEET_API } from '../../kernel/api/fleet/fleet-fields.js';
import type { KubernetesObject } from '../../kernel/api/kubernetes-object.js';
import { byCodeUnit } from '../../kernel/canonical/canonical-json.js';
import { sameJson } from '../../kernel/canonical/same-json.js';
import { subdomainProblems } from '../../kernel/labels/label-syntax.js';
import type { ForeignCluster, ForeignReading, RefusedCluster } from './foreign-cluster.js';
import { IMPORTED_FROM_ANNOTATION, originMark, SOURCE_LABEL, sourceMark } from './import-marks.js';

type ImportInput = Readonly<{
  /** Clusters of the tool, and objects that are none. */
  readings: readonly ForeignReading[];
  /** The FleetClusters of the hub. */
  existing: readonly KubernetesObject[];
  /** The FleetClusterSource that keeps the clusters in step. Absent: they are imported once. */
  source?: string | undefined;
  namePrefix?: string | undefined;
}>;

/** Clusters to import, and objects that cannot be imported. Lists are sorted. */
export type ImportPlan = Readonly<{
  /** FleetClusters to apply, with the fields of the import alone. */
  wanted: readonly KubernetesObject[];
  refused: readonly RefusedCluster[];
  /** Names of FleetClusters of this source that the tool has no more. */
  left: readonly string[];
  /** Labels and annotations that are not copied. */
  notes: readonly string[];
}>;

/**
 * Decides which FleetClusters an import writes. A name belongs to the object that has its FleetCluster
 * already, otherwise to the first object in the order of their names. The import never takes a FleetCluster
 * of people or of another source.
 */
export function planImport({ readings, existing, source, namePrefix }: ImportInput): ImportPlan {
  const held = new Map(existing.map((object) => [object.metadata.name ?? '', object]));
  const origins = new Set(readings.map(({ origin }) => origin));
  const found = readings
    .filter((one): one is ForeignCluster => !('refused' in one))
    .map((one) => withPrefix(one, namePrefix));
  const isHolder = ({ name, origin }: ForeignCluster) => holderOf(held.get(name), origins) === origin;
  const inTurn = found.toSorted((a, b) => Number(isHolder(b)) - Number(isHolder(a)) || byCodeUnit(a.origin, b.origin));
  const taken = new Map<string, ForeignCluster>();
  const refused: RefusedCluster[] = readings.filter((one): one is RefusedCluster => 'refused' in one);
  for (const cluster of inTurn) {
    const { name, origin } = cluster;
    const why = refusalOf(cluster, { held: held.get(name), by: taken.get(name)?.origin, source, origins });
    if (why === undefined) taken.set(name, cluster);
    else refused.push({ origin, refused: why });
  }
  const all = [...taken.values()].toSorted((a, b) => byCodeUnit(a.name, b.name));
  return {
    wanted: all.map((cluster) => fleetCluster(cluster, held.get(cluster.name), source)),
    refused: refused.toSorted((a, b) => byCodeUnit(a.origin, b.origin)),
    left: source === undefined ? [] : leftOf(existing, source, origins, taken),
    notes: all.flatMap(({ origin, notes }) => notes.map((note) => `${origin}: ${note}`)),
  };
}

const withPrefix = (cluster: ForeignCluster, prefix: string | undefined): ForeignCluster =>
  prefix === undefined ? cluster : { ...cluster, name: `${prefix}-${cluster.name}` };

/** Returns the object that a FleetCluster was made from, while the tool still has it. */
function holderOf(held: KubernetesObject | undefined, origins: ReadonlySet<string>): string | undefined {
  const origin = held && originMark(held);
  return origin !== undefined && origins.has(origin) ? origin : undefined;
}

type Claim = Readonly<{
  held: KubernetesObject | undefined;
  /** The object that has taken the name in this import. */
  by: string | undefined;
  source: string | undefined;
  origins: ReadonlySet<string>;
}>;

const ANOTHER_NAME = 'rename it there, or import with a name prefix';

function refusalOf({ name, origin }: ForeignCluster, { held, by, source, origins }: Claim): string | undefined {
  if (subdomainProblems(name).length > 0)
    return `FleetCluster "${name}" would not be a DNS subdomain of at most 253 characters`;
  if (by !== undefined) return `FleetCluster "${name}" is of ${by}: ${ANOTHER_NAME}`;
  if (held === undefined) return undefined;
  const of = sourceMark(held);
  if (of !== undefined && of !== source)
    return `FleetCluster "${name}" is of FleetClusterSource "${of}": ${ANOTHER_NAME}`;
  const from = originMark(held);
  if (of === undefined && from === undefined) {
    return `there is a FleetCluster "${name}" already, and it was not imported: ${ANOTHER_NAME}`;
  }
  const isOfAnother = from !== undefined && from !== origin && (of === undefined || origins.has(from));
  if (isOfAnother) return `FleetCluster "${name}" was imported from ${from}: ${ANOTHER_NAME}`;
  return held.metadata.deletionTimestamp === undefined ? undefined : `FleetCluster "${name}" is being deleted`;
}

/** An object that cannot be read, or has another name now, is still there: its FleetCluster has not left. */
const leftOf = (
  existing: readonly KubernetesObject[],
  source: string,
  origins: ReadonlySet<string>,
  taken: ReadonlyMap<string, ForeignCluster>,
): readonly string[] =>
  existing
    .filter((object) => sourceMark(object) === source && object.metadata.deletionTimestamp === undefined)
    .filter((object) => !taken.has(object.metadata.name ?? '') && !origins.has(originMark(object) ?? ''))
    .map(({ metadata }) => metadata.name ?? '')
    .toSorted(byCodeUnit);

function fleetCluster(
  { name, origin, labels, annotations, login }: ForeignCluster,
  held: KubernetesObject | undefined,
  source: string | undefined,
): KubernetesObject {
  const own = source === undefined ? {} : { [SOURCE_LABEL]: source };
  return {
    ...{ apiVersion: FLEET_API, kind: 'FleetCluster' },
    metadata: {
      name,
      labels: { ...labels, ...own },
      annotations: { ...annotations, [IMPORTED_FROM_ANNOTATION]: origin },
    },
    spec: { access: login === undefined ? accessOf(name, held) : { secretRef: login } },
  };
}

/** A tool without logins leaves that to people: they put one into the Secret with the name of the cluster. */
const accessOf = (name: string, held: KubernetesObject | undefined): unknown =>
  (held?.['spec'] as Readonly<{ access?: unknown }> | undefined)?.access ?? { secretRef: { name } };

/** True if a FleetCluster has all fields that an import sets. */
export function isInStep(held: KubernetesObject, { metadata, spec }: KubernetesObject): boolean {
  const has = (own: Readonly<Record<string, string>> = {}, found: Readonly<Record<string, string>> = {}) =>
    Object.entries(own).every(([key, value]) => found[key] === value);
  const loginOf = (of: unknown) => (of as { access?: { secretRef?: unknown } } | undefined)?.access?.secretRef;
  return (
    has(metadata.labels, held.metadata.labels) &&
    has(metadata.annotations, held.metadata.annotations) &&
    sameJson(loginOf(held['spec']), loginOf(spec))
  );
}
