import type { z } from 'zod';
import { kindSchema } from '../go-types/typed-schema.js';
import { KIND } from './kinds.js';
import type { ObjectMeta } from './kubernetes-object.js';

export const CLUSTER_CATALOG_API = KIND.ClusterCatalog;

export type CatalogCondition = {
  [field: string]: unknown;
  type: string;
  status: string;
  reason: string;
  message: string;
  lastTransitionTime: string;
  observedGeneration?: number | undefined;
};

/**
 * Spec: v1-catalog.md §1. Rules of the CRD are not checked here again: clusters may carry older definitions.
 */
export type ClusterCatalog = {
  [field: string]: unknown;
  apiVersion: typeof CLUSTER_CATALOG_API.apiVersion;
  kind: typeof CLUSTER_CATALOG_API.kind;
  metadata: ObjectMeta;
  spec: {
    [field: string]: unknown;
    source: {
      [field: string]: unknown;
      type: string;
      image?: { [field: string]: unknown; ref: string; pollIntervalMinutes?: number | undefined } | undefined;
    };
    priority?: number | undefined;
    availabilityMode?: string | undefined;
  };
  status?:
    | {
        [field: string]: unknown;
        conditions?: CatalogCondition[] | undefined;
        resolvedSource?:
          | { [field: string]: unknown; type: string; image?: { [field: string]: unknown; ref: string } | undefined }
          | undefined;
        urls?: { [field: string]: unknown; base: string } | undefined;
        lastUnpacked?: string | undefined;
      }
    | undefined;
};

export const ClusterCatalog: z.ZodType<ClusterCatalog> = kindSchema(CLUSTER_CATALOG_API, 'olmv1.ClusterCatalog');
