import { z } from 'zod';
import { ClusterMetadata, FLEET_API, Name, NameRef, namespaceList, withRules } from './fleet-fields.js';

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
    globalCatalogNamespace: Name.optional(),
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

/** A cluster of the fleet. */
export const FleetCluster = z.strictObject({
  apiVersion: z.literal(FLEET_API),
  kind: z.literal('FleetCluster'),
  metadata: ClusterMetadata,
  spec: FleetClusterSpec,
  status: z.unknown().optional(),
});
export type FleetCluster = z.infer<typeof FleetCluster>;
