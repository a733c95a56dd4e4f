import { z } from 'zod';
import {
  AnyObject,
  ClusterSelector,
  FLEET_API,
  Name,
  NameRef,
  NamespacedMetadata,
  namespaceList,
  withRules,
} from './fleet-fields.js';

const MOST_OVERRIDES = 16;
const MOST_LIST = 64;

const immutable = (field: string) => ({ rule: 'self == oldSelf', message: `${field} is immutable` });
const Range = z.string().max(256);

const CatalogRef = withRules(
  z.strictObject({ fleetCatalog: Name.optional(), name: Name.optional(), namespace: Name.optional() }),
  {
    rule: 'has(self.fleetCatalog) ? !has(self.name) && !has(self.namespace) : has(self.name)',
    message: 'catalog needs either fleetCatalog, or name and namespace',
  },
);

const Classic = z.strictObject({
  channel: Name.optional(),
  config: AnyObject.optional(),
  operatorGroup: z
    .strictObject({
      manage: z.enum(['Create', 'Adopt', 'Use']).default('Create'),
      targetNamespaces: namespaceList(MOST_LIST).optional(),
      serviceAccountName: Name.optional(),
    })
    .optional(),
});

const V1 = z.strictObject({
  channels: z.array(Name).max(MOST_LIST).optional(),
  serviceAccountName: Name.optional(),
  config: AnyObject.optional(),
  upgradeConstraintPolicy: z.enum(['CatalogProvided', 'SelfCertified']).optional(),
});

const FleetOperatorSpec = withRules(
  z.strictObject({
    package: withRules(Name, immutable('package')),
    namespace: withRules(Name, immutable('namespace')),
    api: withRules(z.enum(['Classic', 'V1']), immutable('api')).default('Classic'),
    catalog: CatalogRef,
    classic: Classic.optional(),
    v1: V1.optional(),
    versions: z.strictObject({ range: Range.optional(), deny: z.array(Range).max(MOST_LIST).optional() }).optional(),
    clusters: ClusterSelector.optional(),
    overrides: z
      .array(
        z.strictObject({
          clusters: ClusterSelector,
          channel: Name.optional(),
          range: Range.optional(),
          config: AnyObject.optional(),
        }),
      )
      .max(MOST_OVERRIDES)
      .optional(),
    strategyRef: NameRef.optional(),
    adopt: z.boolean().default(false),
    drift: z.enum(['Correct', 'Report']).default('Correct'),
    removal: z.enum(['Keep', 'Delete']).default('Keep'),
    paused: z.boolean().default(false),
    historyLimit: z.int().min(0).max(100).default(10),
  }),
  {
    rule: "self.api == 'Classic' ? !has(self.v1) : !has(self.classic)",
    message: 'classic goes with api Classic, v1 with api V1',
  },
);

/** An operator that is rolled out over clusters. */
export const FleetOperator = z.strictObject({
  apiVersion: z.literal(FLEET_API),
  kind: z.literal('FleetOperator'),
  metadata: NamespacedMetadata.refine(({ name }) => !name.startsWith('catalog-'), {
    path: ['name'],
    message: 'must not begin with "catalog-": roll-outs of catalogs have such names',
  }),
  spec: FleetOperatorSpec,
  status: z.unknown().optional(),
});
export type FleetOperator = z.infer<typeof FleetOperator>;
