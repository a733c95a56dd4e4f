import { z } from 'zod';
import { ClusterMetadata, FLEET_API, NamespaceName, Selector, Text, Time, withRules } from './fleet-fields.js';
import { Conditions } from './fleet-status-fields.js';

/** Tools with Secrets that hold the login of a cluster. */
export const LOGIN_FORMATS = ['ArgoCD', 'ClusterAPI', 'Rancher'] as const;
/** Tools that know clusters. */
const IMPORT_TOOLS = [...LOGIN_FORMATS, 'OCM'] as const;
export type LoginFormat = (typeof LOGIN_FORMATS)[number];
export type ImportTool = (typeof IMPORT_TOOLS)[number];

/** A label has the name of the source as its value. */
const LONGEST_NAME = 63;

/** `namespace` is a word of CEL: rules name the field as an API server escapes it. */
const FleetClusterSourceSpec = withRules(
  z.strictObject({
    from: z.enum(IMPORT_TOOLS),
    namespace: NamespaceName.optional(),
    selector: Selector.optional(),
    namePrefix: NamespaceName.max(32).optional(),
    paused: z.boolean().default(false),
  }),
  {
    rule: "(self.from == 'OCM') != has(self.__namespace__)",
    message: 'namespace goes with every tool but OCM: its ManagedClusters have none',
  },
  {
    rule: 'self.from == oldSelf.from',
    message: 'from is immutable: make another FleetClusterSource',
  },
  {
    rule: 'has(self.__namespace__) == has(oldSelf.__namespace__) && (!has(self.__namespace__) || self.__namespace__ == oldSelf.__namespace__)',
    message: 'namespace is immutable: make another FleetClusterSource',
  },
);

/** Lists of a status have at most this many entries; counts say how many there are. */
export const MOST_LISTED = 50;
const Count = z.int().min(0);

/** Status of a FleetClusterSource, as the CRD declares it. */
export const FleetClusterSourceStatus = z.strictObject({
  observedGeneration: z.int().optional(),
  clusters: Count.optional(),
  refused: z
    .array(z.strictObject({ object: Text, message: Text }))
    .max(MOST_LISTED)
    .optional(),
  refusedCount: Count.optional(),
  left: z
    .array(z.strictObject({ cluster: Text, since: Time }))
    .max(MOST_LISTED)
    .optional(),
  leftCount: Count.optional(),
  role: z.string().max(8_192).optional(),
  conditions: Conditions.optional(),
});
export type FleetClusterSourceStatus = z.infer<typeof FleetClusterSourceStatus>;

/** Clusters of another tool that are kept in step as FleetClusters. */
export const FleetClusterSource = z.strictObject({
  apiVersion: z.literal(FLEET_API),
  kind: z.literal('FleetClusterSource'),
  metadata: ClusterMetadata.refine(({ name }) => name.length <= LONGEST_NAME, {
    path: ['name'],
    error: `must have at most ${LONGEST_NAME} characters`,
  }),
  spec: FleetClusterSourceSpec,
  status: z.unknown().optional(),
});
export type FleetClusterSource = z.infer<typeof FleetClusterSource>;
