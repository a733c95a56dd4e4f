import { randomBytes } from 'node:crypto';
import { rulesOf, verdict, verdictOnPath } from '../access/rbac.js';
import type { RequestTarget } from '../access/request-target.js';
import { type Requester, requester } from '../access/requester.js';
import { storageKey } from '../objects/api-object.js';
import { arrayAt, isObject, type JsonObject, numberAt, objectAt, stringAt } from '../objects/json.js';
import { notFound } from '../objects/refusal.js';
import type { ResourceInfo } from '../resources/resource-info.js';
import { type ClusterState, timestamp } from '../state/cluster-state.js';

const HOUR_SECONDS = 3600;
const MAX_ISSUED_TOKENS = 1000;

/** Answers the kinds that are asked rather than stored; undefined for every other create. */
export function review(
  cluster: ClusterState,
  info: ResourceInfo,
  target: RequestTarget,
  sent: unknown,
  user: Requester,
): JsonObject | undefined {
  const body: JsonObject = isObject(sent) ? sent : {};
  if (info.resource === 'serviceaccounts' && target.subresource === 'token') return tokenRequest(cluster, target, body);
  const apiVersion = `${info.group}/${target.version}`;
  const answered = (status: JsonObject) => ({
    kind: info.kind,
    apiVersion,
    metadata: {},
    spec: body.spec ?? {},
    status,
  });
  switch (info.kind) {
    case 'TokenReview':
      return answered(tokenStatus(cluster, stringAt(body, 'spec', 'token') ?? ''));
    case 'SelfSubjectReview':
      return {
        kind: info.kind,
        apiVersion,
        metadata: {},
        status: { userInfo: { username: user.name, groups: user.groups } },
      };
    case 'SelfSubjectAccessReview':
      return answered(accessStatus(cluster, user, body));
    case 'SubjectAccessReview':
    case 'LocalSubjectAccessReview':
      return answered(accessStatus(cluster, reviewedUser(body), body));
    case 'SelfSubjectRulesReview':
      return answered(rulesStatus(cluster, user, stringAt(body, 'spec', 'namespace') ?? ''));
    default:
      return undefined;
  }
}

const reviewedUser = (body: JsonObject): Requester => ({
  name: stringAt(body, 'spec', 'user') ?? '',
  groups: arrayAt(body, 'spec', 'groups').map(String),
});

const ALL: JsonObject = { verbs: ['*'], apiGroups: ['*'], resources: ['*'] };
const ALL_PATHS: JsonObject = { verbs: ['*'], nonResourceURLs: ['*'] };

/** The rules of the user as they are bound; verbs of one rule stay together. */
function rulesStatus(cluster: ClusterState, user: Requester, namespace: string): JsonObject {
  // A real API server binds this group to ClusterRole cluster-admin.
  const rules = user.groups.includes('system:masters') ? [ALL, ALL_PATHS] : rulesOf(cluster, user, namespace);
  const ofResources = rules.filter((rule) => arrayAt(rule, 'resources').length > 0);
  const ofPaths = rules.filter((rule) => arrayAt(rule, 'nonResourceURLs').length > 0);
  return {
    resourceRules: ofResources.map(({ verbs, apiGroups, resources, resourceNames }) => ({
      verbs,
      apiGroups,
      resources,
      ...(resourceNames === undefined ? {} : { resourceNames }),
    })),
    nonResourceRules: ofPaths.map(({ verbs, nonResourceURLs }) => ({ verbs, nonResourceURLs })),
    incomplete: false,
  };
}

function accessStatus(cluster: ClusterState, user: Requester, body: JsonObject): JsonObject {
  const asked = objectAt(body, 'spec', 'resourceAttributes');
  if (asked === undefined) {
    const verb = stringAt(body, 'spec', 'nonResourceAttributes', 'verb') ?? '';
    return {
      allowed: verdictOnPath(cluster, user, verb, stringAt(body, 'spec', 'nonResourceAttributes', 'path') ?? '')
        .allowed,
    };
  }
  const text = (field: string) => stringAt(asked, field) || undefined;
  const { allowed, why } = verdict(cluster, user, {
    verb: text('verb') ?? '',
    group: text('group') ?? '',
    resource: text('resource') ?? '',
    subresource: text('subresource'),
    namespace: text('namespace'),
    name: text('name'),
  });
  return { allowed, ...(why === '' ? {} : { reason: why }) };
}

function tokenRequest(
  cluster: ClusterState,
  { namespace = '', name = '' }: RequestTarget,
  body: JsonObject,
): JsonObject {
  if (cluster.storage.get('serviceaccounts', storageKey(namespace, name)) === undefined) {
    throw notFound({ group: '', resource: 'serviceaccounts' }, name);
  }
  const seconds = numberAt(body, 'spec', 'expirationSeconds') ?? HOUR_SECONDS;
  const sub = `system:serviceaccount:${namespace}:${name}`;
  const iat = Math.floor(cluster.now().getTime() / 1000);
  const claims = Buffer.from(JSON.stringify({ sub, iat, exp: iat + seconds })).toString('base64url');
  const token = `e30.${claims}.${randomBytes(24).toString('base64url')}`;
  cluster.issuedTokens.set(token, { user: sub, until: (iat + seconds) * 1000 });
  const oldest = cluster.issuedTokens.keys().next().value;
  if (cluster.issuedTokens.size > MAX_ISSUED_TOKENS && oldest !== undefined) cluster.issuedTokens.delete(oldest);
  const expirationTimestamp = `${new Date((iat + seconds) * 1000).toISOString().slice(0, 19)}Z`;
  return {
    kind: 'TokenRequest',
    apiVersion: 'authentication.k8s.io/v1',
    metadata: { name, namespace, creationTimestamp: timestamp() },
    spec: { ...objectAt(body, 'spec'), expirationSeconds: seconds },
    status: { token, expirationTimestamp },
  };
}

function tokenStatus(cluster: ClusterState, token: string): JsonObject {
  const username = cluster.userOf(token);
  if (username === undefined) return { user: {}, error: '[invalid bearer token, token lookup failed]' };
  return { authenticated: true, user: { username, groups: requester(username).groups } };
}
