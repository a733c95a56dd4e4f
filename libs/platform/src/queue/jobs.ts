import { z } from 'zod';

/**
 * Solve one problem. Identity only, never state: the problem itself is a value in the
 * problem store, under its hash.
 */
export const RESOLVE_QUEUE = 'resolve';
export const ResolveJob = z.strictObject({
  v: z.literal(1),
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
 * A problem has been handled by a resolver. The applier wakes what waits for the solution: a resolver sees no
 * names of clusters or namespaces but those in the problem, and writes to no queue that carries them.
 */
export const SOLVED_QUEUE = 'solved';
export const SolvedJob = ResolveJob;
export type SolvedJob = ResolveJob;

/** One pass over a namespace of a cluster, from its newest state. */
export const APPLY_QUEUE = 'apply';
export const ApplyJob = z.strictObject({ v: z.literal(1), cluster: z.string().min(1), namespace: z.string().min(1) });
export type ApplyJob = z.infer<typeof ApplyJob>;

/** Rebuild the problem of one namespace: asked for by the applier when the answer it holds no longer fits. */
export const OBSERVE_QUEUE = 'observe';
export const ObserveJob = ApplyJob;
export type ObserveJob = ApplyJob;

/** One pass over a ClusterExtension of a cluster, from its newest state. */
export const EXTENSION_QUEUE = 'extension';
export const ExtensionJob = z.strictObject({
  v: z.literal(1),
  cluster: z.string().min(1),
  extension: z.string().min(1),
});
export type ExtensionJob = z.infer<typeof ExtensionJob>;

/** Rebuild the problem of one ClusterExtension. */
export const OBSERVE_EXTENSION_QUEUE = 'observe-extension';

/** The identity of an extension's work. */
export const extensionKey = (job: ExtensionJob): string => `${job.cluster}/${job.extension}`;

/** The identity of a namespace's work, one job of it at a time. */
export const namespaceKey = (job: ApplyJob): string => `${job.cluster}/${job.namespace}`;
