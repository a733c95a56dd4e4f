import { z } from 'zod';
import { HEALTH_STATES } from '../../cluster/diagnosis/diagnosis.js';
import { LONGEST_COMMENT } from '../actions/console-action.js';

/**
 * The rows of the read model: one small value for each cluster, operator, plan and catalog of the fleet. The
 * poller writes them, the console keeps them in memory. A row holds nothing of manifests and no secret.
 */

/** Texts of a row are cut to this many characters. */
export const LONGEST_ROW_TEXT = 200;

const Name = z.string().max(1_000);
const Text = z.string().max(LONGEST_ROW_TEXT);
const Count = z.int().min(0);
/** RFC 3339, UTC. */
const Time = z.string().max(40);

export const Standing = z.enum(HEALTH_STATES);

/**
 * The cause of an unhealthy object, so that equal causes of many objects can be counted as one. `code`,
 * `kind` and `names` are equal for equal causes in any cluster. `text` is for people.
 */
export const RowCause = z.strictObject({
  /** The rule that holds, as `plan-failed`; stable over releases. */
  code: z.string().max(60),
  /** The kind of the object that has the cause. */
  kind: z.string().max(60),
  /** Names that distinguish causes of one code: packages, definitions, catalogs. Never names of clusters. */
  names: z.array(Name).max(8),
  text: Text,
  /** The first thing to do, without its command. Absent: none is known, or it is a command alone. */
  todo: Text.optional(),
});

/**
 * The freshness of the hub's view of a cluster: all its watches are up · one is broken · it is unreachable ·
 * OLM itself runs there · it is not used in its present form (membership).
 */
const REACHES = ['fresh', 'stale', 'away', 'left-to-olm', 'refused'] as const;
export const Reach = z.enum(REACHES);

const Counts = z.strictObject({
  failed: Count,
  blocked: Count,
  'needs-approval': Count,
  'under-way': Count,
  well: Count,
});

export const ClusterRow = z.strictObject({
  kind: z.literal('cluster'),
  /** `cluster`: one a cluster. */
  id: z.string(),
  cluster: Name,
  updatedAt: Time,
  labels: z.record(z.string(), z.string()),
  /** The context with which people reach it, for commands to be copied. Absent if none is known. */
  context: Name.optional(),
  /** The file of that context. Absent if kubectl reads it by itself. */
  kubeconfig: Text.optional(),
  /** The version of Kubernetes, as `v1.34.4`. Empty: not known. */
  version: Text,
  reach: Reach,
  /** The time since when it has this reach. */
  since: Time,
  /** The time of its last answer. Empty: never. */
  lastSeen: Time,
  /** The worst standing of its objects. */
  standing: Standing,
  cause: RowCause.optional(),
  counts: Counts,
  catalogsWell: Count,
  catalogs: Count,
  paused: z.boolean(),
  /** Installed operators that keep an OpenShift cluster from its next minor version, one line each. */
  upgradeBlockers: z.array(Text).max(20),
});

export const OperatorRow = z.strictObject({
  kind: z.literal('operator'),
  /** `subscription/NAMESPACE/NAME` or `extension/NAME`. */
  id: z.string(),
  cluster: Name,
  /** Empty for a ClusterExtension. */
  namespace: Name,
  name: Name,
  updatedAt: Time,
  api: z.enum(['classic', 'v1']),
  package: Name,
  /** `NAMESPACE/NAME` of the CatalogSource, or the name of the ClusterCatalog; empty: any. */
  catalog: Name,
  /** Empty: the default channel, or any. */
  channel: Name,
  /** Name of the installed bundle; empty: nothing is installed. */
  installed: Name,
  version: Text,
  /** The bundle that is next on its way; empty: none. */
  next: Name,
  /** The newest bundle that the catalog offers in the channel; empty: not known. */
  newest: Name,
  approval: z.enum(['Automatic', 'Manual']),
  standing: Standing,
  cause: RowCause.optional(),
  /** The time since when it has this standing. */
  since: Time,
  /** The bundle that runs although the operator is not healthy. Absent: none, or not known. */
  stillRuns: Name.optional(),
  /** `NAMESPACE/NAME` of the FleetOperator with rollouts that decide about its plans. Absent: none. */
  fleet: Name.optional(),
  /** The plan that waits for approval: its name and hash; empty: none. */
  plan: Name,
  planHash: Text,
  deprecated: z.boolean(),
});

/** The greatest change of a plan, by versions. */
export const CHANGES = ['new', 'patch', 'minor', 'major', 'downgrade'] as const;

export const PlanMove = z.strictObject({ package: Name, from: Name, to: Name });

export const PlanRow = z.strictObject({
  kind: z.literal('plan'),
  /** `plan/NAMESPACE/NAME`. */
  id: z.string(),
  cluster: Name,
  namespace: Name,
  name: Name,
  updatedAt: Time,
  /** The hash of the plan's effect (`plan-class/hop-hash`). Plans with equal hashes are one class. */
  hash: Text,
  moves: z.array(PlanMove).max(50),
  change: z.enum(CHANGES),
  /** True if the plan has definitions. An approver checks definitions and rights first. */
  crds: z.boolean(),
  rbac: z.boolean(),
  /** A definition of the plan has other owners. */
  shared: z.boolean(),
  createdAt: Time,
  /** The phase in the InstallPlan's status. */
  phase: Text,
  approved: z.boolean(),
  approvedBy: Text,
  /** The reason that was given; absent: none. */
  approvalComment: z.string().max(LONGEST_COMMENT).optional(),
  /** The deciding object of the fleet, as of an operator. */
  fleet: Name.optional(),
});

export const CatalogRow = z.strictObject({
  kind: z.literal('catalog'),
  /** `source/NAMESPACE/NAME` or `cluster-catalog/NAME`. */
  id: z.string(),
  cluster: Name,
  /** Empty for a ClusterCatalog. */
  namespace: Name,
  /**
   * True if it is in the global catalog namespace, visible to all namespaces. Absent: it is not, or not
   * known.
   */
  global: z.literal(true).optional(),
  name: Name,
  updatedAt: Time,
  source: z.enum(['CatalogSource', 'ClusterCatalog']),
  image: Name,
  /** The digest of the content, `sha256:…`. Empty: none is held. */
  digest: Text,
  /** `READY`, `CONNECTING`, `TRANSIENT_FAILURE`; of a ClusterCatalog `Serving` or the reason why not. */
  state: Text,
  message: Text,
  packages: Count,
  polledAt: Time,
  nextAt: Time,
  standing: Standing,
  cause: RowCause.optional(),
});

export const ViewRow = z.discriminatedUnion('kind', [ClusterRow, OperatorRow, PlanRow, CatalogRow]);

export type RowCause = z.infer<typeof RowCause>;
export type Reach = z.infer<typeof Reach>;
export type ClusterRow = z.infer<typeof ClusterRow>;
export type OperatorRow = z.infer<typeof OperatorRow>;
export type PlanRow = z.infer<typeof PlanRow>;
export type PlanMove = z.infer<typeof PlanMove>;
export type CatalogRow = z.infer<typeof CatalogRow>;
export type ViewRow = z.infer<typeof ViewRow>;
