import type { InstallPlanStep } from '../../../kernel/api/install-plan.js';
import { CRD_GROUP, RBAC_GROUP } from '../../../kernel/api/kinds.js';
import type { GroupVersionKind, KubernetesObject } from '../../../kernel/api/kubernetes-object.js';
import { splitApiVersion } from '../../../kernel/api/kubernetes-object.js';

/** Status of a plan's step (spec: api-types.md §4). Created and Present must be read as equal. */
export type StepStatus =
  | 'Unknown'
  | 'NotPresent'
  | 'Present'
  | 'Created'
  | 'NotCreated'
  | 'WaitingForApi'
  | 'UnsupportedResource';

/** A Secret of the bundle; a step of kind `Secret` means "copy this pull secret" instead. */
export const BUNDLE_SECRET_KIND = 'BundleSecret';
export const CSV_KIND = 'ClusterServiceVersion';
export const CRD_KIND = 'CustomResourceDefinition';
export const SUBSCRIPTION_KIND = 'Subscription';

/** The origin of a step: the CSV it belongs to and the catalog that offered it. */
type StepOrigin = Readonly<{ resolving: string; sourceName: string; sourceNamespace: string }>;

/** A step that makes `object`; its manifest is the object's whole JSON text (spec: install-plans.md §2). */
export function stepOf(
  object: KubernetesObject,
  { resolving, sourceName, sourceNamespace }: StepOrigin,
): InstallPlanStep {
  const { group, version } = splitApiVersion(object.apiVersion);
  return {
    resolving,
    status: 'Unknown',
    resource: {
      sourceName,
      sourceNamespace,
      group,
      version,
      kind: object.kind === 'Secret' ? BUNDLE_SECRET_KIND : object.kind,
      name: object.metadata.name || (object.metadata.generateName ?? ''),
      manifest: JSON.stringify(object),
    },
  };
}

type Api = Readonly<{ group: string; version: string }>;
const RBAC: Api = { group: RBAC_GROUP, version: 'v1' };
const CORE: Api = { group: '', version: 'v1' };
const OLM: Api = { group: 'operators.coreos.com', version: 'v1alpha1' };

/**
 * Kinds with typed clients in OLM. It reads the kind alone and writes the object by this API, for any
 * apiVersion in the bundle, or none (spec: install-plans.md §5; recording real-cluster-aas-operator). For
 * CRDs it has one client for each version, and reads the version alone.
 */
const TYPED: ReadonlyMap<string, Api> = new Map([
  ...['ClusterRole', 'ClusterRoleBinding', 'Role', 'RoleBinding'].map((kind) => [kind, RBAC] as const),
  ...['ConfigMap', 'Secret', 'Service', 'ServiceAccount'].map((kind) => [kind, CORE] as const),
  ...[CSV_KIND, SUBSCRIPTION_KIND].map((kind) => [kind, OLM] as const),
]);

/** The API of the object that a step makes. */
export function kindOfStep({ resource }: InstallPlanStep): GroupVersionKind {
  const kind = resource.kind === BUNDLE_SECRET_KIND ? 'Secret' : resource.kind;
  if (kind === CRD_KIND) return { group: CRD_GROUP, version: resource.version, kind };
  const { group, version } = TYPED.get(kind) ?? resource;
  return { group, version, kind };
}

/** True for a step that needs nothing more. */
export const isDone = (step: InstallPlanStep): boolean => step.status === 'Created' || step.status === 'Present';
