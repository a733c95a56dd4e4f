import { byCodeUnit } from '../canonical/canonical-json.js';
import type {
  ApiServiceDescription,
  ClusterServiceVersion,
  CrdDescription,
  StrategyDeployment,
  StrategyPermission,
  WebhookDescription,
} from './cluster-service-version.js';
import type { GroupVersionKind } from './kubernetes-object.js';

/** Returns the name of a CSV that was read from a cluster. */
export const csvName = (csv: ClusterServiceVersion): string => csv.metadata.name ?? '';
export const csvNamespace = (csv: ClusterServiceVersion): string => csv.metadata.namespace ?? '';

export const ownedCrds = (csv: ClusterServiceVersion): readonly CrdDescription[] =>
  csv.spec.customresourcedefinitions?.owned ?? [];

export const requiredCrds = (csv: ClusterServiceVersion): readonly CrdDescription[] =>
  csv.spec.customresourcedefinitions?.required ?? [];

export const ownedApiServices = (csv: ClusterServiceVersion): readonly ApiServiceDescription[] =>
  csv.spec.apiservicedefinitions?.owned ?? [];

export const requiredApiServices = (csv: ClusterServiceVersion): readonly ApiServiceDescription[] =>
  csv.spec.apiservicedefinitions?.required ?? [];

export const webhooks = (csv: ClusterServiceVersion): readonly WebhookDescription[] =>
  csv.spec.webhookdefinitions ?? [];

export const strategyDeployments = (csv: ClusterServiceVersion): readonly StrategyDeployment[] =>
  csv.spec.install?.spec?.deployments ?? [];

export const permissions = (csv: ClusterServiceVersion): readonly StrategyPermission[] =>
  csv.spec.install?.spec?.permissions ?? [];

export const clusterPermissions = (csv: ClusterServiceVersion): readonly StrategyPermission[] =>
  csv.spec.install?.spec?.clusterPermissions ?? [];

/** Returns owned and required CRDs, one per name (owned wins), sorted by name (csv-lifecycle.md §4). */
export function allCrds(csv: ClusterServiceVersion): readonly CrdDescription[] {
  const byName = new Map<string, CrdDescription>();
  for (const crd of [...ownedCrds(csv), ...requiredCrds(csv)]) if (!byName.has(crd.name)) byName.set(crd.name, crd);
  return [...byName.values()].sort((a, b) => byCodeUnit(a.name, b.name));
}

/** Returns the group of a CRD: the part of its name after the first dot. */
export const groupOfCrd = (name: string): string => name.slice(name.indexOf('.') + 1);

/** True if every CRD that the CSV names has a group in its name. Otherwise OLM does nothing with the CSV. */
export const namesApis = (csv: ClusterServiceVersion): boolean => allCrds(csv).every(({ name }) => name.includes('.'));

/** Returns the APIs that an operator provides: owned CRDs and owned APIServices. */
export const providedApis = (csv: ClusterServiceVersion): readonly GroupVersionKind[] => [
  ...ownedCrds(csv).map(({ name, version, kind }) => ({ group: groupOfCrd(name), version, kind })),
  ...ownedApiServices(csv).map(({ group, version, kind }) => ({ group, version, kind })),
];

/** True for a copy of a CSV, which lives in another namespace (spec: api-types.md §5, derived predicates). */
export function isCopied(csv: ClusterServiceVersion): boolean {
  if (csv.status?.reason === 'Copied') return true;
  if (csv.metadata.labels?.['olm.copiedFrom'] !== undefined) return true;
  const home = csv.metadata.annotations?.['olm.operatorNamespace'];
  return home !== undefined && home !== csv.metadata.namespace;
}

/** Returns the namespace of the original CSV of this copy. Empty if the copy does not name it. */
export const originalNamespace = ({ metadata }: ClusterServiceVersion): string =>
  metadata.labels?.['olm.copiedFrom'] ?? metadata.annotations?.['olm.operatorNamespace'] ?? '';

const UNCOPIABLE: ReadonlySet<string> = new Set([
  'Copied',
  'InvalidInstallModes',
  'NoTargetNamespaces',
  'UnsupportedOperatorGroup',
  'NoOperatorGroup',
  'TooManyOperatorGroups',
  'InterOperatorGroupOwnerConflict',
  'CannotModifyStaticOperatorGroupProvidedAPIs',
]);

/** True for a CSV that must not be copied to its target namespaces (spec: api-types.md §5). */
export const isUncopiable = (csv: ClusterServiceVersion): boolean =>
  (csv.status?.phase ?? '') === '' || UNCOPIABLE.has(csv.status?.reason ?? '');
