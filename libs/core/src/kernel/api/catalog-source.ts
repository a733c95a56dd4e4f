import { z } from 'zod';
import { ObjectMeta } from './kubernetes-object.js';

export const CATALOG_SOURCE_API = { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'CatalogSource' } as const;

/**
 * Spec: api-types.md §2. `sourceType` and `interval` are plain strings there: bad values
 * are reported, not refused.
 */
export const CatalogSource = z.looseObject({
  apiVersion: z.literal(CATALOG_SOURCE_API.apiVersion),
  kind: z.literal(CATALOG_SOURCE_API.kind),
  metadata: ObjectMeta,
  spec: z.looseObject({
    sourceType: z.string(),
    priority: z.number().optional(),
    configMap: z.string().optional(),
    address: z.string().optional(),
    image: z.string().optional(),
    updateStrategy: z
      .looseObject({ registryPoll: z.looseObject({ interval: z.string().optional() }).optional() })
      .optional(),
    secrets: z.array(z.string()).optional(),
    displayName: z.string().optional(),
    publisher: z.string().optional(),
  }),
  status: z
    .looseObject({
      message: z.string().optional(),
      reason: z.string().optional(),
      latestImageRegistryPoll: z.string().optional(),
      connectionState: z
        .looseObject({
          address: z.string().optional(),
          lastObservedState: z.string(),
          lastConnect: z.string().optional(),
        })
        .optional(),
      registryService: z.looseObject({}).optional(),
      configMapReference: z.looseObject({}).optional(),
      conditions: z.array(z.unknown()).optional(),
    })
    .optional(),
});
export type CatalogSource = z.infer<typeof CatalogSource>;
