import { z } from 'zod';
import { ObjectMeta } from './kubernetes-object.js';

export const CLUSTER_CATALOG_API = { apiVersion: 'olm.operatorframework.io/v1', kind: 'ClusterCatalog' } as const;

export const CatalogCondition = z.looseObject({
  type: z.string(),
  status: z.string(),
  reason: z.string(),
  message: z.string(),
  lastTransitionTime: z.string(),
  observedGeneration: z.number().optional(),
});
export type CatalogCondition = z.infer<typeof CatalogCondition>;

/**
 * Spec: v1-catalog.md §1. What the CRD refuses is not refused here again: clusters may
 * carry older definitions.
 */
export const ClusterCatalog = z.looseObject({
  apiVersion: z.literal(CLUSTER_CATALOG_API.apiVersion),
  kind: z.literal(CLUSTER_CATALOG_API.kind),
  metadata: ObjectMeta,
  spec: z.looseObject({
    source: z.looseObject({
      type: z.string(),
      image: z.looseObject({ ref: z.string(), pollIntervalMinutes: z.number().optional() }).optional(),
    }),
    priority: z.number().optional(),
    availabilityMode: z.string().optional(),
  }),
  status: z
    .looseObject({
      conditions: z.array(CatalogCondition).optional(),
      resolvedSource: z
        .looseObject({ type: z.string(), image: z.looseObject({ ref: z.string() }).optional() })
        .optional(),
      urls: z.looseObject({ base: z.string() }).optional(),
      lastUnpacked: z.string().optional(),
    })
    .optional(),
});
export type ClusterCatalog = z.infer<typeof ClusterCatalog>;
