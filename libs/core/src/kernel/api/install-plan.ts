import { z } from 'zod';
import { ObjectMeta } from './kubernetes-object.js';

export const INSTALL_PLAN_API = { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'InstallPlan' } as const;

/** One object that a plan creates (spec: api-types.md §4). `manifest` is JSON text. */
export const InstallPlanStep = z.looseObject({
  resolving: z.string(),
  status: z.string(),
  optional: z.boolean().optional(),
  resource: z.looseObject({
    sourceName: z.string(),
    sourceNamespace: z.string(),
    group: z.string(),
    version: z.string(),
    kind: z.string(),
    name: z.string(),
    manifest: z.string().optional(),
  }),
});
export type InstallPlanStep = z.infer<typeof InstallPlanStep>;

export const InstallPlanCondition = z.looseObject({
  type: z.string(),
  status: z.string(),
  reason: z.string().optional(),
  message: z.string().optional(),
  lastUpdateTime: z.string().optional(),
  lastTransitionTime: z.string().optional(),
});
export type InstallPlanCondition = z.infer<typeof InstallPlanCondition>;

export const InstallPlanStatus = z.looseObject({
  phase: z.string(),
  catalogSources: z.array(z.string()),
  conditions: z.array(InstallPlanCondition).optional(),
  plan: z.array(InstallPlanStep.nullable()).optional(),
  bundleLookups: z.array(z.looseObject({})).optional(),
  attenuatedServiceAccountRef: z.looseObject({}).optional(),
  startTime: z.string().optional(),
  message: z.string().optional(),
});
export type InstallPlanStatus = z.infer<typeof InstallPlanStatus>;

export const InstallPlan = z.looseObject({
  apiVersion: z.literal(INSTALL_PLAN_API.apiVersion),
  kind: z.literal(INSTALL_PLAN_API.kind),
  metadata: ObjectMeta,
  spec: z.looseObject({
    approval: z.string(),
    approved: z.boolean(),
    clusterServiceVersionNames: z.array(z.string()),
    generation: z.number().optional(),
  }),
  status: InstallPlanStatus.optional(),
});
export type InstallPlan = z.infer<typeof InstallPlan>;
