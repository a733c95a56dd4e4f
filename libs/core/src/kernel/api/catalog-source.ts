import type { z } from 'zod';
import { kindSchema } from '../go-types/typed-schema.js';
import { KIND } from './kinds.js';
import type { ObjectMeta } from './kubernetes-object.js';

export const CATALOG_SOURCE_API = KIND.CatalogSource;

/**
 * Spec: api-types.md §2. `sourceType` and `interval` are plain strings there: bad values
 * are reported, not refused.
 */
export type CatalogSource = {
  [field: string]: unknown;
  apiVersion: typeof CATALOG_SOURCE_API.apiVersion;
  kind: typeof CATALOG_SOURCE_API.kind;
  metadata: ObjectMeta;
  spec: {
    [field: string]: unknown;
    sourceType: string;
    priority?: number | undefined;
    configMap?: string | undefined;
    address?: string | undefined;
    image?: string | undefined;
    updateStrategy?:
      | {
          [field: string]: unknown;
          registryPoll?: { [field: string]: unknown; interval?: string | undefined } | undefined;
        }
      | undefined;
    secrets?: string[] | undefined;
    displayName?: string | undefined;
    publisher?: string | undefined;
  };
  status?:
    | {
        [field: string]: unknown;
        message?: string | undefined;
        reason?: string | undefined;
        latestImageRegistryPoll?: string | undefined;
        connectionState?:
          | {
              [field: string]: unknown;
              address?: string | undefined;
              lastObservedState: string;
              lastConnect?: string | undefined;
            }
          | undefined;
        registryService?: Record<string, unknown> | undefined;
        configMapReference?: Record<string, unknown> | undefined;
        conditions?: unknown[] | undefined;
      }
    | undefined;
};

export const CatalogSource: z.ZodType<CatalogSource> = kindSchema(CATALOG_SOURCE_API, 'alpha.CatalogSource');
