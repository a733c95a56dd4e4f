import { z } from 'zod';
import { FLEET_API, Name, NamespacedMetadata, withRules } from './fleet-fields.js';
import { StrategySpec } from './fleet-strategy.js';

const MOST_WAVES = 17;
const Hash = z.string().min(1).max(128);

/** What a roll-out brings its subject to. */
export const RolloutTarget = z.strictObject({
  specHash: Hash.optional(),
  catalogDigest: Hash.optional(),
  bundle: z.string().min(1).max(512),
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
  { rule: 'self == oldSelf', message: 'a roll-out is immutable' },
);

/** One change on its way through the fleet; what was fixed at its start is in `spec`. */
export const FleetRollout = z.strictObject({
  apiVersion: z.literal(FLEET_API),
  kind: z.literal('FleetRollout'),
  metadata: NamespacedMetadata,
  spec: FleetRolloutSpec,
  status: z.unknown().optional(),
});
export type FleetRollout = z.infer<typeof FleetRollout>;
