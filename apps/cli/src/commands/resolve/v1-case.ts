import { z } from 'zod';

const Labels = z.record(z.string(), z.string());

/** spec.source.catalog, as far as resolution reads it. */
const CatalogQuery = z.object({
  packageName: z.string(),
  version: z.string().optional(),
  channels: z.array(z.string()).optional(),
  selector: z
    .object({
      matchLabels: Labels.optional(),
      matchExpressions: z
        .array(z.object({ key: z.string(), operator: z.string(), values: z.array(z.string()).optional() }))
        .optional(),
    })
    .optional(),
  upgradeConstraintPolicy: z.string().optional(),
});

/** One resolution of OLM v1 as a JSON value; unknown keys are ignored. */
export const V1Case = z.object({
  name: z.string().default(''),
  featureGates: z.object({ BundleReleaseSupport: z.boolean().default(false) }).prefault({}),
  catalogs: z
    .array(
      z.object({
        name: z.string().min(1),
        labels: Labels.default({}),
        priority: z.int().default(0),
        availabilityMode: z.string().default('Available'),
        /** True if the catalog's Serving condition is True. */
        serving: z.boolean().default(true),
        /** Blobs of the catalog, inline. */
        metas: z.array(z.record(z.string(), z.unknown())).default([]),
      }),
    )
    .default([]),
  spec: z.object({ source: z.object({ catalog: CatalogQuery }) }),
  installed: z
    .object({
      name: z.string(),
      version: z.string(),
      release: z.string().optional(),
      image: z.string().optional(),
    })
    .nullish(),
  majorUpdates: z.enum(['follow', 'manual']).default('follow'),
});
export type V1Case = z.infer<typeof V1Case>;
export type V1Catalog = V1Case['catalogs'][number];
