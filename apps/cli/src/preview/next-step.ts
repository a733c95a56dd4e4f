import { COPIED_FROM_LABEL } from '#core/classic/csv/copies/step-copies';
import { type IndexedCatalog, sliceCatalogs } from '#core/classic/resolution/problem/catalog-slice';
import { desiredNamespaceOf } from '#core/classic/resolution/problem/desired-namespace';
import { problemHash } from '#core/classic/resolution/problem/problem-hash';
import { resolve } from '#core/classic/resolution/resolve';
import { KIND } from '#core/kernel/api/kinds';
import { byCodeUnit } from '#core/kernel/canonical/canonical-json';
import { SystemClock } from '#platform/clock/system-clock';
import { globalCatalogNamespaceOf } from '#platform/clusters/managed-clusters';
import type { Settings } from '#platform/config/settings';
import { Patience } from '#platform/fairness/patience';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { memoryQueues } from '#platform/queue/queues';
import { MemoryProblemStore } from '#platform/store/memory-problem-store';
import { silentLog } from '#platform/telemetry/log.port';
import { Metrics } from '#platform/telemetry/metrics/metrics';
import { RefusedValues } from '#platform/telemetry/metrics/refused-values';
import { type NamespaceRead, readNamespace } from '../../../../libs/lifecycle/src/classic/namespaces/namespace-read.js';
import { stagesOf } from '../../../../libs/lifecycle/src/classic/stages.js';
import { PassReader } from '../../../../libs/lifecycle/src/engine/passes/pass-reader.js';
import type { LiveContents } from './live-contents.js';
import { catalogsInSight, unreadText } from './live-namespace.js';
import { type RecordedWrite, RecordingClient } from './recording-client.js';

export type NextStepDeps = Readonly<{ settings: Settings; contents: LiveContents }>;

/** What the hub would write next in a namespace; more follows once that has been written and read again. */
export type NextStep = Readonly<{
  cluster: string;
  namespace: string;
  writes: readonly RecordedWrite[];
  /** Catalogs whose content could not be read from here, and why; the hub may have other logins. */
  unread: readonly string[];
}>;

/**
 * The applier's own stages on the namespace as it is now, with a client that only writes down. The
 * first stage that would write ends the pass, as it does in the applier: what comes after depends on
 * what the cluster then says.
 */
export async function nextStep(client: KubeClient, namespace: string, deps: NextStepDeps): Promise<NextStep> {
  const recording = new RecordingClient(client);
  const reader = new PassReader(recording);
  const global = await globalCatalogNamespaceOf(client, deps.settings);
  const read = await readNamespace(reader, namespace, global);
  const catalogs = read.subscriptions.length === 0 ? [] : await catalogsInSight(client, read, deps.contents);
  const problems = await solved(client, read, catalogs);
  const metrics = new Metrics({ processMetrics: false });
  const stages = stagesOf({
    problems,
    bundlePulls: deps.contents.bundlePulls,
    content: deps.contents.content,
    queues: memoryQueues(),
    settings: deps.settings,
    log: silentLog,
    metrics,
    refused: new RefusedValues(silentLog, metrics, new SystemClock()),
  });
  const now = new SystemClock().now();
  const signal = new AbortController().signal;
  const patience = Patience.endless();
  for (const stage of stages) {
    const { moved } = await stage({ client: recording, read, reader, now, signal, patience });
    if (moved) break;
  }
  return { cluster: client.cluster, namespace, writes: recording.writes, unread: catalogs.flatMap(unreadText) };
}

/** What poller and resolver would have put into Redis for this namespace. */
async function solved(
  client: KubeClient,
  read: NamespaceRead,
  catalogs: readonly IndexedCatalog[],
): Promise<MemoryProblemStore> {
  const store = new MemoryProblemStore();
  if (read.subscriptions.length === 0) return store;
  const desired = desiredNamespaceOf(read);
  const { slices, records } = sliceCatalogs(desired, catalogs);
  const problem = { v: 1 as const, wishes: desired, catalogs: slices };
  const hash = problemHash(problem);
  await store.putProblem(problem, records);
  await store.putObservation(client.cluster, read.namespace, { problem: hash });
  const recordOf = (record: string) => {
    const known = records.get(record);
    if (known !== undefined) return known;
    throw new Error(`package record ${record} is not part of the slice`);
  };
  await store.putSolution(hash, resolve(problem, recordOf));
  return store;
}

/** The namespaces with objects that the hub manages. */
export async function managedNamespaces(client: KubeClient): Promise<readonly string[]> {
  const lists = await Promise.all([
    client.list(KIND.Subscription),
    client.list(KIND.InstallPlan),
    client.list(KIND.ClusterServiceVersion, { labelSelector: `!${COPIED_FROM_LABEL}` }),
  ]);
  const names = lists.flatMap((list) => (list?.items ?? []).map(({ metadata }) => metadata.namespace ?? ''));
  return [...new Set(names)].sort(byCodeUnit);
}
