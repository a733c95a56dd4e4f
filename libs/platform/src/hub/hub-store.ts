import type { ProofReader } from '#core/view/proof/console-proof';
import type { ActionReceiver, ActionSender } from '../console/action-channel.port.js';
import type { AuditTrail } from '../console/audit-trail.port.js';
import type { UsedProofs } from '../console/proof/used-proofs.port.js';
import type { QuestionAsker, QuestionReceiver } from '../console/question-channel.port.js';
import type { SessionStore } from '../console/session-store.port.js';
import type { IdentityClaims } from '../membership/identity-claims.port.js';
import type { Leases } from '../ownership/leases.port.js';
import type { Queues } from '../queue/queues.js';
import type { ExtensionProblems, ProblemStore } from '../store/problem-store.port.js';
import type { HealthCheck } from '../telemetry/health-check.js';
import type { HubReports, RolloutWriter, ViewReader, ViewWriter } from '../view/view-store.port.js';

/**
 * State that the processes of a hub share: queues, problems, rows and messages. It lies in Redis, or in
 * memory if one process is the whole hub. All of it can be recreated from the clusters.
 */
export type HubStore = Readonly<{
  queues: Queues;
  problems: ProblemStore;
  extensionProblems: ProblemStore<ExtensionProblems>;
  /** Leases of the processes of one service. */
  leases(service: string): Leases;
  reports: HubReports;
  view: ViewWriter & RolloutWriter;
  /** One for each reader: each waits for changes by itself. */
  viewReader(): ViewReader;
  actionSender: ActionSender;
  actionReceiver(): ActionReceiver;
  questionAsker: QuestionAsker;
  questionReceiver(): QuestionReceiver;
  /** Returns the used proofs of the service, for all its processes. */
  usedProofs(reader: ProofReader): UsedProofs;
  sessions: SessionStore;
  trail: AuditTrail;
  /**
   * Names the processes that share this store: another hub with the same identity has another. Waits for the
   * store only the first time. Undefined: nothing does.
   */
  instance(): Promise<string | undefined>;
  /** Claims of clusters to identities. Also kept on a disk of the process. */
  claims: IdentityClaims;
  /** Checks that the store takes writes and keeps them. */
  check: HealthCheck;
  /**
   * Calls back if the store may have lost data. Resolves once the store has answered, to a function that
   * ends this.
   */
  watchLosses(onLoss: () => Promise<void> | void): Promise<() => void>;
  close(): void;
}>;
