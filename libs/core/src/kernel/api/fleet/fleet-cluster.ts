import { z } from 'zod';
import { LOGIN_FORMATS } from './fleet-cluster-source.js';
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

/** The Secret with a login: in the namespace of the hub, unless it names another. */
const LoginRef = NameRef.extend({ namespace: NamespaceName.optional(), format: z.enum(LOGIN_FORMATS).optional() });
export type LoginRef = z.infer<typeof LoginRef>;

const FleetClusterSpec = withRules(
  z.strictObject({
    access: z.strictObject({
      secretRef: LoginRef.optional(),
      observeSecretRef: LoginRef.optional(),
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

/** Status of a FleetCluster, as the CRD declares it. */
export const FleetClusterStatusFields = z.strictObject({
  uid: z.string().max(128).optional(),
  version: z.string().max(128).optional(),
  credentialsExpireAt: Time.optional(),
  credentialsRenewedFrom: Time.optional(),
  lastAnswerAt: Time.optional(),
  facts: z
    .looseObject({
      distribution: Fact.optional(),
      arches: z.array(Fact).max(64).optional(),
      nodes: z.int().min(0).optional(),
      provider: Fact.optional(),
      claims: z.record(z.string(), Fact).optional(),
    })
    .optional(),
  operators: z.int().min(0).optional(),
  missingRights: z
    .strictObject({
      poller: z.array(Fact).max(256).optional(),
      applier: z.array(Fact).max(256).optional(),
    })
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
