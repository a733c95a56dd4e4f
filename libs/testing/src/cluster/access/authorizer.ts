import { forbidden, Refusal } from '../objects/refusal.js';
import type { ClusterState } from '../state/cluster-state.js';
import { type AccessAttempt, verdict } from './rbac.js';
import { accountOf, type Requester, requester } from './requester.js';

/** Refuses requests that RBAC does not allow, in the API server's words. */
export function authorize(cluster: ClusterState, user: Requester, attempt: AccessAttempt): void {
  const { allowed, why } = verdict(cluster, user, attempt);
  if (allowed) return;
  const { verb, group, resource, subresource, namespace, name = '' } = attempt;
  const what = subresource === undefined ? resource : `${resource}/${subresource}`;
  const where = namespace === undefined ? 'at the cluster scope' : `in the namespace "${namespace}"`;
  const text = `User "${user.name}" cannot ${verb} resource "${what}" in API group "${group}" ${where}`;
  throw forbidden({ group, resource }, name, why === '' ? text : `${text}: ${why}`);
}

type Headers = Readonly<Record<string, string | undefined>>;

/**
 * Returns the requester that the request counts for: the user behind the connection, or the user they
 * impersonate, if they may.
 */
export function actingUser(cluster: ClusterState, user: Requester, headers: Headers): Requester {
  const name = headers['impersonate-user'];
  const groups = (headers['impersonate-group'] ?? '').split(', ').filter((group) => group !== '');
  if (name === undefined) {
    if (groups.length > 0) throw new Refusal(500, 'InternalError', `requested [{Group  ${groups[0]}}] without a user`);
    return user;
  }
  const account = accountOf(name);
  const impersonate = { verb: 'impersonate', group: '' };
  if (account === undefined) authorize(cluster, user, { ...impersonate, resource: 'users', name });
  else {
    const [namespace, accountName] = account;
    authorize(cluster, user, { ...impersonate, resource: 'serviceaccounts', namespace, name: accountName });
  }
  for (const group of groups) authorize(cluster, user, { ...impersonate, resource: 'groups', name: group });
  return requester(name, groups);
}
