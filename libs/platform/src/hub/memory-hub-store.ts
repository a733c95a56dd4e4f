import type { Clock } from '../clock/clock.port.js';
import type { Settings } from '../config/settings.js';
import { MemoryActionChannel } from '../console/memory-action-channel.js';
import { MemoryAuditTrail } from '../console/memory-audit-trail.js';
import { MemoryQuestionChannel } from '../console/memory-question-channel.js';
import { MemorySessionStore } from '../console/memory-session-store.js';
import { MemoryUsedProofs } from '../console/proof/memory-used-proofs.js';
import { MemoryLeases } from '../ownership/memory-leases.js';
import { memoryQueues } from '../queue/queues.js';
import { MemoryProblemStore } from '../store/memory-problem-store.js';
import type { ExtensionProblems } from '../store/problem-store.port.js';
import type { Log } from '../telemetry/log.port.js';
import type { Metrics } from '../telemetry/metrics/metrics.js';
import { MemoryView } from '../view/memory-view.js';
import { fileInstance } from './hub-instance.js';
import type { HubStore } from './hub-store.js';
import { claimsBeside } from './kept-claims.js';

type MemoryHubStoreOptions = Readonly<{
  settings: Settings;
  clock: Clock;
  log: Log;
  metrics: Metrics;
}>;

/**
 * Returns the store of a hub that is one process. It ends with the process. The next process finds the work
 * in the clusters, as after an emptied Redis.
 */
export function memoryHubStore({ settings, clock, log, metrics }: MemoryHubStoreOptions): HubStore {
  const stored = { clock, ttlMs: settings.storeTtl, maxValueBytes: settings.storeMaxValueBytes };
  const view = new MemoryView();
  const actions = new MemoryActionChannel(clock);
  const questions = new MemoryQuestionChannel(clock);
  const leases = new Map<string, MemoryLeases>();
  return {
    queues: memoryQueues({
      ...{ clock, log },
      backoff: { firstMs: settings.jobRetryFirst, longestMs: settings.jobRetryLongest },
      onFinished: (job) => metrics.jobFinished(job),
    }),
    problems: new MemoryProblemStore(stored),
    extensionProblems: new MemoryProblemStore<ExtensionProblems>(stored),
    leases: (service) => {
      const known = leases.get(service) ?? new MemoryLeases(clock);
      leases.set(service, known);
      return known;
    },
    reports: view,
    view,
    viewReader: () => view,
    actionSender: actions,
    actionReceiver: () => actions.receiver(),
    questionAsker: questions,
    questionReceiver: () => questions.receiver(),
    usedProofs: () => new MemoryUsedProofs(clock),
    sessions: new MemorySessionStore(clock),
    trail: new MemoryAuditTrail(),
    instance: fileInstance(settings.clustersFile),
    claims: claimsBeside(settings.clustersFile, log),
    check: { name: 'store', check: async () => ({ up: true, detail: 'in the memory of this process' }) },
    watchLosses: async () => () => undefined,
    close: () => view.close(),
  };
}
