import { z } from 'zod';
import { ObjectMeta } from './kubernetes-object.js';

export const CSV_API = { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'ClusterServiceVersion' } as const;
export const CSV_CLEANUP_FINALIZER = 'operators.coreos.com/csv-cleanup';

export const PolicyRule = z.looseObject({
  verbs: z.array(z.string()).optional(),
  apiGroups: z.array(z.string()).optional(),
  resources: z.array(z.string()).optional(),
  resourceNames: z.array(z.string()).optional(),
  nonResourceURLs: z.array(z.string()).optional(),
});
export type PolicyRule = z.infer<typeof PolicyRule>;

/** Rules wanted for one service account of the operator. */
export const StrategyPermission = z.looseObject({
  serviceAccountName: z.string(),
  rules: z.array(PolicyRule).optional(),
});
export type StrategyPermission = z.infer<typeof StrategyPermission>;

export const StrategyDeployment = z.looseObject({
  name: z.string(),
  label: z.record(z.string(), z.string()).optional(),
  spec: z.looseObject({}),
});
export type StrategyDeployment = z.infer<typeof StrategyDeployment>;

export const CrdDescription = z.looseObject({ name: z.string(), version: z.string(), kind: z.string() });
export type CrdDescription = z.infer<typeof CrdDescription>;

export const ApiServiceDescription = z.looseObject({
  name: z.string(),
  group: z.string(),
  version: z.string(),
  kind: z.string(),
  deploymentName: z.string().optional(),
  containerPort: z.number().optional(),
});
export type ApiServiceDescription = z.infer<typeof ApiServiceDescription>;

/**
 * One webhook of an operator; what the API server reads of it passes through as it is
 * (spec: csv-lifecycle.md §7).
 */
export const WebhookDescription = z.looseObject({
  generateName: z.string(),
  type: z.string(),
  deploymentName: z.string().optional(),
  containerPort: z.number().optional(),
  targetPort: z.union([z.number(), z.string()]).optional(),
  webhookPath: z.string().optional(),
  admissionReviewVersions: z.array(z.string()).optional(),
  conversionCRDs: z.array(z.string()).nullish(),
});
export type WebhookDescription = z.infer<typeof WebhookDescription>;

export const RequirementDependent = z.looseObject({
  group: z.string(),
  version: z.string(),
  kind: z.string(),
  status: z.string(),
  uuid: z.string().optional(),
  message: z.string().optional(),
});

/** One line of status.requirementStatus (spec: csv-lifecycle.md §4). */
export const RequirementStatus = z.looseObject({
  group: z.string(),
  version: z.string(),
  kind: z.string(),
  name: z.string(),
  status: z.string(),
  message: z.string(),
  uuid: z.string().optional(),
  dependents: z.array(RequirementDependent).optional(),
});
export type RequirementStatus = z.infer<typeof RequirementStatus>;

/** History entry: appended when phase or reason changes, at most 20 kept (spec: api-types.md §5). */
export const CsvCondition = z.looseObject({
  phase: z.string().optional(),
  reason: z.string().optional(),
  message: z.string().optional(),
  lastUpdateTime: z.string().optional(),
  lastTransitionTime: z.string().optional(),
});
export type CsvCondition = z.infer<typeof CsvCondition>;

export const CsvStatus = z.looseObject({
  phase: z.string().optional(),
  reason: z.string().optional(),
  message: z.string().optional(),
  lastUpdateTime: z.string().nullable().optional(),
  lastTransitionTime: z.string().nullable().optional(),
  conditions: z.array(CsvCondition).optional(),
  requirementStatus: z.array(RequirementStatus).optional(),
  certsLastUpdated: z.string().nullable().optional(),
  certsRotateAt: z.string().nullable().optional(),
  cleanup: z.looseObject({}).optional(),
});
export type CsvStatus = z.infer<typeof CsvStatus>;

/** Spec: api-types.md §5. */
export const ClusterServiceVersion = z.looseObject({
  apiVersion: z.literal(CSV_API.apiVersion),
  kind: z.literal(CSV_API.kind),
  metadata: ObjectMeta,
  spec: z.looseObject({
    displayName: z.string().optional(),
    version: z.string().optional(),
    replaces: z.string().optional(),
    skips: z.array(z.string()).optional(),
    minKubeVersion: z.string().optional(),
    install: z
      .looseObject({
        strategy: z.string(),
        spec: z
          .looseObject({
            deployments: z.array(StrategyDeployment).nullable().optional(),
            permissions: z.array(StrategyPermission).nullable().optional(),
            clusterPermissions: z.array(StrategyPermission).nullable().optional(),
          })
          .optional(),
      })
      .optional(),
    customresourcedefinitions: z
      .looseObject({
        owned: z.array(CrdDescription).nullable().optional(),
        required: z.array(CrdDescription).nullable().optional(),
      })
      .optional(),
    apiservicedefinitions: z
      .looseObject({
        owned: z.array(ApiServiceDescription).nullable().optional(),
        required: z.array(ApiServiceDescription).nullable().optional(),
      })
      .optional(),
    nativeAPIs: z
      .array(z.looseObject({ group: z.string(), version: z.string(), kind: z.string() }))
      .nullable()
      .optional(),
    installModes: z
      .array(z.looseObject({ type: z.string(), supported: z.boolean() }))
      .nullable()
      .optional(),
    webhookdefinitions: z.array(WebhookDescription).nullable().optional(),
  }),
  status: CsvStatus.optional(),
});
export type ClusterServiceVersion = z.infer<typeof ClusterServiceVersion>;
