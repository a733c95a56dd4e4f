import { byCodeUnit } from '#core/kernel/canonical/canonical-json';
import type { KindRef, KubeClient, ListOptions } from '#platform/kube/client/kube-client.port';

/** Objects of a cluster by `Kind namespace/name`, without values that differ from run to run. */
export type Dump = Readonly<Record<string, unknown>>;

const OLM = 'operators.coreos.com';
const RBAC = 'rbac.authorization.k8s.io/v1';
const OWNED: ListOptions = { labelSelector: 'olm.owner' };

const namespaced: readonly KindRef[] = [
  ...['CatalogSource', 'Subscription', 'InstallPlan', 'ClusterServiceVersion'].map((kind) => ({
    apiVersion: `${OLM}/v1alpha1`,
    kind,
  })),
  { apiVersion: `${OLM}/v1`, kind: 'OperatorGroup' },
  { apiVersion: `${OLM}/v2`, kind: 'OperatorCondition' },
  { apiVersion: 'apps/v1', kind: 'Deployment' },
  { apiVersion: 'v1', kind: 'Service' },
  { apiVersion: 'v1', kind: 'ServiceAccount' },
  { apiVersion: RBAC, kind: 'Role' },
  { apiVersion: RBAC, kind: 'RoleBinding' },
];
const clusterScoped: readonly (readonly [KindRef, ListOptions])[] = [
  [{ apiVersion: `${OLM}/v1`, kind: 'Operator' }, {}],
  [{ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' }, { labelSelector: 'olm.managed=true' }],
  [{ apiVersion: RBAC, kind: 'ClusterRole' }, OWNED],
  [{ apiVersion: RBAC, kind: 'ClusterRoleBinding' }, OWNED],
];

/**
 * Fields with times, versions and identities that no two runs share, with numbers of writes, and with the
 * observations behind a plan.
 */
const FLEETING = new Set([
  'uid',
  'uuid',
  'resourceVersion',
  'creationTimestamp',
  'generation',
  'observedGeneration',
  'managedFields',
  'lastUpdated',
  'lastUpdateTime',
  'lastTransitionTime',
  'lastConnect',
  'latestImageRegistryPoll',
  'createdAt',
  'startTime',
  'clusterIP',
  'clusterIPs',
  'flotilla.dev/change',
  'flotilla.dev/hub-instance',
]);

/** Returns objects of OLM and its operators in these namespaces and at cluster level. */
export async function normalisedDump(client: KubeClient, namespaces: readonly string[]): Promise<Dump> {
  const places: readonly (readonly [KindRef, ListOptions])[] = [
    ...namespaces.flatMap((namespace) => namespaced.map((kind) => [kind, { namespace }] as const)),
    ...clusterScoped,
  ];
  const entries = await Promise.all(
    places.map(async ([kind, options]) => {
      const found = await client.list(kind, options);
      return (found?.items ?? []).map(({ apiVersion: _version, kind: _kind, ...item }): [string, unknown] => {
        const { namespace = '', name } = item.metadata;
        return [`${kind.kind} ${namespace}/${name}`, normalised(item, kind.kind)];
      });
    }),
  );
  return Object.fromEntries(entries.flat().toSorted(([a], [b]) => byCodeUnit(a, b)));
}

/** Removes values that no two runs share; `kind`: that of the object around it. */
export function normalised(value: unknown, kind: string): unknown {
  if (Array.isArray(value)) return value.map((item) => normalised(item, kind));
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([key]) => !FLEETING.has(key) && !isHistory(key, kind));
  return Object.fromEntries(kept.map(([key, member]) => [key, settled(key, member, kind) ?? normalised(member, kind)]));
}

/**
 * A step that was done, but not yet noted when its process was killed, is found done by the next. The poller
 * listens at another port in each story.
 */
function settled(key: string, value: unknown, kind: string): string | undefined {
  if (key === 'address' && typeof value === 'string')
    return value.replace(/^http:\/\/127\.0\.0\.1:\d+\//, 'the poller/');
  return kind === 'InstallPlan' && key === 'status' && (value === 'Created' || value === 'Present')
    ? 'Done'
    : undefined;
}

/** A CSV lists every phase it went through; after an interruption it may have gone through one twice. */
const isHistory = (key: string, kind: string): boolean => kind === 'ClusterServiceVersion' && key === 'conditions';

/** Returns objects whose owner is gone: the cluster's garbage collector has yet to find them. */
export function orphansIn(dump: Dump): string[] {
  const names = new Set(Object.keys(dump));
  const isThere = (owner: unknown, namespace: string) => {
    const { kind, name } = Object(owner);
    return [namespace, ''].some((place) => names.has(`${kind} ${place}/${name}`));
  };
  return Object.entries(dump).flatMap(([key, object]) => {
    const { ownerReferences = [], namespace = '' } = Object(Object(object).metadata);
    return ownerReferences.some((owner: unknown) => !isThere(owner, namespace)) ? [key] : [];
  });
}
