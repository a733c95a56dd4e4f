/** What a kubeconfig's new access led to. An identity is the UID of namespace kube-system. */
type IdentityFacts = Readonly<{
  cluster: string;
  file: string;
  /** Undefined where the cluster was never reached, and none is written in the kubeconfig. */
  expected: string | undefined;
  /** Undefined where the login may not read it, or there is none. */
  found: string | undefined;
  /** Whether the address and the authority are those that were used before. */
  sameServer: boolean;
}>;

/** Why a cluster does not take part with this access; undefined where it does. */
export function identityRefusal(facts: IdentityFacts): string | undefined {
  const { cluster, file, expected, found, sameServer } = facts;
  if (expected === undefined || expected === found) return undefined;
  const way = `Give it a context of its own, or remove cluster "${cluster}" first and then add it again`;
  if (found !== undefined) {
    return `context "${cluster}" of ${file} leads to another cluster now: the UID of its namespace kube-system is ${found}, that of the cluster was ${expected}. ${way}`;
  }
  if (sameServer) return undefined;
  return `context "${cluster}" of ${file} leads to another address, and its login may not read namespace kube-system, by which the cluster would be recognised: grant get on it`;
}
