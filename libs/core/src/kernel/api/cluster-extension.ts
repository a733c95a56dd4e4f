import { z } from 'zod';
import { CatalogCondition } from './cluster-catalog.js';
import { ObjectMeta } from './kubernetes-object.js';

export const CLUSTER_EXTENSION_API = { apiVersion: 'olm.operatorframework.io/v1', kind: 'ClusterExtension' } as const;

const Labels = z.record(z.string(), z.string());
const LabelExpression = z.looseObject({
  key: z.string(),
  operator: z.string(),
  values: z.array(z.string()).optional(),
});

/** Conditions of OLM v1's kinds have one form. */
const Condition = CatalogCondition;

const CatalogFilter = z.looseObject({
  packageName: z.string(),
  version: z.string().optional(),
  channels: z.array(z.string()).optional(),
  selector: z
    .looseObject({ matchLabels: Labels.optional(), matchExpressions: z.array(LabelExpression).optional() })
    .optional(),
  upgradeConstraintPolicy: z.string().optional(),
});

const Install = z.looseObject({
  preflight: z.looseObject({ crdUpgradeSafety: z.looseObject({ enforcement: z.string() }).optional() }).optional(),
});

const Status = z.looseObject({
  conditions: z.array(Condition).optional(),
  install: z
    .looseObject({
      bundle: z.looseObject({ name: z.string(), version: z.string(), release: z.string().optional() }),
    })
    .optional(),
  activeRevisions: z.array(z.looseObject({ name: z.string(), conditions: z.array(Condition).optional() })).optional(),
});

/**
 * Spec: v1-extension.md. What the CRD refuses is not refused here again: clusters may
 * carry older definitions.
 */
export const ClusterExtension = z.looseObject({
  apiVersion: z.literal(CLUSTER_EXTENSION_API.apiVersion),
  kind: z.literal(CLUSTER_EXTENSION_API.kind),
  metadata: ObjectMeta,
  spec: z.looseObject({
    namespace: z.string(),
    serviceAccount: z.looseObject({ name: z.string().optional() }).optional(),
    source: z.looseObject({ sourceType: z.string(), catalog: CatalogFilter.optional() }),
    install: Install.optional(),
    config: z.looseObject({ configType: z.string(), inline: z.record(z.string(), z.unknown()).optional() }).optional(),
    progressDeadlineMinutes: z.number().optional(),
  }),
  status: Status.optional(),
});
export type ClusterExtension = z.infer<typeof ClusterExtension>;
