import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { byCodeUnit } from '#core/kernel/canonical/canonical-json';
import type { KindRef, KubeClient } from '#platform/kube/client/kube-client.port';
import { type Masks, masked } from './masks.js';
import type { Dump, JsonObject } from './recording.js';
import { reduced } from './reductions.js';
import { inScope, type Scope } from './scope.js';

const of = (apiVersion: string, ...kinds: readonly string[]): KindRef[] => kinds.map((kind) => ({ apiVersion, kind }));

/** The kinds that the recordings hold. */
export const DUMPED: readonly KindRef[] = [
  ...of('operators.coreos.com/v1alpha1', 'CatalogSource', 'Subscription', 'InstallPlan', 'ClusterServiceVersion'),
  ...of('operators.coreos.com/v1', 'OperatorGroup', 'Operator'),
  ...of('operators.coreos.com/v2', 'OperatorCondition'),
  ...of('apps/v1', 'Deployment'),
  ...of('v1', 'Namespace', 'ServiceAccount', 'Service', 'ConfigMap', 'Secret'),
  ...of('rbac.authorization.k8s.io/v1', 'Role', 'RoleBinding', 'ClusterRole', 'ClusterRoleBinding'),
  ...of('apiextensions.k8s.io/v1', 'CustomResourceDefinition'),
  ...of('apiregistration.k8s.io/v1', 'APIService'),
  ...of('admissionregistration.k8s.io/v1', 'ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration'),
];

/** Returns all present objects of the scenario, in the form of the recordings. */
export async function takeDump(client: KubeClient, scope: Scope, masks: Masks): Promise<Dump> {
  const lists = await Promise.all(DUMPED.map(async (kind) => [kind, await listOf(client, kind)] as const));
  masks.noteWebhooks(lists.flatMap(([{ kind }, objects]) => (kind.includes('Webhook') ? objects : [])));
  return Object.fromEntries(
    lists.flatMap(([{ kind }, objects]) => {
      const mine = objects.filter((object) => inScope({ ...object, kind }, scope));
      if (mine.length === 0) return [];
      const entries = mine.map((object) => [keyOf(object), reduced(kind, object)] as const);
      const plain = masked(Object.fromEntries(entries.toSorted(([a], [b]) => byCodeUnit(a, b))), masks);
      return [[kind, plain as Record<string, JsonObject>]];
    }),
  );
}

async function listOf(client: KubeClient, kind: KindRef): Promise<readonly KubernetesObject[]> {
  return (await client.list(kind))?.items ?? [];
}

export const keyOf = ({ metadata: { namespace, name = '' } }: KubernetesObject): string =>
  namespace === undefined ? name : `${namespace}/${name}`;
