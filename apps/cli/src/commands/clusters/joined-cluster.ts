import { didYouMean } from '#core/kernel/text/did-you-mean';
import type { ClusterAccess } from '#platform/kube/access/kubeconfig';
import { NEXT } from '../../output/next-commands.js';
import { UsageError } from '../../terminal/io.js';

/**
 * Returns the cluster that has joined under this name.
 * @throws UsageError if none has
 */
export function joinedAs(name: string, joined: readonly ClusterAccess[], file: string): ClusterAccess {
  const access = joined.find(({ context }) => context === name);
  if (access !== undefined) return access;
  const hint = didYouMean(
    name,
    joined.map(({ context }) => context),
  );
  throw new UsageError(`no cluster "${name}"${hint} in ${file}; ${NEXT.listClusters()} shows all`);
}
