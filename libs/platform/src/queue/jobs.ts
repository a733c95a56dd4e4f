import { z } from 'zod';
import { ExtensionSubject, NamespaceSubject, ObjectSetSubject } from '#core/kernel/subject/subject';

/**
 * The `v` of all jobs. Raise it with a new kind of subject, a new field or another meaning, and give the
 * contracts an upgrade from the version before (decision 0280).
 */
export const JOB_VERSION = 1;

/**
 * Solve one problem. Identity only, never state: the problem itself is a value in the
 * problem store, under its hash.
 */
export const RESOLVE_QUEUE = 'resolve';
export const ResolveJob = z.strictObject({
  v: z.literal(JOB_VERSION),
  problem: z.string().regex(/^[0-9a-f]{64}$/),
  /** The problem is a ClusterExtension's. */
  extension: z.literal(true).optional(),
  /**
   * Owner of the problem (a ClusterExtension has the place of the namespace), or one of its owners. Only
   * decides about the job's turn.
   */
  owner: z.strictObject({ cluster: z.string().min(1), namespace: z.string().min(1) }).optional(),
});
export type ResolveJob = z.infer<typeof ResolveJob>;

/**
 * A resolver has handled a problem. The applier wakes the subjects that wait for the solution. A resolver
 * sees no names of clusters or namespaces but those in the problem, and writes to no queue that carries them.
 */
export const SOLVED_QUEUE = 'solved';
export const SolvedJob = ResolveJob;
export type SolvedJob = ResolveJob;

const VERSION = { v: z.literal(JOB_VERSION) } as const;

/** Reconcile one subject with its newest state. */
export const APPLY_QUEUE = 'apply';
export const SubjectJob = z.union([
  NamespaceSubject.extend(VERSION),
  ExtensionSubject.extend(VERSION),
  ObjectSetSubject.extend(VERSION),
]);
export type SubjectJob = z.infer<typeof SubjectJob>;

/** Find the events of one FleetNotification, and send the messages that are due. */
export const NOTIFY_QUEUE = 'notify';
export const NotifyJob = z.strictObject({ ...VERSION, notification: z.string().min(1).max(253) });
export type NotifyJob = z.infer<typeof NotifyJob>;

/** Observe one subject again: added by the applier when the solution it holds no longer fits. */
export const OBSERVE_QUEUE = 'observe';
