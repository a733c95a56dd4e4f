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
import { KubeApiError, type KubeClient } from '#platform/kube/client/kube-client.port';
import { memoryQueues } from '#platform/queue/queues';
import { MemoryProblemStore } from '#platform/store/memory-problem-store';
import { silentLog } from '#platform/telemetry/log.port';
import { Metrics } from '#platform/telemetry/metrics/metrics';
import { RefusedValues } from '#platform/telemetry/metrics/refused-values';
import { type NamespaceRead, readNamespace } from '../../../../libs/lifecycle/src/classic/namespaces/namespace-read.js';
import { stagesOf } from '../../../../libs/lifecycle/src/classic/stages.js';
import { PassReader } from '../../../../libs/lifecycle/src/engine/passes/pass-reader.js';
import { readsOfNamespace } from '../clusters/reads-of-namespace.js';
import { orRefusal, type Withheld, withheldRead } from '../clusters/withheld.js';
import type { LiveContents } from './live-contents.js';
import { catalogsInSight, unreadText } from './live-namespace.js';
import { type RecordedWrite, RecordingClient } from './recording-client.js';

export type NextStepDeps = Readonly<{ settings: Settings; contents: LiveContents }>;

/** The hub's next writes in a namespace. More follow once these have been written and read again. */
export type NextStep = Readonly<{
  cluster: string;
  namespace: string;
  writes: readonly RecordedWrite[];
  /**
   * Catalogs with content that could not be read from here, each with the cause; the hub may have other
   * logins.
   */
  unread: readonly string[];
  /** Objects that this login may not read: the hub reads them, and could write something else. */
  withheld?: readonly Withheld[];
}>;

/**
 * Runs the applier's own stages on the namespace as it is now, with a client that only records writes. The
 * first stage that would write ends the pass, as it does in the applier: later stages depend on the cluster's
 * answer. A read that is refused to this login ends it, too.
 */
export async function nextStep(client: KubeClient, namespace: string, deps: NextStepDeps): Promise<NextStep> {
  const recording = new RecordingClient(client);
  const { reads, withheld } = readsOfNamespace(recording, namespace, true);
  const reader = new PassReader(reads);
  const global = await globalCatalogNamespaceOf(client, deps.settings);
  const read = await readNamespace(reader, namespace, global);
  const isBlind = read.subscriptions.length > 0 && withheld.some(({ catalogsOf }) => catalogsOf !== undefined);
  const catalogs = read.subscriptions.length === 0 || isBlind ? [] : await catalogsInSight(client, read, deps.contents);
  const pass = { client: recording, read, reader };
  const refusal = isBlind ? undefined : await orRefusal(passThrough(pass, await solved(client, read, catalogs), deps));
  const all = refusal instanceof KubeApiError ? [...withheld, withheldRead(namespace, refusal)] : withheld;
  return {
    cluster: client.cluster,
    namespace,
    writes: recording.writes,
    unread: catalogs.flatMap(unreadText),
    ...(all.length > 0 && { withheld: all }),
  };
}

type Pass = Readonly<{ client: RecordingClient; read: NamespaceRead; reader: PassReader }>;

async function passThrough(pass: Pass, problems: MemoryProblemStore, deps: NextStepDeps): Promise<void> {
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
    const { moved } = await stage({ ...pass, now, signal, patience });
    if (moved) return;
  }
}

/** Returns the store as poller and resolver would have left it in Redis for this namespace. */
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
