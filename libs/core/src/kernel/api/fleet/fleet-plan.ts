import { z } from 'zod';
import { FLEET_API, Name, NamespacedMetadata, Text, withRules } from './fleet-fields.js';
import { CHANGES, ChangeKind } from './fleet-strategy.js';

const MOST_HOPS = 20;
const MOST_ENTRIES = 500;
const Bundle = z.string().min(1).max(512);
const Hash = z.string().min(1).max(128);
const Lines = z.array(Text).max(MOST_ENTRIES);

const FleetPlanSpec = withRules(
  z.strictObject({
    hash: Hash,
    path: z
      .array(
        z.strictObject({
          from: Bundle.optional(),
          to: Bundle,
          version: z.string().max(256).optional(),
          digest: Hash.optional(),
          hopHash: Hash,
        }),
      )
      .min(1)
      .max(MOST_HOPS),
    changes: z.array(ChangeKind).max(CHANGES.length),
    /** Deprecations by its catalog: of the package, the channel, the bundle. */
    deprecations: Lines.default([]),
    images: z.strictObject({ added: Lines.default([]), removed: Lines.default([]) }).optional(),
    crds: z
      .array(
        z.strictObject({
          name: Name,
          adds: Lines.default([]),
          removes: Lines.default([]),
          storage: z.string().max(63).optional(),
          breaking: Lines.default([]),
          owners: Lines.default([]),
        }),
      )
      .max(MOST_ENTRIES)
      .default([]),
    rbac: z.strictObject({ added: Lines.default([]), removed: Lines.default([]) }).optional(),
    webhooks: Lines.default([]),
    dependencies: Lines.default([]),
    neighbours: Lines.default([]),
    objects: z
      .strictObject({ created: Lines.default([]), changed: Lines.default([]), deleted: Lines.default([]) })
      .optional(),
  }),
  { rule: 'self == oldSelf', message: 'a plan is immutable' },
);

/** The reviewed content of a plan class, kept as long as its rollout. */
export const FleetPlan = z.strictObject({
  apiVersion: z.literal(FLEET_API),
  kind: z.literal('FleetPlan'),
  metadata: NamespacedMetadata,
  spec: FleetPlanSpec,
  status: z.unknown().optional(),
});
export type FleetPlan = z.infer<typeof FleetPlan>;
