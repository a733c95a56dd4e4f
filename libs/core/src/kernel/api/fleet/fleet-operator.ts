import { z } from 'zod';
import * as pattern from './field-patterns.js';
import {
  AnyObject,
  ClusterSelector,
  type FieldRule,
  FLEET_API,
  Name,
  NameRef,
  NamespacedMetadata,
  NamespaceName,
  namespaceList,
  OneWord,
  Subdomain,
  Time,
  withRules,
} from './fleet-fields.js';
import { ClusterCounts, Conditions } from './fleet-status-fields.js';

const MOST_OVERRIDES = 16;
const MOST_LIST = 64;

const immutable = (field: string) => ({ rule: 'self == oldSelf', message: `${field} is immutable` });
const Range = z.string().max(256);

/**
 * Returns the rule of a field with ranges in the dialect of its API. `unset`: CEL that is true if the field
 * is absent; `each`: the rule for its ranges.
 */
function rangeRule(field: string, unset: string, each: (is: (range: string) => string) => string): FieldRule {
  const matches = (dialect: RegExp) => each((range) => `${range}.matches(r'${dialect.source}')`);
  const rule = `${unset} || (self.api == 'V1' ? ${matches(pattern.V1_RANGE)} : ${matches(pattern.CLASSIC_RANGE)})`;
  return { rule, message: `${field} must have ranges of versions`, isServers: true };
}

const CatalogRef = withRules(
  z.strictObject({
    fleetCatalog: Subdomain.optional(),
    name: Subdomain.optional(),
    namespace: NamespaceName.optional(),
  }),
  {
    rule: 'has(self.fleetCatalog) ? !has(self.name) && !has(self.namespace) : has(self.name)',
    message: 'catalog needs either fleetCatalog, or name and namespace',
  },
);

const Classic = z.strictObject({
  channel: OneWord.optional(),
  config: AnyObject.optional(),
  operatorGroup: z
    .strictObject({
      manage: z.enum(['Create', 'Adopt', 'Use']).default('Create'),
      targetNamespaces: namespaceList(MOST_LIST).optional(),
      serviceAccountName: Subdomain.optional(),
    })
    .optional(),
});

const V1 = z.strictObject({
  channels: z.array(Subdomain).max(MOST_LIST).optional(),
  serviceAccountName: Subdomain.optional(),
  config: AnyObject.optional(),
  upgradeConstraintPolicy: z.enum(['CatalogProvided', 'SelfCertified']).optional(),
});

const FleetOperatorSpec = withRules(
  z.strictObject({
    package: withRules(OneWord, immutable('package')),
    namespace: withRules(NamespaceName, immutable('namespace')),
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
          channel: OneWord.optional(),
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
  rangeRule('versions.range', '!has(self.versions) || !has(self.versions.range)', (is) => is('self.versions.range')),
  rangeRule(
    'versions.deny',
    '!has(self.versions) || !has(self.versions.deny)',
    (is) => `self.versions.deny.all(r, ${is('r')})`,
  ),
  rangeRule('overrides', '!has(self.overrides)', (is) => `self.overrides.all(o, !has(o.range) || ${is('o.range')})`),
);

export const MOST_VERSIONS_SHOWN = 20;
export const MOST_DENIED_SHOWN = 20;
const Bundle = z.string().max(512);

/** The outcome of a FleetOperator in its clusters (design: fleet.md §1.3). */
export const FleetOperatorStatus = z.strictObject({
  active: Name.optional(),
  standing: Name.optional(),
  counts: ClusterCounts.optional(),
  done: z.string().max(32).optional(),
  versions: z.array(z.strictObject({ bundle: Bundle, clusters: z.int().min(0) })).max(MOST_VERSIONS_SHOWN),
  denied: z
    .array(
      z.strictObject({
        bundle: Bundle,
        digest: z.string().max(128).optional(),
        rollout: z.string().max(512).optional(),
        since: Time.optional(),
      }),
    )
    .max(MOST_DENIED_SHOWN),
  conditions: Conditions,
});
export type FleetOperatorStatus = z.infer<typeof FleetOperatorStatus>;

/** The reason to refuse the name of a FleetOperator. */
export const NAME_OF_CATALOG = 'must not begin with "catalog-": rollouts of catalogs have such names';

/** An operator that is rolled out over clusters. */
export const FleetOperator = z.strictObject({
  apiVersion: z.literal(FLEET_API),
  kind: z.literal('FleetOperator'),
  metadata: NamespacedMetadata.refine(({ name }) => !name.startsWith('catalog-'), {
    path: ['name'],
    message: NAME_OF_CATALOG,
  }),
  spec: FleetOperatorSpec,
  status: z.unknown().optional(),
});
export type FleetOperator = z.infer<typeof FleetOperator>;
