import { z } from 'zod';
import type { FleetRollout } from '../../kernel/api/fleet/fleet-rollout.js';
import type { WaveSpec } from '../../kernel/api/fleet/fleet-strategy.js';
import { isTrue } from '../../kernel/conditions/condition-list.js';
import { thresholdOf } from '../../rollout/placement/waves.js';
import { deniesReturns } from '../../rollout/review/class-approval.js';
import { TARGET_WITHDRAWN } from '../../rollout/status/withdrawn-condition.js';
import { MOST_DECISIONS, RolloutDecision } from './rollout-decision.js';
import { RolloutGate, rolloutGate, type ShownGateAnswer } from './rollout-gate.js';
import { RolloutPaths } from './rollout-path.js';
import { reasonInWords } from './row-text.js';
import { LONGEST_ROW_TEXT } from './rows.js';

const Count = z.int().min(0);
/** Kinds of change of a class: there are fewer. */
const MOST_CHANGES = 20;
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
  /** True if `package` is the only package that it is about. Absent: others may be, or this is not known. */
  packageKnown: z.literal(true).optional(),
  /** The bundle, or the digest of a catalog's content. */
  target: Name,
  phase: Text,
  reason: Text,
  /** The reason of its phase as in its status, such as `RollbackIncomplete`. Empty: not known. */
  code: Text.default(''),
  /** False if its subject has a newer rollout. Absent: not known. */
  newest: z.boolean().optional(),
  /** The number of clusters that it has changed, or may have. Absent: not known. */
  changed: Count.optional(),
  /** True if a rule of its strategy denies returns. */
  returnsDenied: z.literal(true).optional(),
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
        /** The reason of its phase as in the status, such as `GateAfter`. */
        code: Text.default(''),
        /** Most clusters at a time. Absent: not known. */
        limit: Count.optional(),
        /** Most failures before the rollout stops. Absent: not known. */
        accepted: Count.optional(),
        /** The length of its soak, as `2h`. */
        soak: Text.default(''),
        /** True if it opens by a decision. */
        manual: z.literal(true).optional(),
        gates: z.array(RolloutGate).max(16).default([]),
      }),
    )
    .max(17),
  /** Failed clusters by reason, the largest group first. */
  failures: z
    .array(z.strictObject({ reason: Text, cause: Text, clusters: Count, sample: z.array(Name).max(5) }))
    .max(10)
    .default([]),
  /** Plan classes that wait for approval. */
  classes: z
    // `lapsed`: it was approved before it changed as much as it does now.
    // `changes`: the kinds of change that it has. Empty: not known.
    .array(
      z.strictObject({
        ...{ hash: Text, clusters: Count, lapsed: z.literal(true).optional() },
        changes: z.array(Text).max(MOST_CHANGES).default([]),
      }),
    )
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
        changes: z.array(z.string()).catch([]),
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

/** The rules of each wave by its name. Wave `rest` has those of the last one. */
function rulesOf(waves: readonly WaveSpec[]): ReadonlyMap<string, WaveSpec> {
  const last = waves.at(-1);
  const rest = last === undefined ? [] : [{ ...last, name: 'rest' }];
  return new Map([...waves, ...rest].map((wave) => [wave.name, wave]));
}

/** Returns the rules of a wave for its row. `spec` is absent if the rollout has no wave of that name. */
function waveRules(spec: WaveSpec | undefined, { name, members }: WaveStatus, gatesOf: GatesOf) {
  if (spec === undefined) return { deadline: '', soak: '', gates: [] };
  const { progressDeadline, failureThreshold, soak, promotion, gates } = spec;
  return {
    ...{ deadline: progressDeadline, accepted: thresholdOf(failureThreshold, members), soak },
    ...(promotion === 'Manual' && { manual: true as const }),
    gates: gates.map((gate) => rolloutGate(gate, gatesOf(name, gate.name))),
  };
}

function waveRow(
  { name, phase, reason, members, limit, counts, openedAt, completedAt, soakUntil }: WaveStatus,
  rules: ReturnType<typeof waveRules>,
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
    ...{ openedAt, completedAt, soakUntil, code: cut(reason), ...rules },
    ...(limit !== undefined && { limit }),
  };
}

type BesideRollout = Readonly<{
  /** Returns the package of a FleetOperator. Returns undefined if it no longer exists. */
  packageOf: (operator: string) => string | undefined;
  /** Decisions about it, the newest first. Undefined if they are not known. */
  decisions: readonly RolloutDecision[] | undefined;
  /** The paths of its clusters. Undefined if they are not known. */
  paths: RolloutPaths | undefined;
  /** False if its subject has a newer rollout. */
  isNewest: boolean;
  /** The number of clusters that it has changed, or may have. */
  changed: number;
  /** Returns the answers of a gate of a wave. Empty if none is known. */
  gatesOf: GatesOf;
}>;
type GatesOf = (wave: string, gate: string) => readonly ShownGateAnswer[];

export function fleetRolloutRow(
  { metadata, spec, status }: FleetRollout,
  { packageOf, decisions, paths, isNewest, changed, gatesOf }: BesideRollout,
): FleetRolloutRow | undefined {
  const read = Status.safeParse(status ?? {});
  if (!read.success) return undefined;
  const { phase, reason, message, startedAt, finishedAt, waves, failures, classes, conditions } = read.data;
  const rules = rulesOf(spec.strategy.waves);
  const isWithdrawn = isTrue(conditions, TARGET_WITHDRAWN);
  const { kind, name } = spec.subject;
  const { bundle, catalogDigest } = spec.target;
  const ofPackage = kind === 'FleetOperator' ? packageOf(name) : undefined;
  return {
    id: `${metadata.namespace}/${metadata.name}`,
    package: ofPackage ?? name,
    ...(ofPackage !== undefined && { packageKnown: true as const }),
    target: kind === 'FleetOperator' ? bundle : (catalogDigest ?? bundle),
    ...{
      phase: cut(phase),
      reason: cut(reasonInWords(reason)),
      code: cut(reason),
      message: cut(reasonsInWords(message)),
      startedAt,
      finishedAt,
    },
    ...(isWithdrawn && { withdrawn: true as const }),
    newest: isNewest,
    changed,
    ...(deniesReturns(spec.strategy.approval) && { returnsDenied: true as const }),
    // The wave for clusters that no other wave takes exists even without clusters.
    waves: waves
      .filter(({ members }, at) => members > 0 || at === 0)
      .map((wave) => waveRow(wave, waveRules(rules.get(wave.name), wave, gatesOf))),
    failures: failures.slice(0, 10).map((one) => ({
      ...{ reason: cut(reasonInWords(one.reason)), cause: cut(one.cause), clusters: one.clusters },
      sample: one.sample.slice(0, 5),
    })),
    classes: classes
      .filter(({ approval }) => approval === 'Waiting')
      .slice(0, 10)
      .map(({ hash, clusters, reason, changes }) => ({
        ...{ hash: cut(hash), clusters, changes: changes.slice(0, MOST_CHANGES).map(cut) },
        ...(reason === 'Lapsed' && { lapsed: true as const }),
      })),
    ...(paths && { paths }),
    ...(decisions && { decisions: decisions.slice(0, MOST_DECISIONS) }),
    moreDecisions: Math.max(0, (decisions?.length ?? 0) - MOST_DECISIONS),
  };
}
