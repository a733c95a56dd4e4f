import { apiServiceName } from '../../classic/csv/serving/api-services.js';
import type { ClusterServiceVersion } from '../../kernel/api/cluster-service-version.js';
import { allCrds, ownedApiServices, requiredApiServices } from '../../kernel/api/csv-facts.js';
import type { KubernetesObject } from '../../kernel/api/kubernetes-object.js';
import { MANAGED_LABEL } from '../../kernel/api/owner-labels.js';

/**
 * Phases in which the phase machine checks no rights (spec: csv-lifecycle.md §3), or checks them in its next
 * pass.
 */
const PAST_REQUIREMENTS: ReadonlySet<string> = new Set([
  'InstallReady',
  'Installing',
  'Succeeded',
  'Replacing',
  'Deleting',
]);

/**
 * True if a change of a cluster-scoped object may unblock or stop an operator. A CustomResourceDefinition
 * matters if the ClusterServiceVersion names it, or waits for APIs without naming their definition. Rights,
 * and an APIService that it names, matter while requirements may lack them. An APIService may belong to an
 * operator of another namespace.
 */
export function waitsForClusterObject(csv: ClusterServiceVersion, object: KubernetesObject): boolean {
  const phase = csv.status?.phase ?? '';
  if (object.kind === 'APIService') return !PAST_REQUIREMENTS.has(phase) && namesApiService(csv, object);
  if (object.kind !== 'CustomResourceDefinition') return !PAST_REQUIREMENTS.has(phase);
  if (allCrds(csv).some(({ name }) => name === object.metadata.name)) return true;
  return phase !== 'Succeeded' && (csv.spec.nativeAPIs ?? []).length > 0;
}

const namesApiService = (csv: ClusterServiceVersion, { metadata }: KubernetesObject): boolean =>
  [...ownedApiServices(csv), ...requiredApiServices(csv)].some((api) => apiServiceName(api) === metadata.name);

const PROVIDED_API = 'olm.opgroup.permissions/aggregate-to-';
const RIGHTS: ReadonlySet<string> = new Set(['ClusterRole', 'ClusterRoleBinding']);

/**
 * True if the object grants rights to the operator in its labels, or on the APIs that an operator provides.
 * The applier writes it in a pass over that operator. Passes over other operators with unmet requirements
 * would find nothing. `own`: the applier wrote it last.
 */
export const isForOwnerAlone = ({ kind, metadata: { labels = {} } }: KubernetesObject, own: boolean): boolean =>
  own && RIGHTS.has(kind) && (labels['olm.owner.namespace'] !== undefined || givesProvidedApis(labels));

/** True if the labels are those of `provided-api-cluster-roles.ts`. */
const givesProvidedApis = (labels: Readonly<Record<string, string>>): boolean =>
  labels[MANAGED_LABEL] === 'true' && Object.keys(labels).some((label) => label.startsWith(PROVIDED_API));
