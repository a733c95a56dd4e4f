import type { ApiObject } from '../objects/api-object.js';
import { arrayAt, isObject, type JsonObject, objectAt, stringAt } from '../objects/json.js';
import type { ClusterState } from '../state/cluster-state.js';
import { accountOf, type Requester } from './requester.js';

/** A verb on a resource that a requester attempts. */
export type AccessAttempt = Readonly<{
  verb: string;
  group: string;
  resource: string;
  subresource?: string | undefined;
  namespace?: string | undefined;
  name?: string | undefined;
}>;

/**
 * Answer of RBAC. `why`: the API server's addition to a refusal, which names roles that are bound and do not
 * exist.
 */
export type RbacVerdict = Readonly<{ allowed: boolean; why: string }>;

const RBAC = 'rbac.authorization.k8s.io';

/** Kubernetes' RBAC: whether some rule bound to the user, in the cluster or in the namespace, allows it. */
export function verdict(cluster: ClusterState, user: Requester, attempt: AccessAttempt): RbacVerdict {
  if (user.groups.includes('system:masters')) return { allowed: true, why: '' };
  const absent: string[] = [];
  for (const binding of bindingsOf(cluster, user, attempt.namespace)) {
    const role = roleOf(cluster, binding);
    if (role === undefined) absent.push(absenceOf(binding));
    else if (rulesIn(role).some((rule) => allows(rule, attempt))) return { allowed: true, why: '' };
  }
  return { allowed: false, why: absenceText(absent) };
}

/** Decides if some rule bound to the user in the cluster allows a verb on a path outside the resources. */
export function verdictOnPath(cluster: ClusterState, user: Requester, verb: string, path: string): RbacVerdict {
  const rules = user.groups.includes('system:masters') ? undefined : rulesOf(cluster, user, undefined);
  return { allowed: rules?.some((rule) => allowsPath(rule, verb, path)) ?? true, why: '' };
}

/** Every rule that is bound to the user, in the cluster and in the namespace. */
export const rulesOf = (cluster: ClusterState, user: Requester, namespace: string | undefined): JsonObject[] =>
  bindingsOf(cluster, user, namespace).flatMap((binding) => {
    const role = roleOf(cluster, binding);
    return role === undefined ? [] : rulesIn(role);
  });

const rulesIn = (role: ApiObject): JsonObject[] => arrayAt(role, 'rules').filter(isObject);

function bindingsOf({ storage }: ClusterState, user: Requester, namespace: string | undefined): ApiObject[] {
  const inNamespace = storage.list(`rolebindings.${RBAC}`).filter(({ metadata }) => metadata.namespace === namespace);
  return [...storage.list(`clusterrolebindings.${RBAC}`), ...inNamespace].filter((one) => binds(one, user));
}

/** A path of a rule may end in `*`. */
function allowsPath(rule: JsonObject, verb: string, path: string): boolean {
  const verbs = arrayAt(rule, 'verbs');
  const paths = arrayAt(rule, 'nonResourceURLs').map(String);
  const fits = (pattern: string) =>
    pattern === path || (pattern.endsWith('*') && path.startsWith(pattern.slice(0, -1)));
  return (verbs.includes('*') || verbs.includes(verb)) && paths.some(fits);
}

const absenceText = (absent: readonly string[]): string => {
  if (absent.length === 0) return '';
  return `RBAC: ${absent.length === 1 ? absent[0] : `[${absent.join(', ')}]`}`;
};

function absenceOf(binding: ApiObject): string {
  const kind = stringAt(binding, 'roleRef', 'kind') ?? '';
  return `${kind.toLowerCase()}.${RBAC} "${stringAt(binding, 'roleRef', 'name')}" not found`;
}

function binds(binding: ApiObject, user: Requester): boolean {
  const account = accountOf(user.name);
  return arrayAt(binding, 'subjects').some((subject) => {
    const name = stringAt(subject, 'name') ?? '';
    switch (stringAt(subject, 'kind')) {
      case 'User':
        return name === user.name;
      case 'Group':
        return user.groups.includes(name);
      default: {
        const namespace = stringAt(subject, 'namespace') ?? binding.metadata.namespace;
        return account !== undefined && account[0] === namespace && account[1] === name;
      }
    }
  });
}

function roleOf({ storage }: ClusterState, binding: ApiObject): ApiObject | undefined {
  const { kind, name } = objectAt(binding, 'roleRef') ?? {};
  return kind === 'Role'
    ? storage.get(`roles.${RBAC}`, `${binding.metadata.namespace}/${name}`)
    : storage.get(`clusterroles.${RBAC}`, `/${name}`);
}

function allows(rule: JsonObject, { verb, group, resource, subresource, name }: AccessAttempt): boolean {
  const has = (field: string, ...wanted: readonly string[]) =>
    wanted.some((value) => arrayAt(rule, field).includes(value));
  const named = arrayAt(rule, 'resourceNames');
  const whole = subresource === undefined ? resource : `${resource}/${subresource}`;
  const anyOf = subresource === undefined ? [] : [`*/${subresource}`];
  return (
    has('verbs', '*', verb) &&
    has('apiGroups', '*', group) &&
    has('resources', '*', whole, ...anyOf) &&
    (named.length === 0 || (name !== undefined && named.includes(name)))
  );
}
