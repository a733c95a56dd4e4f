import { CSV_API } from '#core/kernel/api/cluster-service-version';
import type { KubeClient } from '#platform/kube/client/kube-client.port';

export type ExpectedOperators = Readonly<{
  namespace: string;
  /** Names of ClusterServiceVersions. */
  csvs: readonly string[];
  /** By the clock of `performance`: milliseconds. */
  deadline: number;
}>;

/** Until all have Succeeded; throws after the deadline. */
export async function operatorsRun(
  client: KubeClient,
  { namespace, csvs, deadline }: ExpectedOperators,
): Promise<void> {
  for (;;) {
    const found = (await client.list(CSV_API, { namespace }))?.items ?? [];
    const succeeded = new Set(
      found
        .filter(({ status }) => JSON.stringify(status ?? {}).includes('"phase":"Succeeded"'))
        .map(({ metadata }) => metadata.name ?? ''),
    );
    if (csvs.every((name) => succeeded.has(name))) return;
    if (performance.now() > deadline) throw new Error(`cluster ${client.cluster} does not have its operators`);
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}
