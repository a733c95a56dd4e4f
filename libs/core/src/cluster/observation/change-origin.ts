import { APPLIER } from '../../kernel/actions/field-managers.js';
import { CSV_API } from '../../kernel/api/cluster-service-version.js';
import type { KubernetesObject } from '../../kernel/api/kubernetes-object.js';
import { asList, asRecord } from '../../kernel/crd/loose-value.js';

export type CsvName = Readonly<{ namespace: string; name: string }>;

/** The last change of an object, according to the object from the API server. */
export type ChangeOrigin = Readonly<{
  /** True if the applier wrote it last, or a controller that has not finished the applier's request. */
  own: boolean;
  /** True if it is being deleted. */
  deleting: boolean;
  /** The ClusterServiceVersions that it belongs to. */
  csvs: readonly CsvName[];
}>;

const DELETING = 'Deleting';
/** Fills the rules of ClusterRoles in once those that they gather have changed. */
const AGGREGATOR = 'clusterrole-aggregation-controller';
const OF_PASSES: readonly unknown[] = [APPLIER, AGGREGATOR];
/** Reports how far the rollout of a Deployment is. */
const ROLLER = 'kube-controller-manager';

/**
 * Returns the last writer of the object, as far as `metadata.managedFields` shows. Its times are whole
 * seconds: if a user or a controller wrote in the same second, the change counts as theirs. Deletions leave
 * no trace there. An object that is being deleted counts as changed by others. The exception is a
 * ClusterServiceVersion that the applier deletes.
 */
export function changeOrigin(object: KubernetesObject): ChangeOrigin {
  const { deletionTimestamp } = object.metadata;
  const deletedByOthers =
    deletionTimestamp !== undefined && (object.kind !== CSV_API.kind || phaseOf(object) !== DELETING);
  return {
    own: !deletedByOthers && isWrittenLastBy(object, isRollingOut(object) ? [...OF_PASSES, ROLLER] : OF_PASSES),
    deleting: deletionTimestamp !== undefined,
    csvs: ownersOf(object),
  };
}

/**
 * True if no pass is urgent for the change, since passes of the applier cause such changes. These are the
 * applier's own writes, and objects that are removed because their ClusterServiceVersion is gone. `isThere`:
 * says if a ClusterServiceVersion exists and the applier is not deleting it.
 */
export function isOfPasses(
  { kind, status }: Readonly<{ kind: string; status?: unknown }>,
  event: 'changed' | 'gone',
  { own, csvs }: Pick<ChangeOrigin, 'own' | 'csvs'>,
  isThere: (csv: CsvName) => boolean,
): boolean {
  if (event === 'changed') return own;
  if (kind === CSV_API.kind) return asRecord(status)['phase'] === DELETING;
  return csvs.length > 0 && !csvs.some(isThere);
}

/** True if the ClusterServiceVersion exists and the applier will not remove it. */
export const staysInstalled = (csv: KubernetesObject | undefined): boolean =>
  csv !== undefined && phaseOf(csv) !== DELETING;

const phaseOf = (object: KubernetesObject): unknown => asRecord(object['status'])['phase'];

/** True if a Deployment is not Available yet and its rollout has not failed. */
function isRollingOut(object: KubernetesObject): boolean {
  if (object.kind !== 'Deployment') return false;
  const conditions = asList(asRecord(object['status'])['conditions']).map(asRecord);
  const is = (type: string, status: string) =>
    conditions.some((one) => one['type'] === type && one['status'] === status);
  return !is('Available', 'True') && !is('Progressing', 'False');
}

function isWrittenLastBy({ metadata }: KubernetesObject, managers: readonly unknown[]): boolean {
  const entries = asList(metadata['managedFields']).map(asRecord);
  const times = entries.map(({ time }) => (typeof time === 'string' ? time : ''));
  const newest = times.toSorted().at(-1) ?? '';
  return newest !== '' && entries.every((entry, at) => times[at] !== newest || managers.includes(entry['manager']));
}

function ownersOf({ metadata }: KubernetesObject): readonly CsvName[] {
  const { namespace = '', labels = {}, ownerReferences = [] } = metadata;
  const referred = ownerReferences.filter(({ kind }) => kind === CSV_API.kind).map(({ name }) => ({ namespace, name }));
  const [name, place] = [labels['olm.owner'], labels['olm.owner.namespace']];
  const isLabelled = labels['olm.owner.kind'] === CSV_API.kind && name !== undefined && place !== undefined;
  return isLabelled ? [...referred, { namespace: place, name }] : referred;
}
