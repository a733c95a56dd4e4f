import { z } from 'zod';
import { PlanMove, RowCause, Standing } from '#core/view/rows/rows';

/**
 * Facts that rows do not hold, asked of the poller: `POST /api/v1/questions/ASK`. ASK is `explain`, `object`,
 * `whole-object`, `events` or `review`. An answer is kept for half a minute. A cluster that does not answer
 * within ten seconds: problem `cluster-away`.
 */

/** An object of a cluster, as an address. */
export const ObjectAddress = z.strictObject({
  cluster: z.string().max(1_000),
  kind: z.string().max(60),
  namespace: z.string().max(253),
  name: z.string().max(253),
});

/** A reason with its own reasons: `explain` of the command as a tree. */
export type ReasonNode = {
  text: string;
  /** Role of the box: the desired state, a candidate, a requirement, an obstacle. */
  role: 'desired' | 'candidate' | 'requirement' | 'obstacle' | 'note';
  /** The words on the edge that leads here. */
  edge: string;
  children: ReasonNode[];
};
export const ReasonNode: z.ZodType<ReasonNode> = z.lazy(() =>
  z.strictObject({
    text: z.string(),
    role: z.enum(['desired', 'candidate', 'requirement', 'obstacle', 'note']),
    edge: z.string(),
    children: z.array(ReasonNode),
  }),
);

/** One link of the chain on the page of an operator. */
export const ChainLink = z.strictObject({
  link: z.enum(['desired', 'catalog', 'resolution', 'plan', 'approval', 'running']),
  /** `done`, the link that stops the chain, or not reached yet. */
  state: z.enum(['done', 'stopped', 'not-reached']),
  standing: Standing,
  text: z.string(),
  since: z.string(),
});

/** One thing a person can do; a command is shown on its own, to be copied. */
export const AdviceItem = z.strictObject({ text: z.string(), command: z.string() });

/** A newer bundle, and the reason that blocks it. */
export const OfferedVersion = z.strictObject({
  bundle: z.string(),
  version: z.string(),
  channel: z.string(),
  why: z.string(),
});

/** A revision of a ClusterExtension that is kept: it can be taken back to it. */
export const KeptRevision = z.strictObject({
  revision: z.int(),
  bundle: z.string(),
  version: z.string(),
  state: z.string(),
});

/**
 * Approval, given through the hub, of the InstallPlan that a Subscription refers to; `at` empty: not
 * reported.
 */
export const GivenApproval = z.strictObject({ by: z.string(), at: z.string(), comment: z.string() });

export const Explanation = z.strictObject({
  chain: z.array(ChainLink),
  because: z.array(z.string()),
  /** The bundle that still runs although its operator is not well. */
  stillRuns: z.string().optional(),
  cause: RowCause.optional(),
  advice: z.array(AdviceItem),
  /** The minimal conflict; absent if the resolution does not stop it. */
  conflict: ReasonNode.optional(),
  newer: z.array(OfferedVersion),
  /** Revisions of a ClusterExtension, the newest first. */
  revisions: z.array(KeptRevision),
  /** Approval of a Subscription's plan. */
  approval: GivenApproval.optional(),
});

/** Managed fields, secrets and data of Secrets are left out. */
export const ObjectAnswer = z.strictObject({ yaml: z.string(), cut: z.boolean() });

/** {@link ObjectAnswer} without a cut: YAML in gzip in base64. The page unpacks it, the console never. */
export const WholeObject = z.strictObject({ gzip: z.string().max(2_000_000) });

export const EventsAnswer = z.strictObject({
  items: z.array(
    z.strictObject({
      at: z.string(),
      type: z.string(),
      reason: z.string(),
      message: z.string(),
      count: z.int(),
      by: z.string(),
    }),
  ),
});

/** A difference of a plan. Approvers read differences in this order. */
export const Difference = z.strictObject({
  section: z.enum(['operators', 'images', 'crds', 'permissions', 'workloads', 'objects']),
  /** Draws attention: violations of CRD safety, grown permissions, privileged settings. */
  risk: z.boolean(),
  sign: z.enum(['+', '-', '~']),
  /** The object or thing. */
  what: z.string(),
  text: z.string(),
  /** Lines of a difference, each with its sign; empty if the text says everything. */
  lines: z.array(z.string()),
});

/** An operator that a plan does not move, and that owns or requires a definition of it. */
export const OtherOperator = z.strictObject({
  /** Package, or the bundle of an operator without a Subscription. */
  package: z.string(),
  /** Name of its Subscription. Empty: none. */
  operator: z.string(),
  namespace: z.string(),
  role: z.enum(['owner', 'user']),
  /** Clusters of the group, and one of them. */
  clusters: z.int(),
  example: z.string(),
});

/** A CustomResourceDefinition that a plan writes. */
export const Touch = z.strictObject({
  /** Package and bundle that bring it. */
  package: z.string(),
  bundle: z.string(),
  name: z.string(),
  change: z.enum(['new', 'changed', 'unchanged', 'unread']),
  /** Clusters of the group with this definition. */
  clusters: z.int(),
  /** Other operators that the person sees, owners first. */
  others: z.array(OtherOperator).max(50),
  /** Others that are not listed. */
  moreOthers: z.int(),
});

/** Members of a plan class that would change alike. */
export const ReviewGroup = z.strictObject({
  /** Hash of the differences. */
  key: z.string(),
  /** `mayApprove`: whether the person has the right for all that the plan moves there. */
  members: z.array(
    z.strictObject({ cluster: z.string(), namespace: z.string(), name: z.string(), mayApprove: z.boolean() }),
  ),
  differences: z.array(Difference),
  unchanged: z.int(),
  /** Absent: the poller is of an earlier release. */
  touches: z.array(Touch).max(300).optional(),
});

/** `POST /questions/review {hash}`: a plan class, compared with each of its clusters. */
export const ReviewAnswer = z.strictObject({
  hash: z.string(),
  moves: z.array(PlanMove),
  groups: z.array(ReviewGroup),
  /** Members in clusters that did not answer. */
  unchecked: z.array(z.strictObject({ cluster: z.string(), namespace: z.string(), name: z.string(), why: z.string() })),
  checkedAt: z.string(),
});

export const ReviewQuestion = z.strictObject({ hash: z.string().max(200) });

export type ObjectAddress = z.infer<typeof ObjectAddress>;
export type ChainLink = z.infer<typeof ChainLink>;
export type Explanation = z.infer<typeof Explanation>;
export type ObjectAnswer = z.infer<typeof ObjectAnswer>;
export type ReviewQuestion = z.infer<typeof ReviewQuestion>;
export type WholeObject = z.infer<typeof WholeObject>;
export type EventsAnswer = z.infer<typeof EventsAnswer>;
export type Difference = z.infer<typeof Difference>;
export type OtherOperator = z.infer<typeof OtherOperator>;
export type Touch = z.infer<typeof Touch>;
export type ReviewGroup = z.infer<typeof ReviewGroup>;
export type ReviewAnswer = z.infer<typeof ReviewAnswer>;
