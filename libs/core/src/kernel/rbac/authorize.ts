import type { PolicyRule } from '../api/cluster-service-version.js';
import type { KubernetesObject } from '../api/kubernetes-object.js';
import { bindingOf, type RbacSubject, rulesOf } from './rbac-objects.js';

/** The RBAC objects of one cluster, or the part of them that matters for one namespace. */
export type RbacObjects = Readonly<{
  roles: readonly KubernetesObject[];
  roleBindings: readonly KubernetesObject[];
  clusterRoles: readonly KubernetesObject[];
  clusterRoleBindings: readonly KubernetesObject[];
}>;

/** Names a service account. */
export type ServiceAccountKey = Readonly<{ namespace: string; name: string }>;

/** One request as RBAC sees it: on a resource (`resource` may be `pods/log`), or on a path. */
export type AccessRequest =
  | Readonly<{ verb: string; group: string; resource: string; name: string }>
  | Readonly<{ verb: string; path: string }>;

/**
 * True if granted rules add up to all that `rule` names. Every combination of verb, group, resource and name
 * must be allowed, and several rules may add up to it (spec: csv-lifecycle.md §4, a real RBAC authorizer: any
 * source counts).
 */
export const coveredBy = (granted: readonly PolicyRule[], rule: PolicyRule): boolean =>
  granted.some((one) => includesRule(one, rule)) ||
  requestsOf(rule).every((request) => granted.some((one) => allows(one, request)));

/** True if one rule names all that another one does. Does not try each combination: there may be millions. */
export function includesRule(one: PolicyRule, rule: PolicyRule): boolean {
  const all = (allowed: readonly string[] = [], wanted: readonly string[] = []) => {
    const known = new Set(allowed);
    return known.has('*') || wanted.every((word) => known.has(word));
  };
  if (!all(one.verbs, orEmpty(rule.verbs))) return false;
  if ((rule.nonResourceURLs ?? []).length > 0) return all(one.nonResourceURLs, rule.nonResourceURLs);
  const names = new Set(one.resourceNames);
  return (
    all(one.apiGroups, orEmpty(rule.apiGroups)) &&
    all(one.resources, orEmpty(rule.resources)) &&
    (names.size === 0 || orEmpty(rule.resourceNames).every((name) => names.has(name)))
  );
}

/** A rule of a bundle may stand for more requests than can be compared. */
const MOST_REQUESTS = 20_000;

const requestCount = ({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }: PolicyRule): number => {
  const named = nonResourceURLs ?? [];
  const lists = named.length > 0 ? [verbs, named] : [verbs, apiGroups, resources, resourceNames];
  return lists.reduce((product, list) => product * orEmpty(list).length, 1);
};

/** Returns every rule that bindings give to the account, cluster-wide and, when it is set, in `namespace`. */
export function grantedRules(
  { roles, roleBindings, clusterRoles, clusterRoleBindings }: RbacObjects,
  account: ServiceAccountKey,
  namespace: string | undefined,
): readonly PolicyRule[] {
  const rulesOfClusterRole = (name: string) =>
    clusterRoles.filter(({ metadata }) => metadata.name === name).flatMap(rulesOf);
  const rulesOfRole = (name: string) =>
    roles.filter(({ metadata }) => metadata.name === name && metadata.namespace === namespace).flatMap(rulesOf);
  const granted = (binding: KubernetesObject, bindingNamespace: string | undefined): readonly PolicyRule[] => {
    const content = bindingOf(binding);
    if (!content?.subjects.some((subject) => isAccount(subject, account, bindingNamespace))) return [];
    if (content.roleRef.kind === 'ClusterRole') return rulesOfClusterRole(content.roleRef.name);
    return bindingNamespace === undefined ? [] : rulesOfRole(content.roleRef.name);
  };
  const local = roleBindings.filter(({ metadata }) => namespace !== undefined && metadata.namespace === namespace);
  return [
    ...clusterRoleBindings.flatMap((binding) => granted(binding, undefined)),
    ...local.flatMap((binding) => granted(binding, namespace)),
  ];
}

/** True if the subject is the account, or the user or a group that the API server gives to its token. */
function isAccount(subject: RbacSubject, account: ServiceAccountKey, bindingNamespace: string | undefined): boolean {
  const { namespace, name } = account;
  switch (subject.kind) {
    case 'User':
      return subject.name === `system:serviceaccount:${namespace}:${name}`;
    case 'Group':
      return ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'].includes(
        subject.name,
      );
    case 'ServiceAccount':
      return subject.name === name && (subject.namespace || bindingNamespace) === namespace;
    default:
      return false;
  }
}

const orEmpty = (list: readonly string[] | undefined): readonly string[] =>
  list === undefined || list.length === 0 ? [''] : list;

/**
 * Returns the requests a rule stands for. Missing lists count as one empty word, as in OLM's checker. A rule
 * of more than 20,000 stands for all there are.
 */
export function requestsOf(rule: PolicyRule): readonly AccessRequest[] {
  if (requestCount(rule) > MOST_REQUESTS) {
    const isOfPaths = (rule.nonResourceURLs ?? []).length > 0;
    return [isOfPaths ? { verb: '*', path: '*' } : { verb: '*', group: '*', resource: '*', name: '' }];
  }
  const verbs = orEmpty(rule.verbs);
  if (rule.nonResourceURLs !== undefined && rule.nonResourceURLs.length > 0) {
    return rule.nonResourceURLs.flatMap((path) => verbs.map((verb) => ({ verb, path })));
  }
  const names = orEmpty(rule.resourceNames);
  return orEmpty(rule.apiGroups).flatMap((group) =>
    orEmpty(rule.resources).flatMap((resource) =>
      names.flatMap((name) => verbs.map((verb) => ({ verb, group, resource, name }))),
    ),
  );
}

/** True if one granted rule covers one request, as Kubernetes' RBAC matches them. */
export function allows(rule: PolicyRule, request: AccessRequest): boolean {
  if (!covers(rule.verbs, request.verb)) return false;
  if ('path' in request) return (rule.nonResourceURLs ?? []).some((pattern) => pathMatches(pattern, request.path));
  const names = rule.resourceNames ?? [];
  return (
    covers(rule.apiGroups, request.group) &&
    (rule.resources ?? []).some((resource) => resourceMatches(resource, request.resource)) &&
    (names.length === 0 || names.includes(request.name))
  );
}

const covers = (allowed: readonly string[] | undefined, wanted: string): boolean =>
  allowed !== undefined && (allowed.includes('*') || allowed.includes(wanted));

const pathMatches = (pattern: string, path: string): boolean =>
  pattern === '*' || pattern === path || (pattern.endsWith('*') && path.startsWith(pattern.slice(0, -1)));

function resourceMatches(allowed: string, wanted: string): boolean {
  if (allowed === '*' || allowed === wanted) return true;
  const slash = wanted.indexOf('/');
  return slash >= 0 && allowed === `*${wanted.slice(slash)}`;
}

/**
 * Returns the reason why a rule can never be granted, otherwise undefined (csv-lifecycle.md §3: install
 * strategy invalid).
 */
export function ruleError(rule: PolicyRule): string | undefined {
  if ((rule.verbs ?? []).length === 0) return 'policy rule must have at least one verb';
  const onResources = [rule.apiGroups, rule.resources, rule.resourceNames].some((list) => (list ?? []).length > 0);
  return onResources && (rule.nonResourceURLs ?? []).length > 0
    ? 'rule cannot apply to both regular resources and non-resource URLs'
    : undefined;
}
