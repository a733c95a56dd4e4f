import { z } from 'zod';
import {
  ClusterMetadata,
  FLEET_API,
  Name,
  NameRef,
  NamespaceName,
  namespaceList,
  Time,
  withRules,
} from './fleet-fields.js';

const MOST_NAMESPACES = 64;

const FleetClusterSpec = withRules(
  z.strictObject({
    access: z.strictObject({
      secretRef: NameRef.optional(),
      observeSecretRef: NameRef.optional(),
      context: Name.optional(),
    }),
    uid: Name.optional(),
    paused: z.boolean().default(false),
    globalCatalogNamespace: NamespaceName.optional(),
    allowedNamespaces: namespaceList(MOST_NAMESPACES).optional(),
  }),
  {
    rule: 'has(self.access.secretRef) != has(self.access.context)',
    message: 'access needs exactly one of secretRef and context',
  },
  {
    rule: '!has(oldSelf.uid) || (has(self.uid) && self.uid == oldSelf.uid)',
    message: 'uid is immutable once it is set',
  },
);

const Fact = z.string().max(256);

/** What is reported of a FleetCluster, as the CRD declares it. */
export const FleetClusterStatusFields = z.strictObject({
  uid: z.string().max(128).describe('UID of its namespace kube-system').optional(),
  version: z.string().max(128).describe('Of its API server').optional(),
  credentialsExpireAt: Time.describe('When the login of the hub ends').optional(),
  facts: z
    .looseObject({
      distribution: Fact.optional(),
      arches: z.array(Fact).max(64).describe('Architectures of its nodes').optional(),
      nodes: z.int().min(0).describe('How many nodes it has').optional(),
      provider: Fact.describe('Of most of its nodes').optional(),
      claims: z.record(z.string(), Fact).describe('What its owner says in ConfigMap cluster-claims').optional(),
    })
    .describe('What selectors may ask about it')
    .optional(),
  operators: z
    .int()
    .min(0)
    .describe('How many operators are installed, each Subscription and ClusterExtension')
    .optional(),
  missingRights: z
    .strictObject({
      poller: z.array(Fact).max(256).describe('Of ClusterRole flotilla:observe').optional(),
      applier: z.array(Fact).max(256).describe('Of ClusterRole flotilla:apply').optional(),
    })
    .describe('What the logins of the hub lack there')
    .optional(),
  conditions: z
    .array(
      z.looseObject({
        type: Name,
        status: z.enum(['True', 'False', 'Unknown']),
        reason: Fact.optional(),
        message: z.string().max(32_768).optional(),
        lastTransitionTime: Time.optional(),
      }),
    )
    .max(16)
    .meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['type'] })
    .optional(),
});

/** A cluster of the fleet. */
export const FleetCluster = z.strictObject({
  apiVersion: z.literal(FLEET_API),
  kind: z.literal('FleetCluster'),
  metadata: ClusterMetadata,
  spec: FleetClusterSpec,
  status: z.unknown().optional(),
});
export type FleetCluster = z.infer<typeof FleetCluster>;
