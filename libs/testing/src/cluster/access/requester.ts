/** The sender of a request, as the API server knows it. */
export type Requester = Readonly<{ name: string; groups: readonly string[] }>;

const AUTHENTICATED = 'system:authenticated';
const ACCOUNTS = 'system:serviceaccounts';

/** The administrator of a simulated cluster: may do everything. */
export const ADMINISTRATOR: Requester = { name: 'admin', groups: ['system:masters', AUTHENTICATED] };

/** Returns `[namespace, name]` of a user that is a service account. */
export function accountOf(user: string): readonly [namespace: string, name: string] | undefined {
  const [, namespace, name] = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(user) ?? [];
  return namespace === undefined || name === undefined ? undefined : [namespace, name];
}

/**
 * Returns a user with the groups that the API server adds. A service account without groups gets those of its
 * kind.
 */
export function requester(name: string, groups: readonly string[] = []): Requester {
  const account = accountOf(name);
  const own = account === undefined || groups.length > 0 ? groups : [ACCOUNTS, `${ACCOUNTS}:${account[0]}`];
  return { name, groups: [...new Set([...own, AUTHENTICATED])] };
}
