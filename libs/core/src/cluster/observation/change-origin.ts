import { APPLIER } from '../../kernel/actions/field-managers.js';
import { CSV_API } from '../../kernel/api/cluster-service-version.js';
import type { KubernetesObject } from '../../kernel/api/kubernetes-object.js';
import { asList, asRecord } from '../../kernel/crd/loose-value.js';

export type CsvName = Readonly<{ namespace: string; name: string }>;

/** What an object, as the API server sent it, shows of its last change. */
export type ChangeOrigin = Readonly<{
  /** The applier wrote it last, or a controller that has not finished what the applier asked for. */
  own: boolean;
  /** It is being deleted. */
  deleting: boolean;
  /** The ClusterServiceVersions that it belongs to. */
  csvs: readonly CsvName[];
}>;

const DELETING = 'Deleting';
/** Fills the rules of ClusterRoles in once those that they gather have changed. */
const AGGREGATOR = 'clusterrole-aggregation-controller';
const OF_PASSES: readonly unknown[] = [APPLIER, AGGREGATOR];
/** Reports how far the roll-out of a Deployment is. */
const ROLLER = 'kube-controller-manager';

/**
 * Who changed the object last, as far as `metadata.managedFields` show. Their times are whole seconds: where
 * a user or a controller wrote in the same second, the change counts as theirs. Deletions leave no trace
 * there: what is being deleted counts as changed by others, but for a ClusterServiceVersion that the applier
 * deletes.
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
 * Whether no pass is urgent for the change, since passes of the applier make such changes or bring them
 * about: its own writes, and what is removed because its ClusterServiceVersion has gone. `isThere`: whether a
 * ClusterServiceVersion exists and is not being deleted by the applier.
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

/** Whether the ClusterServiceVersion is there to stay, as far as the applier is concerned. */
export const staysInstalled = (csv: KubernetesObject | undefined): boolean =>
  csv !== undefined && phaseOf(csv) !== DELETING;

const phaseOf = (object: KubernetesObject): unknown => asRecord(object['status'])['phase'];

/** A Deployment that is not Available yet, and whose roll-out has not failed. */
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
