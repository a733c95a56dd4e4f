import { z } from 'zod';
import { HISTORY_KINDS, HistoryEntry } from '#core/view/rows/history-entry';
import { HubRow } from '#core/view/rows/hub-row';
import { RolloutDecision } from '#core/view/rows/rollout-decision';
import { RolloutGate } from '#core/view/rows/rollout-gate';
import { RolloutPaths } from '#core/view/rows/rollout-path';
import {
  CatalogRow,
  CHANGES,
  ClusterRow,
  OperatorRow,
  PlanMove,
  PlanRow,
  RowCause,
  Standing,
} from '#core/view/rows/rows';

/**
 * Lists: `GET /api/v1/{clusters,operators,plans,catalogs,packages,plan-classes,causes,changes,rollouts}`.
 * Every list takes the same query, filters, sorts and cuts on the server, and answers a window.
 */

/** Most rows of one answer. */
export const LARGEST_WINDOW = 200;

/**
 * Several values are separated by commas and any may match; different keys must all match. In a value a
 * backslash escapes a comma and a backslash.
 */
export const ListQuery = z.strictObject({
  /** Words that must all occur in names, package, catalog or cause. */
  q: z.string().max(200).optional(),
  cluster: z.string().max(4_000).optional(),
  namespace: z.string().max(4_000).optional(),
  package: z.string().max(4_000).optional(),
  standing: z.string().max(200).optional(),
  reach: z.string().max(200).optional(),
  /** Labels of clusters as `KEY=VALUE`, or `!KEY=` for clusters without it. Different keys must all match. */
  label: z.string().max(4_000).optional(),
  catalog: z.string().max(4_000).optional(),
  channel: z.string().max(1_000).optional(),
  version: z.string().max(1_000).optional(),
  api: z.string().max(20).optional(),
  digest: z.string().max(4_000).optional(),
  hash: z.string().max(4_000).optional(),
  /** Key of a cause group, as `causes` answers it. */
  cause: z.string().max(1_000).optional(),
  phase: z.string().max(200).optional(),
  by: z.string().max(1_000).optional(),
  /** A row, or a content of a catalog, by its `id`. */
  id: z.string().max(1_400).optional(),
  /** Changes of the operator with this `id`, and approvals of its plans; with `cluster`. */
  about: z.string().max(1_400).optional(),
  /** Bundles that run. */
  runs: z.string().max(4_000).optional(),
  /** Rollouts that have not ended. */
  moving: z.enum(['true', 'false']).optional(),
  /** Kind of a change, such as `approval`. */
  kind: z.string().max(200).optional(),
  /** Greatest change of a plan class, such as `major`, and the parts of it to review first. */
  change: z.string().max(100).optional(),
  risk: z.string().max(100).optional(),
  since: z.string().max(40).optional(),
  deprecated: z.enum(['true', 'false']).optional(),
  /** A column, with `-` before it from the largest; default: by urgency. */
  sort: z.string().max(60).optional(),
  offset: z.coerce.number().int().min(0).max(1_000_000).default(0),
  limit: z.coerce.number().int().min(1).max(LARGEST_WINDOW).default(LARGEST_WINDOW),
  /**
   * Columns, or `true` for all: with the counts of their values over everything that matches, at most two
   * seconds old.
   */
  facets: z.string().max(200).optional(),
});

/** For each column its values with the number of rows, the most frequent first, 50 at most. */
export const Facets = z.record(z.string(), z.array(z.strictObject({ value: z.string(), count: z.int() })));

const listOf = <T extends z.ZodType>(item: T) =>
  z.strictObject({
    items: z.array(item).max(LARGEST_WINDOW),
    /** Number of all rows that match. */
    total: z.int().min(0),
    /** When the rows were last known to be complete, RFC 3339. */
    asOf: z.string(),
    facets: Facets.optional(),
  });

const StandingCounts = z.strictObject({
  failed: z.int(),
  blocked: z.int(),
  'needs-approval': z.int(),
  'under-way': z.int(),
  well: z.int(),
});

/** How many clusters run a version of a package. */
export const VersionCount = z.strictObject({ version: z.string(), bundle: z.string(), clusters: z.int() });

/** All operators of one package. */
export const PackageSpread = z.strictObject({
  package: z.string(),
  clusters: z.int(),
  operators: z.int(),
  newest: z.string(),
  /** Operators that run the newest bundle of their channel. */
  upToDate: z.int(),
  /** The most frequent first, eight at most; `other` counts the rest. */
  versions: z.array(VersionCount).max(8),
  other: z.int(),
  /** Clusters with an operator of it that runs no version, or none that is known. */
  idle: z.int(),
  counts: StandingCounts,
  catalogs: z.array(z.string()).max(20),
  deprecated: z.int(),
});

/** Objects with one cause. */
export const CauseGroup = z.strictObject({
  /** For `?cause=`. */
  key: z.string(),
  standing: Standing,
  cause: RowCause,
  clusters: z.int(),
  operators: z.int(),
  /** The oldest. */
  since: z.string(),
  /** One cluster of them, for a link. */
  example: z.string(),
});

/** Plans with the same hash that wait for approval. */
export const PlanClassSummary = z.strictObject({
  hash: z.string(),
  moves: z.array(PlanMove),
  change: z.enum(CHANGES),
  crds: z.boolean(),
  rbac: z.boolean(),
  shared: z.boolean(),
  clusters: z.int(),
  plans: z.int(),
  /** Plans that the person may approve. */
  mayApprove: z.int(),
  oldest: z.string(),
});

/** Plans that wait and are not approved here: rollouts of the fleet decide about them. */
export const PlansOfFleet = z.strictObject({
  plans: z.int(),
  /** FleetOperators as `NAMESPACE/NAME`, those with the most plans first. */
  operators: z.array(z.strictObject({ operator: z.string(), plans: z.int(), clusters: z.int() })).max(20),
});

/** A catalog's content, told apart by digest. */
export const CatalogSummary = z.strictObject({
  /** The first 16 hex digits of the digest; of one without content `none-` and the name. */
  id: z.string(),
  name: z.string(),
  source: z.enum(['CatalogSource', 'ClusterCatalog']),
  image: z.string(),
  digest: z.string(),
  packages: z.int(),
  clusters: z.int(),
  /** Other contents under the same name. */
  otherDigests: z.int(),
  states: z.array(z.strictObject({ state: z.string(), clusters: z.int() })),
  standing: Standing,
  message: z.string(),
  polledAt: z.string(),
  nextAt: z.string(),
});

/** Clusters on their way to one bundle. Without fleet kinds it is derived: `waves` has one element. */
export const RolloutSummary = z.strictObject({
  /** Name of a FleetRollout as `NAMESPACE/NAME`, or `PACKAGE@BUNDLE`. */
  id: z.string(),
  derived: z.boolean(),
  package: z.string(),
  target: z.string(),
  phase: z.string(),
  reason: z.string(),
  /** The reason as in the status, such as `RollbackIncomplete`; empty: not known. */
  code: z.string(),
  /** True if its subject has no newer one; absent: not known. */
  newest: z.boolean().optional(),
  /** Clusters that it has changed, or may have; absent: not known. */
  changed: z.int().optional(),
  /** A rule of its strategy denies returns. */
  returnsDenied: z.literal(true).optional(),
  /** Progress of the rollout, and the obstacle of most of its clusters; empty if it is derived. */
  message: z.string(),
  /** No cluster has its target, or is led to it any more: no promotion and no retry brings it. */
  withdrawn: z.boolean(),
  startedAt: z.string(),
  finishedAt: z.string(),
  waves: z
    .array(
      z.strictObject({
        name: z.string(),
        phase: z.string(),
        members: z.int(),
        done: z.int(),
        underWay: z.int(),
        /** With those that are skipped. */
        waiting: z.int(),
        skipped: z.int(),
        failed: z.int(),
        note: z.string(),
        /** When it opened, and when it was complete; empty: not yet, or not known. */
        openedAt: z.string(),
        completedAt: z.string(),
        /** When its soak ends; empty: it does not soak. */
        soakUntil: z.string(),
        /** How long a cluster of it may take, as `30m`; empty: not known. */
        deadline: z.string(),
        /** The reason of its phase as in the status, such as `GateAfter`; empty: not known. */
        code: z.string(),
        /** Most clusters at a time, and most failures before it stops; absent: not known. */
        limit: z.int().optional(),
        accepted: z.int().optional(),
        /** The length of its soak, as `2h`. */
        soak: z.string(),
        /** It opens by a decision. */
        manual: z.literal(true).optional(),
        gates: z.array(RolloutGate).max(16),
      }),
    )
    .max(17),
  failures: z
    .array(z.strictObject({ reason: z.string(), cause: z.string(), clusters: z.int(), examples: z.array(z.string()) }))
    .max(10),
  /** Plan classes that wait for approval; `lapsed`: it was given before they changed as much as now. */
  classes: z
    .array(
      z.strictObject({
        ...{ hash: z.string(), clusters: z.int(), lapsed: z.literal(true).optional() },
        /** The kinds of change that it has. Empty: not known. */
        changes: z.array(z.string()),
      }),
    )
    .max(10),
});

/** How fast a rollout was in its last hour. */
export const RolloutPace = z.strictObject({
  /** Clusters that came to the target in these minutes, sixty at most. */
  clusters: z.int(),
  minutes: z.int(),
  /** The same for each five minutes, the oldest first. */
  parts: z.array(z.int()).length(12),
  /** Clusters that only work keeps from the target, and their time at this pace; absent: unsure. */
  left: z.int().optional(),
  leftMinutes: z.int().optional(),
});

/** `GET /api/v1/rollouts/ID`. */
export const RolloutDetail = RolloutSummary.extend({
  asOf: z.string(),
  /** Steps of its clusters, by plan class; absent: not known, or the rollout is derived. */
  paths: RolloutPaths.optional(),
  /** Decisions of people about it, the newest first; absent: the hub API does not report them. */
  decisions: z.array(RolloutDecision).max(20).optional(),
  moreDecisions: z.int(),
  /** Absent: nothing is known of it. */
  pace: RolloutPace.optional(),
});

export const ClusterList = listOf(ClusterRow);
export const OperatorList = listOf(OperatorRow);
export const PlanList = listOf(PlanRow);
export const CatalogRowList = listOf(CatalogRow);
export const PackageList = listOf(PackageSpread);
export const CauseList = listOf(CauseGroup);
export const PlanClassList = listOf(PlanClassSummary).extend({ fleet: PlansOfFleet });
export const CatalogList = listOf(CatalogSummary);
export const RolloutList = listOf(RolloutSummary);
/** A change of the fleet; for admins also sign-ins and refusals. */
export const ListedChange = HistoryEntry.extend({
  kind: z.enum([...HISTORY_KINDS, 'sign-in', 'refusal']),
  comment: z.string(),
  /** Address of the client that signed in or was refused. */
  address: z.string().optional(),
});
export const ChangeList = listOf(ListedChange).extend({
  /** No older change of the fleet is known. */
  knownSince: z.string(),
});

/** `GET /api/v1/fleet`: the first page in one answer. */
export const FleetSummary = z.strictObject({
  asOf: z.string(),
  /** Redis was emptied, or the console has just started: how many clusters are there again. */
  filling: z.strictObject({ clusters: z.int(), of: z.int() }).optional(),
  counts: StandingCounts,
  reach: z.strictObject({
    fresh: z.int(),
    stale: z.int(),
    away: z.int(),
    'left-to-olm': z.int(),
    refused: z.int(),
  }),
  clusters: z.int(),
  operators: z.int(),
  /** Twenty at most; `moreCauses` counts the rest. */
  causes: z.array(CauseGroup).max(20),
  moreCauses: z.int(),
  /** The packages furthest behind, ten at most. */
  behind: z.array(PackageSpread).max(10),
  unwellClusters: z.int(),
  approvals: z.strictObject({ classes: z.int(), plans: z.int() }),
  rollouts: z.int(),
});

/** `GET /api/v1/hub`. */
export const HubSummary = z.strictObject({ asOf: z.string(), services: z.array(HubRow), redis: z.string() });

/**
 * `GET /api/v1/search?q=`: clusters, packages, operators, plans, catalogs and pages, six of a kind at most.
 * If there are more, a link to all of them follows.
 */
export const SearchAnswer = z.strictObject({
  items: z
    .array(
      z.strictObject({
        kind: z.enum(['cluster', 'package', 'operator', 'plan', 'catalog', 'page']),
        title: z.string(),
        note: z.string(),
        /** A path of the console. */
        url: z.string(),
      }),
    )
    .max(50),
});

/** Answer of `GET /api/v1/me`: the signed-in person and their rights. */
export const RightsAnswer = z.strictObject({
  allowed: z.boolean(),
  /** The grants that allow it, in words. */
  by: z.array(z.string()),
  /** The reason of a refusal; empty if it is allowed. */
  because: z.string(),
});

export const Me = z.strictObject({
  name: z.string(),
  groups: z.array(z.string()),
  /** How the person signed in. */
  by: z.enum(['loopback', 'oidc']),
  /** In words, one line a grant. */
  rights: z.array(z.string()),
  may: z.strictObject({ approve: z.boolean(), retry: z.boolean(), rollBack: z.boolean(), hub: z.boolean() }),
  /** For the header `X-CSRF-Token` of writes; empty with a bearer key. */
  csrf: z.string(),
  version: z.string(),
});

export type ListQuery = z.infer<typeof ListQuery>;
export type VersionCount = z.infer<typeof VersionCount>;
export type PackageSpread = z.infer<typeof PackageSpread>;
export type CauseGroup = z.infer<typeof CauseGroup>;
export type PlanClassSummary = z.infer<typeof PlanClassSummary>;
export type PlansOfFleet = z.infer<typeof PlansOfFleet>;
export type CatalogSummary = z.infer<typeof CatalogSummary>;
export type RolloutSummary = z.infer<typeof RolloutSummary>;
export type RolloutPace = z.infer<typeof RolloutPace>;
export type RolloutDetail = z.infer<typeof RolloutDetail>;
export type FleetSummary = z.infer<typeof FleetSummary>;
export type HubSummary = z.infer<typeof HubSummary>;
export type SearchAnswer = z.infer<typeof SearchAnswer>;
export type RightsAnswer = z.infer<typeof RightsAnswer>;
export type Me = z.infer<typeof Me>;
export type ClusterList = z.infer<typeof ClusterList>;
export type OperatorList = z.infer<typeof OperatorList>;
export type PlanList = z.infer<typeof PlanList>;
export type CatalogRowList = z.infer<typeof CatalogRowList>;
export type PackageList = z.infer<typeof PackageList>;
export type CauseList = z.infer<typeof CauseList>;
export type PlanClassList = z.infer<typeof PlanClassList>;
export type CatalogList = z.infer<typeof CatalogList>;
export type RolloutList = z.infer<typeof RolloutList>;
export type ListedChange = z.infer<typeof ListedChange>;
export type ChangeList = z.infer<typeof ChangeList>;
