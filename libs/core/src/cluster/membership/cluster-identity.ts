/** Facts about the new access in a kubeconfig. An identity is the UID of namespace kube-system. */
type IdentityFacts = Readonly<{
  cluster: string;
  file: string;
  /** Undefined if the cluster was never reached and the kubeconfig names no identity. */
  expected: string | undefined;
  /** Undefined if the login may not read the namespace, or it does not exist. */
  found: string | undefined;
  /** True if the address and the authority are the same as before. */
  sameServer: boolean;
}>;

/**
 * Returns the reason why a cluster does not take part with this access. Returns undefined if it does.
 */
export function identityRefusal(facts: IdentityFacts): string | undefined {
  const { cluster, file, expected, found, sameServer } = facts;
  if (expected === undefined || expected === found) return undefined;
  const way = `Give the other cluster its own context, or remove cluster "${cluster}" and add it again`;
  if (found !== undefined) {
    return `context "${cluster}" of ${file} now leads to another cluster: the UID of its namespace kube-system is ${found}; the UID of "${cluster}" was ${expected}. ${way}`;
  }
  if (sameServer) return undefined;
  return `context "${cluster}" of ${file} leads to another address. The hub recognises a cluster by namespace kube-system, which this login may not read: grant get on it`;
}
