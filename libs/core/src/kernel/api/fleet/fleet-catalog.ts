import { z } from 'zod';
import * as pattern from './field-patterns.js';
import {
  ClusterSelector,
  duration,
  FLEET_API,
  NameRef,
  NamespacedMetadata,
  NamespaceName,
  Subdomain,
  Text,
  Time,
  withRules,
} from './fleet-fields.js';
import { Conditions } from './fleet-status-fields.js';

const ONE_MINUTE = 60_000;

const MOST_PRIORITY = 2_147_483_647;
const Priority = z
  .int()
  .min(-MOST_PRIORITY - 1)
  .max(MOST_PRIORITY);

const FleetCatalogSpec = withRules(
  z.strictObject({
    image: z.string().min(1).max(512).meta({ pattern: pattern.IMAGE.source }),
    pollInterval: duration(ONE_MINUTE).default('10m'),
    catalogSource: z
      .strictObject({
        name: Subdomain,
        namespace: NamespaceName.optional(),
        priority: Priority.optional(),
        displayName: Text.optional(),
        secrets: z.array(Subdomain).max(16).optional(),
      })
      .optional(),
    clusterCatalog: z.strictObject({ name: Subdomain, priority: Priority.optional() }).optional(),
    clusters: ClusterSelector.optional(),
    strategyRef: NameRef.optional(),
    paused: z.boolean().default(false),
    promotion: z.enum(['WithOperators', 'Staged']).default('WithOperators'),
    adopt: z.boolean().default(false),
  }),
  {
    rule: 'has(self.catalogSource) || has(self.clusterCatalog)',
    message: 'at least one of catalogSource and clusterCatalog is needed',
  },
  {
    rule: "self.promotion != 'Staged' || has(self.strategyRef)",
    message: 'promotion Staged needs strategyRef',
  },
  {
    rule: "self.promotion != 'Staged' || has(self.catalogSource)",
    message: 'promotion Staged needs catalogSource, the only thing that is promoted',
  },
);

const MOST_REVISIONS = 10;
/** The poller's report about a FleetCatalog: the current digest of its image, and earlier ones. */
export const FleetCatalogStatus = z.looseObject({
  current: z.string().optional(),
  revisions: z
    .array(z.looseObject({ digest: z.string(), seenAt: z.string(), packages: z.number() }))
    .max(MOST_REVISIONS)
    .optional(),
});
export type FleetCatalogStatus = z.infer<typeof FleetCatalogStatus>;

export const MOST_DIGESTS_SHOWN = 10;
const Outcome = z.strictObject({
  clusters: z.int().min(0).optional(),
  digests: z
    .array(z.strictObject({ digest: z.string().max(128), clusters: z.int().min(0) }))
    .max(MOST_DIGESTS_SHOWN)
    .optional(),
  conditions: Conditions.optional(),
});
/** The controller's report about a Staged FleetCatalog, in addition to the conditions of others. */
export const FleetCatalogOutcome = z.object(Outcome.shape);

/** The whole status, as the CRD declares it. */
export const FleetCatalogStatusFields = Outcome.extend({
  current: z.string().max(128).optional(),
  revisions: z
    .array(z.strictObject({ digest: z.string().max(128), seenAt: Time, packages: z.int().min(0) }))
    .max(MOST_REVISIONS)
    .optional(),
});

/** A catalog image that is given to clusters by digest. */
export const FleetCatalog = z.strictObject({
  apiVersion: z.literal(FLEET_API),
  kind: z.literal('FleetCatalog'),
  metadata: NamespacedMetadata,
  spec: FleetCatalogSpec,
  status: z.unknown().optional(),
});
export type FleetCatalog = z.infer<typeof FleetCatalog>;
