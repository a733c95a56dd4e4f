import { z } from 'zod';
import { ClusterMetadata, duration, FLEET_API, Name, Text, Time, withRules } from './fleet-fields.js';
import { CelCheck, CHANGES, ChangeKind } from './fleet-strategy.js';

const MOST_ROWS = 64;
const MOST_HOPS = 20;
export const MOST_DENIED = 10;
const MOST_APPROVERS = 64;
const MOST_CHECKS = 16;
const Bundle = z.string().min(1).max(512);
const Hash = z.string().min(1).max(128);
/** `<kind>/<namespace>/<name>` of a FleetOperator or FleetCatalog. */
const Subject = z
  .string()
  .max(512)
  .regex(/^Fleet(Operator|Catalog)\/[^/]+\/[^/]+$/, 'must be KIND/NAMESPACE/NAME');

/** The work of a cluster for one subject. */
export const AssignmentRow = z.strictObject({
  subject: Subject,
  /** `<namespace>/<name>`; absent while plans are made before there is a rollout. */
  rollout: z.string().max(512).optional(),
  wave: z.string().max(63).optional(),
  order: z.enum(['Preview', 'Go', 'Return', 'Rest', 'Remove']),
  attempt: z.int().min(0).default(0),
  /** The newest hop of the path that may be approved, from 1. Undefined if the path has one hop. */
  hop: z.int().min(1).max(MOST_HOPS).optional(),
  /** True if it is tried again: the bundle of the target is planned despite its denial. */
  liftsDenial: z.boolean().optional(),
  target: z
    .strictObject({
      specHash: Hash.optional(),
      catalogDigest: Hash.optional(),
      planHash: Hash.optional(),
      /** The hash of the approved content, if that is more than the FleetPlan of the plan shows. */
      differences: Hash.optional(),
      hops: z.array(Hash).max(MOST_HOPS).default([]),
      bundle: Bundle.optional(),
    })
    .optional(),
  approvedBy: z.array(Name).max(MOST_APPROVERS).default([]),
  /**
   * Checks of the cluster's objects. The cluster answers them after each interval while the row asks for it.
   */
  checks: z
    .array(z.strictObject({ name: Name, interval: duration(), cel: CelCheck }))
    .max(MOST_CHECKS)
    .optional(),
  /** The scope in which the target is not installed again after it was rolled back. */
  denies: z.enum(['Cluster', 'Operator']).optional(),
  result: z.enum(['Done', 'Failed', 'RolledBack', 'Skipped']).optional(),
  resultReason: z.string().max(63).optional(),
  startedAt: Time.optional(),
  deadlineAt: Time.optional(),
  doneAt: Time.optional(),
});
export type AssignmentRow = z.infer<typeof AssignmentRow>;

/** The newest attempt of a rollout that a cluster itself has kept. */
const LastAttempt = z.strictObject({
  rollout: z.string().max(512),
  attempt: z.int().min(0),
  wave: z.string().max(63).optional(),
  hop: z.int().min(0).optional(),
  /** The only plan of its path is being carried out. */
  running: z.boolean().optional(),
  result: z.enum(['Failed', 'RolledBack']).optional(),
  reason: z.string().max(63).optional(),
});
export type LastAttempt = z.infer<typeof LastAttempt>;

/** The report of a cluster about one subject. */
export const AssignmentReport = z.strictObject({
  subject: Subject,
  rollout: z.string().max(512).optional(),
  attempt: z.int().min(0).default(0),
  state: z.enum(['Planning', 'Planned', 'Running', 'Ready', 'Failed', 'Refused']),
  planHash: Hash.optional(),
  /** The hash of the plan with its changes in this cluster, if these are more than its FleetPlan shows. */
  differences: Hash.optional(),
  /** The hashes of the path's plans, in their order. */
  hops: z.array(Hash).max(MOST_HOPS).default([]),
  /** The bundle that the plan leads to; `bundle` is the installed one. */
  planned: Bundle.optional(),
  /** The installed operator says that it must not be upgraded now. */
  notUpgradeable: z.boolean().optional(),
  changes: z.array(ChangeKind).max(CHANGES.length).default([]),
  /** The hop that runs, or the last that has ended if the state is Ready. */
  hop: z.int().min(0).default(0),
  bundle: Bundle.optional(),
  /** The deprecations by its catalog that concern the installed bundle. */
  deprecated: Text.optional(),
  /** The hash of the spec that the FleetOperator asks for, once the cluster has planned it. */
  specHash: Hash.optional(),
  catalogDigest: Hash.optional(),
  healthy: z.boolean().default(false),
  gates: z
    // Without `green` there was no answer.
    .array(z.strictObject({ name: Name, green: z.boolean().optional(), at: Time, message: Text.optional() }))
    .max(MOST_CHECKS)
    .default([]),
  returnCheck: z.strictObject({ ok: z.boolean(), reasons: z.array(z.string().max(63)).max(16).default([]) }).optional(),
  /** Bundles that are not installed there again, and whether that holds for the whole subject. */
  denied: z
    .array(
      z.strictObject({
        bundle: Bundle,
        scope: z.enum(['Cluster', 'Operator']),
        /** The digest of the bundle's image. */
        digest: Hash.optional(),
        /**
         * The rollout that was rolled back; `since` is its time. Undefined if `versions` leaves the bundle
         * out.
         */
        rollout: z.string().max(512).optional(),
        since: Time.optional(),
      }),
    )
    .max(MOST_DENIED)
    .default([]),
  drift: z.boolean().default(false),
  /** Only while the order knows of no attempt: the hub may have lost the FleetAssignment. */
  last: LastAttempt.optional(),
  since: Time.optional(),
  reason: z.string().max(63).optional(),
  message: Text.optional(),
});
export type AssignmentReport = z.infer<typeof AssignmentReport>;

const differentSubjects = {
  rule: 'self.all(a, self.exists_one(b, a.subject == b.subject))',
  message: 'a subject has one row',
};

const FleetAssignmentSpec = z.strictObject({
  clusterUID: z.string().max(128).optional(),
  /** True if the applier writes nothing in the cluster except for work that has begun. */
  paused: z.boolean().optional(),
  rows: withRules(z.array(AssignmentRow).max(MOST_ROWS), differentSubjects).default([]),
});
/** Reports of the applier about a cluster. */
export const FleetAssignmentStatus = z.strictObject({
  clusterUID: z.string().max(128).optional(),
  rows: z.array(AssignmentReport).max(MOST_ROWS).default([]),
  /** Numbers of rows: all, those carried out now, and those that have failed. */
  counts: z.strictObject({ rows: z.int().min(0), active: z.int().min(0), failed: z.int().min(0) }).optional(),
});
type AssignmentCounts = NonNullable<z.infer<typeof FleetAssignmentStatus>['counts']>;

/** Counts the subjects of a cluster's reports: all, the running ones and the failed ones. */
export const countsOf = (reports: readonly AssignmentReport[]): AssignmentCounts => ({
  rows: reports.length,
  active: reports.filter(({ state }) => state === 'Running').length,
  failed: reports.filter(({ state }) => state === 'Failed').length,
});

/** The work of one cluster, and its reports. It has the name of its FleetCluster. */
export const FleetAssignment = z.strictObject({
  apiVersion: z.literal(FLEET_API),
  kind: z.literal('FleetAssignment'),
  metadata: ClusterMetadata,
  spec: FleetAssignmentSpec,
  status: FleetAssignmentStatus.optional(),
});
export type FleetAssignment = z.infer<typeof FleetAssignment>;
