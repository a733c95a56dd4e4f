import { KIND } from '#core/kernel/api/kinds';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { type ShippedRole, shippedRole } from '#platform/joining/shipped-rights';
import type { ClusterAccess } from '#platform/kube/access/kubeconfig';
import type { KubeClient } from '#platform/kube/client/kube-client.port';

/** The account that a hub gets in a cluster: its roles, and the lifetime of its tokens. */
export type AccountTerms = Readonly<{ lifetimeMs: number; roles: readonly ShippedRole[] }>;

/** kube-apiserver refuses shorter ones. */
export const SHORTEST_LIFETIME_MS = 600_000;

/** The namespace of the accounts, as in k8s/access. */
const NAMESPACE = 'flotilla-access';
const ACCOUNT = 'hub';
const RENEWAL = `${ACCOUNT}-renewal`;
const ALL_ROLES: readonly ShippedRole[] = ['observe', 'apply', 'apply-listed'];

/**
 * Makes an account for all services of a hub in a cluster, with its roles. Returns the access with a token
 * that ends. `client` acts with the login of the access. Can be repeated.
 */
export async function withAccount(
  client: KubeClient,
  access: ClusterAccess,
  { lifetimeMs, roles }: AccountTerms,
): Promise<ClusterAccess> {
  const objects = [...(await Promise.all(roles.map(shippedRole))), ...accountObjects(roles)];
  for (const object of objects) await client.apply(object);
  // The role of a binding cannot be changed: each has a binding of its own.
  const others = ALL_ROLES.filter((one) => !roles.includes(one));
  for (const other of others) await client.delete({ ...KIND.ClusterRoleBinding, name: bindingName(other) });
  const seconds = Math.ceil(lifetimeMs / 1_000);
  const token = await client.requestToken({ namespace: NAMESPACE, name: ACCOUNT, seconds });
  return { ...access, user: { token } };
}

const bindingName = (role: ShippedRole): string => `flotilla-access:${ACCOUNT}:${role}`;
const RBAC_GROUP = 'rbac.authorization.k8s.io';
const SUBJECTS = [{ kind: 'ServiceAccount', name: ACCOUNT, namespace: NAMESPACE }];
const own = (name: string) => ({ name, namespace: NAMESPACE });

const accountObjects = (roles: AccountTerms['roles']): readonly KubernetesObject[] => [
  { ...KIND.Namespace, metadata: { name: NAMESPACE } },
  { ...KIND.ServiceAccount, metadata: own(ACCOUNT), automountServiceAccountToken: false } as KubernetesObject,
  // It may ask for the next token of its own account, and of no other.
  {
    ...KIND.Role,
    metadata: own(RENEWAL),
    rules: [{ apiGroups: [''], resources: ['serviceaccounts/token'], resourceNames: [ACCOUNT], verbs: ['create'] }],
  } as KubernetesObject,
  {
    ...KIND.RoleBinding,
    metadata: own(RENEWAL),
    roleRef: { apiGroup: RBAC_GROUP, kind: 'Role', name: RENEWAL },
    subjects: SUBJECTS,
  } as KubernetesObject,
  ...roles.map(
    (one) =>
      ({
        ...KIND.ClusterRoleBinding,
        metadata: { name: bindingName(one) },
        roleRef: { apiGroup: RBAC_GROUP, kind: 'ClusterRole', name: `flotilla:${one}` },
        subjects: SUBJECTS,
      }) as KubernetesObject,
  ),
];
