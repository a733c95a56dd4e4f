import { z } from 'zod';
import type { LastAttempt } from '../../kernel/api/fleet/fleet-assignment.js';
import type { ObjectMeta } from '../../kernel/api/kubernetes-object.js';

/** Annotation of objects that the fleet creates in a cluster: `<namespace>/<name>` of their FleetOperator. */
export const OPERATOR_ANNOTATION = 'fleet.flotilla.dev/operator';
/**
 * Annotation of a Subscription or ClusterExtension: the cluster's state before the rollout that changes it.
 */
export const PREVIOUS_ANNOTATION = 'fleet.flotilla.dev/previous';
/**
 * Annotation of a Subscription or ClusterExtension: the end of the newest attempt there, unless it is Done.
 */
export const RESULT_ANNOTATION = 'fleet.flotilla.dev/result';
/** Annotation of a Subscription or ClusterExtension: bundles that are not installed there again. */
export const DENIED_ANNOTATION = 'fleet.flotilla.dev/denied';
/** Annotation of a CSV: `<namespace>/<name>` of the FleetOperator that is removed together with it. */
export const REMOVED_BY_ANNOTATION = 'fleet.flotilla.dev/removed-by';
/**
 * Annotation of an InstallPlan or ClusterExtension: the rollout that approved it, and the approvers of its
 * class.
 */
export const APPROVED_BY_ANNOTATION = 'fleet.flotilla.dev/approved-by';

/**
 * Annotations of the fleet's work. A Subscription that the fleet works has one of these. They stay after a
 * removal with `Keep`.
 */
export const FLEET_MARKS = [OPERATOR_ANNOTATION, PREVIOUS_ANNOTATION, RESULT_ANNOTATION, DENIED_ANNOTATION] as const;

const MOST_DENIED = 10;

/** The bundle that a cluster had before a rollout. Null: nothing was installed. */
export const PreviousMark = z.object({
  rollout: z.string(),
  attempt: z.number(),
  wave: z.string().optional(),
  /** The hop of the path that was approved last, from 1. Absent if the path has only one. */
  hop: z.number().optional(),
  bundle: z.string().nullable(),
  planHash: z.string().optional(),
  catalogDigest: z.string().optional(),
  /**
   * OLM v1: hash of the content of the installed revision, and of the reviewed content that was requested.
   */
  revision: z.string().optional(),
  content: z.string().optional(),
});
export type PreviousMark = z.infer<typeof PreviousMark>;

const ResultMark = z.object({
  rollout: z.string(),
  attempt: z.number(),
  bundle: z.string(),
  result: z.enum(['Failed', 'RolledBack']),
  reason: z.string(),
  at: z.string(),
});
type ResultMark = z.infer<typeof ResultMark>;

/**
 * A bundle that was rolled back. `versions`: hash of the FleetOperator's `versions` at that time. A different
 * hash lifts the denial.
 */
export const DeniedMark = z.object({
  bundle: z.string(),
  rollout: z.string(),
  scope: z.enum(['Cluster', 'Operator']),
  versions: z.string(),
  /** The digest of the bundle's image, if its plan named one. */
  digest: z.string().optional(),
  since: z.string().optional(),
});
export type DeniedMark = z.infer<typeof DeniedMark>;

type Marked = Readonly<{ metadata: ObjectMeta }>;

/** Returns the value of an annotation. Returns undefined if another writer has corrupted it. */
function markOf<T>({ metadata }: Marked, key: string, schema: z.ZodType<T>): T | undefined {
  try {
    return schema.safeParse(JSON.parse(metadata.annotations?.[key] ?? 'null')).data;
  } catch {
    return undefined;
  }
}

export const previousOf = (object: Marked): PreviousMark | undefined =>
  markOf(object, PREVIOUS_ANNOTATION, PreviousMark);
export const resultOf = (object: Marked): ResultMark | undefined => markOf(object, RESULT_ANNOTATION, ResultMark);

/**
 * Returns the newest attempt that the object names. `isRunning`: a plan of it is being carried out. A path of
 * several hops is planned again from its present version.
 */
export function lastAttemptOf(object: Marked, isRunning: boolean): LastAttempt | undefined {
  const [previous, ended] = [previousOf(object), resultOf(object)];
  const wave = previous?.wave === undefined ? {} : { wave: previous.wave };
  if (ended !== undefined) {
    const { rollout, attempt, result, reason } = ended;
    return { rollout, attempt, ...(previous?.rollout === rollout ? wave : {}), result, reason };
  }
  if (previous === undefined) return undefined;
  const { rollout, attempt, hop } = previous;
  const running = isRunning && hop === undefined ? { running: true } : {};
  return { rollout, attempt, ...wave, ...(hop === undefined ? {} : { hop }), ...running };
}

/** Every denial, whether it holds still or not; the newest last. */
export const denialsOf = (object: Marked): readonly DeniedMark[] =>
  markOf(object, DENIED_ANNOTATION, z.array(DeniedMark)) ?? [];

/** The denials that still hold under these `versions`. */
export const deniedIn = (object: Marked, versions: string): DeniedMark[] =>
  denialsOf(object).filter((one) => one.versions === versions);

/** The annotation with further denials, the newest last; the oldest give way. */
export function withDenied(before: readonly DeniedMark[], ...added: readonly DeniedMark[]): string {
  const names = new Set(added.map(({ bundle }) => bundle));
  return JSON.stringify([...before.filter(({ bundle }) => !names.has(bundle)), ...added].slice(-MOST_DENIED));
}

/**
 * Returns the annotation without a bundle that must be installed again, and without the bundles of its path.
 * Null removes the annotation.
 */
export function withoutDenied(before: readonly DeniedMark[], bundle: string): string | null {
  const lifted = deniedTogether(before, bundle);
  const left = before.filter((one) => !lifted.has(one.bundle));
  return left.length === 0 ? null : JSON.stringify(left);
}

/** A bundle that was rolled back, and its rollout. */
export type DeniedBundle = Readonly<{ bundle: string; rollout?: string | undefined }>;

/**
 * Returns a bundle and the bundles that the same rollouts denied: the versions at which the path to it had
 * failed. A retry of one of them tries all (why: fleet-returns.md "Denied versions").
 */
export function deniedTogether(denied: readonly DeniedBundle[], bundle: string): ReadonlySet<string> {
  const rollouts = new Set(denied.filter((one) => one.bundle === bundle).map(({ rollout }) => rollout));
  rollouts.delete(undefined);
  return new Set([bundle, ...denied.filter(({ rollout }) => rollouts.has(rollout)).map((one) => one.bundle)]);
}
