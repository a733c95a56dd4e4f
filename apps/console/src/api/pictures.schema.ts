import { z } from 'zod';

/** Pictures: `GET /api/v1/{trend,version-trend,cluster-map}`. */

const Count = z.int().min(0);

/** The common part of counts over time. Each part of the window ends at one of `times`. */
const overTime = {
  asOf: z.string(),
  /** Nothing older is known, RFC 3339; parts that end before it are left out. */
  knownSince: z.string(),
  /** Begin of the window. */
  begin: z.string(),
  /** Parts of the window, known or not, and their length. The last one ends now and may be shorter. */
  parts: z.int(),
  partSeconds: z.int(),
};

/**
 * Operators in the last 24 hours, by hour: those that were failed or blocked at the end of each hour, and
 * versions that came in it.
 */
export const FleetTrend = z.strictObject({
  ...overTime,
  items: z.array(z.strictObject({ at: z.string(), failed: Count, blocked: Count, done: Count })).max(24),
});

export const SPANS = ['1d', '7d', '30d'] as const;

export const VersionTrendQuery = z.strictObject({
  package: z.string().min(1).max(1_000),
  span: z.enum(SPANS).default('1d'),
});

/** Clusters by the version of a package that they had at each time. */
export const VersionTrend = z.strictObject({
  ...overTime,
  times: z.array(z.string()).max(30),
  /** Clusters with any version of the package, at each time. */
  clusters: z.array(Count).max(30),
  /** The newest first: those of most clusters. `other` counts clusters with the rest. */
  versions: z
    .array(z.strictObject({ bundle: z.string(), version: z.string(), clusters: z.array(Count).max(30) }))
    .max(12),
  otherVersions: Count,
  other: z.array(Count).max(30),
});

export const ClusterMapQuery = z.strictObject({
  /** Keys of labels. Default: the two that divide the clusters best; columns may be empty: none. */
  rows: z.string().max(400).optional(),
  columns: z.string().max(400).optional(),
});

const StandingCounts = z.strictObject({
  failed: Count,
  blocked: Count,
  'needs-approval': Count,
  'under-way': Count,
  well: Count,
});

/** A value of a label. `value` is absent for clusters without the label. */
const LabelValue = z.strictObject({ value: z.string().optional(), clusters: Count });

/** Clusters by the values of two labels, with their states. */
export const ClusterMap = z.strictObject({
  asOf: z.string(),
  /** All clusters. */
  total: Count,
  /** Labels of the clusters, those that divide them best first. */
  labels: z.array(z.strictObject({ key: z.string(), values: Count, clusters: Count })).max(50),
  moreLabels: Count,
  /** Keys of the labels that are shown; `columns` empty: one column for all. */
  rows: z.string(),
  columns: z.string(),
  rowValues: z.array(LabelValue).max(40),
  columnValues: z.array(LabelValue).max(12),
  /** Values that are left out, and the clusters that have one of them. */
  moreRows: Count,
  moreColumns: Count,
  outside: Count,
  /** Cells with clusters. `row` and `column` are places in the lists of values. */
  cells: z
    .array(z.strictObject({ row: Count, column: Count, clusters: Count, counts: StandingCounts, away: Count }))
    .max(480),
});

export type FleetTrend = z.infer<typeof FleetTrend>;
export type VersionTrend = z.infer<typeof VersionTrend>;
export type VersionTrendQuery = z.infer<typeof VersionTrendQuery>;
export type ClusterMap = z.infer<typeof ClusterMap>;
export type ClusterMapQuery = z.infer<typeof ClusterMapQuery>;
