import { z } from 'zod';
import type { FleetRollout } from '../../kernel/api/fleet/fleet-rollout.js';
import { isTrue } from '../../kernel/conditions/condition-list.js';
import { TARGET_WITHDRAWN } from '../../rollout/status/withdrawn-condition.js';
import { MOST_DECISIONS, RolloutDecision } from './rollout-decision.js';
import { RolloutPaths } from './rollout-path.js';
import { reasonInWords } from './row-text.js';
import { LONGEST_ROW_TEXT } from './rows.js';

const Count = z.int().min(0);
const Name = z.string().max(1_000);
const Text = z.string().max(LONGEST_ROW_TEXT);
/** RFC 3339, UTC; empty: not yet. */
const Time = z.string().max(40);

/** A FleetRollout as the console shows it. */
export const FleetRolloutRow = z.strictObject({
  /** `NAMESPACE/NAME`. */
  id: Name,
  /** The package. For a FleetCatalog, its name. */
  package: Name,
  /** The bundle, or the digest of a catalog's content. */
  target: Name,
  phase: Text,
  reason: Text,
  /** The current activity, and the reason that most of its clusters wait for. */
  message: Text.default(''),
  /** True if no cluster has its target, or is led to it any more: no promotion and no retry brings it. */
  withdrawn: z.literal(true).optional(),
  startedAt: Time,
  finishedAt: Time,
  waves: z
    .array(
      z.strictObject({
        ...{ name: Name, phase: Text, members: Count, done: Count, underWay: Count, waiting: Count, failed: Count },
        note: Text,
        /** Skipped clusters among the waiting ones. */
        skipped: Count.default(0),
        /** The times of its opening and its completion. Empty: not yet. */
        openedAt: Time.default(''),
        completedAt: Time.default(''),
        /** The end of its soak. Empty: it does not soak. */
        soakUntil: Time.default(''),
        /** The longest time for one of its clusters, as `30m`. */
        deadline: Text.default(''),
      }),
    )
    .max(17),
  /** Clusters that failed for one reason, the most first. */
  failures: z
    .array(z.strictObject({ reason: Text, cause: Text, clusters: Count, sample: z.array(Name).max(5) }))
    .max(10)
    .default([]),
  /** Plan classes that wait for approval. */
  classes: z
    // `lapsed`: it was approved before it changed as much as it does now.
    .array(z.strictObject({ hash: Text, clusters: Count, lapsed: z.literal(true).optional() }))
    .max(10)
    .default([]),
  /** The paths of its clusters, by plan class. Absent: not known. */
  paths: RolloutPaths.optional(),
  /** Users' decisions about it, the newest first. Absent: not known. */
  decisions: z.array(RolloutDecision).max(MOST_DECISIONS).optional(),
  /** The number of further decisions. */
  moreDecisions: Count.default(0),
});
export type FleetRolloutRow = z.infer<typeof FleetRolloutRow>;

/** Counts by phase of a cluster, as `rollingBack`. */
const Counts = z.record(z.string(), Count);
const Status = z.looseObject({
  phase: z.string().default(''),
  reason: z.string().default(''),
  startedAt: z.string().default(''),
  finishedAt: z.string().default(''),
  message: z.string().default(''),
  conditions: z.array(z.looseObject({ type: z.string(), status: z.string() })).catch([]),
  failures: z
    .array(
      z.looseObject({
        ...{ reason: z.string().default(''), cause: z.string().default(''), clusters: Count },
        sample: z.array(z.string()).default([]),
      }),
    )
    .catch([]),
  classes: z
    .array(
      z.looseObject({
        ...{ hash: z.string(), clusters: Count.default(0) },
        ...{ approval: z.string().default(''), reason: z.string().default('') },
      }),
    )
    .catch([]),
  waves: z
    .array(
      z.looseObject({
        ...{ openedAt: z.string().default(''), completedAt: z.string().default('') },
        soakUntil: z.string().default(''),
        ...{ name: z.string(), phase: z.string().default(''), reason: z.string().default('') },
        ...{ members: Count.default(0), limit: Count.optional(), counts: Counts.catch({}) },
      }),
    )
    .default([]),
});
type WaveStatus = z.infer<typeof Status>['waves'][number];

const cut = (text: string): string => text.slice(0, LONGEST_ROW_TEXT);
/** The reasons in a message, as `13 NotItsTurn`, in words. */
const reasonsInWords = (message: string): string =>
  message.replaceAll(/\b[A-Z][a-z]+(?:[A-Z][a-z]+)+\b/g, reasonInWords);

function waveRow(
  { name, phase, reason, members, limit, counts, openedAt, completedAt, soakUntil }: WaveStatus,
  deadline: string,
): FleetRolloutRow['waves'][number] {
  const { waiting = 0, applying = 0, verifying = 0, done = 0, failed = 0 } = counts;
  const { rollingBack = 0, rolledBack = 0, skipped = 0 } = counts;
  const underWay = applying + verifying + rollingBack;
  const budget = phase === 'Open' && limit !== undefined ? `budget ${underWay} of ${limit} used` : '';
  const skips = skipped > 0 ? `${skipped} skipped` : '';
  return {
    ...{ name, phase: cut(phase), members, done, underWay, waiting: waiting + skipped, failed: failed + rolledBack },
    skipped,
    note: cut([reasonInWords(reason), budget, skips].filter(Boolean).join(' · ')),
    ...{ openedAt, completedAt, soakUntil, deadline },
  };
}

type BesideRollout = Readonly<{
  /** Returns the package of a FleetOperator. Returns undefined if it no longer exists. */
  packageOf: (operator: string) => string | undefined;
  /** Decisions about it, the newest first. Undefined if they are not known. */
  decisions: readonly RolloutDecision[] | undefined;
  /** The paths of its clusters. Undefined if they are not known. */
  paths: RolloutPaths | undefined;
}>;

export function fleetRolloutRow(
  { metadata, spec, status }: FleetRollout,
  { packageOf, decisions, paths }: BesideRollout,
): FleetRolloutRow | undefined {
  const read = Status.safeParse(status ?? {});
  if (!read.success) return undefined;
  const { phase, reason, message, startedAt, finishedAt, waves, failures, classes, conditions } = read.data;
  const deadlines = new Map(spec.strategy.waves.map((wave) => [wave.name, wave.progressDeadline]));
  const isWithdrawn = isTrue(conditions, TARGET_WITHDRAWN);
  const { kind, name } = spec.subject;
  const { bundle, catalogDigest } = spec.target;
  return {
    id: `${metadata.namespace}/${metadata.name}`,
    package: kind === 'FleetOperator' ? (packageOf(name) ?? name) : name,
    target: kind === 'FleetOperator' ? bundle : (catalogDigest ?? bundle),
    ...{
      phase: cut(phase),
      reason: cut(reasonInWords(reason)),
      message: cut(reasonsInWords(message)),
      startedAt,
      finishedAt,
    },
    ...(isWithdrawn && { withdrawn: true as const }),
    // The wave for clusters that no other wave takes exists even without clusters.
    waves: waves
      .filter(({ members }, at) => members > 0 || at === 0)
      .map((wave) => waveRow(wave, deadlines.get(wave.name) ?? '')),
    failures: failures.slice(0, 10).map((one) => ({
      ...{ reason: cut(reasonInWords(one.reason)), cause: cut(one.cause), clusters: one.clusters },
      sample: one.sample.slice(0, 5),
    })),
    classes: classes
      .filter(({ approval }) => approval === 'Waiting')
      .slice(0, 10)
      .map(({ hash, clusters, reason }) => ({
        ...{ hash: cut(hash), clusters },
        ...(reason === 'Lapsed' && { lapsed: true as const }),
      })),
    ...(paths && { paths }),
    ...(decisions && { decisions: decisions.slice(0, MOST_DECISIONS) }),
    moreDecisions: Math.max(0, (decisions?.length ?? 0) - MOST_DECISIONS),
  };
}
