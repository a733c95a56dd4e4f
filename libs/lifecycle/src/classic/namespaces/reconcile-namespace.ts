import { KIND } from '#core/kernel/api/kinds';
import type { Clock } from '#platform/clock/clock.port';
import { Patience } from '#platform/fairness/patience';
import { isTerminatingNamespace, type KubeClient } from '#platform/kube/client/kube-client.port';
import type { ClusterReads } from '../../engine/passes/pass-reader.js';
import { type PassOutcome, reconcile } from '../../engine/passes/reconcile-loop.js';
import { reportRefusedRead } from '../../engine/passes/report-refused-read.js';
import { readNamespace } from './namespace-read.js';
import type { NamespaceStage } from './namespace-stage.js';

/** The namespace of a cluster; `client` writes there, `reads` may be shared with other passes. */
type NamespacePlace = Readonly<{
  client: KubeClient;
  reads: ClusterReads;
  namespace: string;
  globalCatalogNamespace: string;
}>;

/** Does all that is next in one namespace. An Event about it names a right to read that is missing. */
export async function reconcileNamespace(
  { client, reads, namespace, globalCatalogNamespace }: NamespacePlace,
  stages: readonly NamespaceStage[],
  clock: Clock,
  signal: AbortSignal,
  patience = new Patience(),
): Promise<PassOutcome> {
  const outcome = await reconcile(
    {
      client,
      reads,
      read: (reader) => readNamespace(reader, namespace, globalCatalogNamespace),
      stages: () => stages,
      patience,
      // The API server refuses new objects in a namespace that is being deleted.
      isTheEnd: (refusal) => isTerminatingNamespace(refusal) && refusal.said.includes(` in namespace ${namespace} `),
    },
    clock,
    signal,
  );
  return reportRefusedRead(outcome, { ...KIND.Namespace, name: namespace }, { client, clock });
}
