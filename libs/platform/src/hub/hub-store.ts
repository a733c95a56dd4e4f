import type { ActionReceiver, ActionSender } from '../console/action-channel.port.js';
import type { AuditTrail } from '../console/audit-trail.port.js';
import type { QuestionAsker, QuestionReceiver } from '../console/question-channel.port.js';
import type { SessionStore } from '../console/session-store.port.js';
import type { Leases } from '../ownership/leases.port.js';
import type { Queues } from '../queue/queues.js';
import type { ExtensionProblems, ProblemStore } from '../store/problem-store.port.js';
import type { HealthCheck } from '../telemetry/health-check.js';
import type { HubReports, RolloutWriter, ViewReader, ViewWriter } from '../view/view-store.port.js';

/**
 * What the processes of a hub share: work, and what is known of it. In Redis; or in memory where one process
 * is the whole hub. Nothing of it is the truth: all can be made anew from the clusters.
 */
export type HubStore = Readonly<{
  queues: Queues;
  problems: ProblemStore;
  extensionProblems: ProblemStore<ExtensionProblems>;
  /** Of the processes of one service, which share the clusters among them. */
  leases(service: string): Leases;
  reports: HubReports;
  view: ViewWriter & RolloutWriter;
  /** One for each reader: each waits for changes by itself. */
  viewReader(): ViewReader;
  actionSender: ActionSender;
  actionReceiver(): ActionReceiver;
  questionAsker: QuestionAsker;
  questionReceiver(): QuestionReceiver;
  sessions: SessionStore;
  trail: AuditTrail;
  /** Whether the store takes writes and keeps them. */
  check: HealthCheck;
  /**
   * Calls back when what was stored is gone, or may be. Resolves once the store is known; returns a function
   * that ends this.
   */
  watchLosses(onLoss: () => Promise<void> | void): Promise<() => void>;
  close(): void;
}>;
