import { z } from 'zod';
import { FLEET_API, Name, NamespacedMetadata, Text, Time, withRules } from './fleet-fields.js';
import { ClusterCounts, Conditions, Word } from './fleet-status-fields.js';
import { CHANGES, ChangeKind, StrategySpec } from './fleet-strategy.js';

const MOST_WAVES = 17;
const Hash = z.string().min(1).max(128);

/** The target to which a rollout brings its subject. */
const RolloutTarget = z.strictObject({
  specHash: Hash.optional(),
  catalogDigest: Hash.optional(),
  bundle: z.string().min(1).max(512),
  specOnly: z.boolean().optional(),
});

const FleetRolloutSpec = withRules(
  z.strictObject({
    subject: z.strictObject({ kind: z.enum(['FleetOperator', 'FleetCatalog']), name: Name }),
    number: z.int().min(1),
    trigger: z.enum(['SpecChange', 'CatalogChange', 'Retry']),
    target: RolloutTarget,
    strategy: StrategySpec,
    /** The last cluster that each share takes, as its place in the order; empty: none. */
    cuts: z
      .array(z.strictObject({ wave: z.string().min(1).max(63), cut: z.string().max(16) }))
      .max(MOST_WAVES)
      .default([]),
  }),
  { rule: 'self == oldSelf', message: 'a rollout is immutable' },
);

export const MOST_CLASSES_SHOWN = 50;
export const MOST_FAILURES = 10;
export const MOST_SAMPLED = 5;

/**
 * The progress and outcome of a rollout. All of it follows from the rollout and its rows (design: fleet.md
 * §1.7).
 */
export const FleetRolloutStatus = z.strictObject({
  phase: Word,
  reason: Word,
  message: Text.optional(),
  wave: z.string().max(80).optional(),
  counts: ClusterCounts,
  waves: z
    .array(
      z.strictObject({
        name: z.string().max(63),
        phase: Word,
        reason: Word,
        members: z.int().min(0),
        limit: z.int().min(0),
        counts: ClusterCounts,
        openedAt: Time.optional(),
        soakUntil: Time.optional(),
        completedAt: Time.optional(),
        redGate: z.string().max(63).optional(),
      }),
    )
    .max(MOST_WAVES),
  classes: z
    .array(
      z.strictObject({
        hash: Hash,
        clusters: z.int().min(0),
        changes: z.array(ChangeKind).max(CHANGES.length),
        approval: Word,
        reason: Word.optional(),
      }),
    )
    .max(MOST_CLASSES_SHOWN),
  failures: z
    .array(
      z.strictObject({
        reason: Word,
        cause: Text,
        clusters: z.int().min(1),
        sample: z.array(Name).max(MOST_SAMPLED),
      }),
    )
    .max(MOST_FAILURES),
  conditions: Conditions,
  startedAt: Time.optional(),
  phaseSince: Time.optional(),
  movedAt: Time.optional(),
  finishedAt: Time.optional(),
});
export type FleetRolloutStatus = z.infer<typeof FleetRolloutStatus>;

/** One change that is rolled out through the fleet. Facts fixed at its start are in `spec`. */
export const FleetRollout = z.strictObject({
  apiVersion: z.literal(FLEET_API),
  kind: z.literal('FleetRollout'),
  metadata: NamespacedMetadata,
  spec: FleetRolloutSpec,
  status: z.unknown().optional(),
});
export type FleetRollout = z.infer<typeof FleetRollout>;
