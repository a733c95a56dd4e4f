import type { PolicyRule } from '../../kernel/api/cluster-service-version.js';
import { RBAC_GROUP } from '../../kernel/api/kinds.js';
import { type KubernetesObject, splitApiVersion } from '../../kernel/api/kubernetes-object.js';
import { byCodeUnit } from '../../kernel/canonical/canonical-json.js';
import {
  type AccessRequest,
  allows,
  grantedRules,
  type RbacObjects,
  requestsOf,
  type ServiceAccountKey,
} from '../../kernel/rbac/authorize.js';
import { bindingOf, rulesOf } from '../../kernel/rbac/rbac-objects.js';
import { goQuote } from '../../kernel/versions/go-quote.js';

/** An object that an extension is to bring, and how its kind is served. */
export type ManagedObject = Readonly<{
  object: KubernetesObject;
  /** Name of the kind in API paths, such as `deployments`. */
  resource: string;
  namespaced: boolean;
}>;

/** The objects that a service account manages for a ClusterExtension. */
type ManagedObjects = Readonly<{
  account: ServiceAccountKey;
  /** RBAC of the cluster as it is. */
  rbac: RbacObjects;
  objects: readonly ManagedObject[];
  /**
   * The owner of the objects: the account must be allowed to update its finalizers. The group is
   * `olm.operatorframework.io`.
   */
  owner: Readonly<{ resource: 'clusterextensions' | 'clusterobjectsets'; name: string }>;
}>;

/** One request that the account may not make; the namespace of a cluster-wide one is empty. */
type MissingPermission = Readonly<{ namespace: string; request: AccessRequest }>;

const OBJECT_VERBS = ['get', 'patch', 'update', 'delete'] as const;
const OLM_GROUP = 'olm.operatorframework.io';

/**
 * Returns everything that the account is missing to manage the objects, so that it can be granted at once
 * (spec: v1-extension.md, "Access control"). Includes rights that it would grant without having them: the API
 * server refuses that, unless the account may `escalate` or `bind` (Kubernetes' rule against escalation).
 * Watching needs no right of the account: the hub watches.
 */
export function missingPermissions(managed: ManagedObjects): readonly MissingPermission[] {
  const mayNot = refusals(managed.rbac, managed.account);
  const { resource, name } = managed.owner;
  const finalizers = { verb: 'update', group: OLM_GROUP, resource: `${resource}/finalizers`, name };
  return [
    ...mayNot('', [finalizers]),
    ...managed.objects.flatMap((one) => mayNot(scopeOf(one), requestsFor(one))),
    ...managed.objects.flatMap((one) => escalations(one, managed, mayNot)),
  ];
}

/** Cluster-scoped kinds are asked for cluster-wide, whatever namespace a manifest names. */
const scopeOf = ({ object, namespaced }: ManagedObject): string =>
  namespaced ? (object.metadata.namespace ?? '') : '';

function requestsFor({ object, resource }: ManagedObject): AccessRequest[] {
  const { group } = splitApiVersion(object.apiVersion);
  const name = object.metadata.name ?? '';
  // RBAC does not know the name of an object at its creation.
  return [
    ...OBJECT_VERBS.map((verb) => ({ verb, group, resource, name })),
    { verb: 'create', group, resource, name: '' },
  ];
}

type MayNot = (namespace: string, requests: readonly AccessRequest[]) => MissingPermission[];

/** The requests that the account may not make; its rights in a namespace are collected once. */
function refusals(rbac: RbacObjects, account: ServiceAccountKey): MayNot {
  const granted = new Map<string, readonly PolicyRule[]>();
  return (namespace, requests) => {
    const rules = granted.get(namespace) ?? grantedRules(rbac, account, namespace === '' ? undefined : namespace);
    granted.set(namespace, rules);
    return requests
      .filter((request) => !rules.some((rule) => allows(rule, request)))
      .map((request) => ({ namespace, request }));
  };
}

function escalations(one: ManagedObject, managed: ManagedObjects, mayNot: MayNot): MissingPermission[] {
  const { object } = one;
  if (splitApiVersion(object.apiVersion).group !== RBAC_GROUP) return [];
  const scope = scopeOf(one);
  const grants = grantsOf(object, scope, managed);
  if (grants === undefined) return [];
  const { verb, resource, name, rules } = grants;
  const lacking = mayNot(scope, [{ verb, group: RBAC_GROUP, resource, name }]);
  // The rules of a role that does not exist are unknown: binding it takes the right to bind.
  if (lacking.length === 0 || rules === undefined) return lacking;
  return mayNot(scope, rules.filter(saysSomething).flatMap(requestsOf));
}

const saysSomething = ({ resources, nonResourceURLs }: PolicyRule): boolean =>
  (resources ?? []).length + (nonResourceURLs ?? []).length > 0;

/** The rights that an RBAC object grants, and the verb that allows granting them without having them. */
type Grants = Readonly<{
  verb: 'escalate' | 'bind';
  resource: string;
  name: string;
  /** Undefined for a role that is neither in the cluster nor among the objects. */
  rules: readonly PolicyRule[] | undefined;
}>;

function grantsOf(object: KubernetesObject, scope: string, { objects, rbac }: ManagedObjects): Grants | undefined {
  const { kind, metadata } = object;
  if (kind === 'Role' || kind === 'ClusterRole') {
    return { verb: 'escalate', resource: resourceOf(kind), name: metadata.name ?? '', rules: rulesOf(object) };
  }
  const binding = bindingOf(object);
  if (binding === undefined) return undefined;
  const { kind: roleKind, name } = binding.roleRef;
  const known = [...objects.map((one) => one.object), ...rbac.roles, ...rbac.clusterRoles];
  const role = known.find(
    (one) =>
      one.kind === roleKind &&
      one.metadata.name === name &&
      (roleKind === 'ClusterRole' || one.metadata.namespace === scope),
  );
  return { verb: 'bind', resource: resourceOf(roleKind), name, rules: role && rulesOf(role) };
}

const resourceOf = (kind: string): string => (kind === 'ClusterRole' ? 'clusterroles' : 'roles');

/** The text of the failure, one line for each resource; undefined when nothing is missing. */
export function preauthorizationError(missing: readonly MissingPermission[]): string | undefined {
  if (missing.length === 0) return undefined;
  const verbs = new Map<string, Set<string>>();
  for (const { namespace, request } of missing) {
    const parts = linePartsOf(namespace, request);
    const known = verbs.get(parts) ?? new Set();
    verbs.set(parts, known.add(request.verb));
  }
  const lines = [...verbs].map(([parts, of]) => {
    const [before = '', after = ''] = parts.split(VERBS_HERE);
    const list = of.has('*') ? '*' : [...of].sort(byCodeUnit).join(',');
    return `  ${before} Verbs:[${list}]${after}`;
  });
  const what = 'service account requires the following permissions to manage cluster extension:';
  return [`pre-authorization failed: ${what}`, ...lines.sort(byCodeUnit)].join('\n');
}

/** Names of resources, groups and paths hold no such character. */
const VERBS_HERE = '\0';

/** A line of the text but for the verbs. */
function linePartsOf(namespace: string, request: AccessRequest): string {
  const before = `Namespace:${goQuote(namespace)}`;
  if ('path' in request) return `${before}${VERBS_HERE} NonResourceURLs:[${request.path}]`;
  const { group, resource, name } = request;
  const names = name === '' ? '' : ` ResourceNames:[${name}]`;
  return `${before} APIGroups:[${group}] Resources:[${resource}]${names}${VERBS_HERE}`;
}
