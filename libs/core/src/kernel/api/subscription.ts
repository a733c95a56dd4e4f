import { z } from 'zod';
import { ObjectMeta } from './kubernetes-object.js';

/** status.conditions[] of a Subscription (spec: api-types.md §3). */
export const SubscriptionCondition = z.looseObject({
  type: z.string(),
  status: z.string(),
  reason: z.string().optional(),
  message: z.string().optional(),
  lastHeartbeatTime: z.string().optional(),
  lastTransitionTime: z.string().optional(),
});
export type SubscriptionCondition = z.infer<typeof SubscriptionCondition>;

export const PlanReference = z.looseObject({
  apiVersion: z.string().optional(),
  kind: z.string().optional(),
  name: z.string(),
  namespace: z.string().optional(),
  uid: z.string().optional(),
  resourceVersion: z.string().optional(),
});

export const CatalogHealth = z.looseObject({
  catalogSourceRef: z.looseObject({
    apiVersion: z.string().optional(),
    kind: z.string().optional(),
    name: z.string().optional(),
    namespace: z.string().optional(),
    uid: z.string().optional(),
    resourceVersion: z.string().optional(),
  }),
  healthy: z.boolean(),
  lastUpdated: z.string().nullable(),
});
export type CatalogHealth = z.infer<typeof CatalogHealth>;

export const SubscriptionStatus = z.looseObject({
  currentCSV: z.string().optional(),
  installedCSV: z.string().optional(),
  installplan: z
    .looseObject({ apiVersion: z.string(), kind: z.string(), name: z.string(), uuid: z.string() })
    .optional(),
  installPlanRef: PlanReference.optional(),
  installPlanGeneration: z.number().optional(),
  state: z.string().optional(),
  reason: z.string().optional(),
  catalogHealth: z.array(CatalogHealth).optional(),
  conditions: z.array(SubscriptionCondition).optional(),
  lastUpdated: z.string().nullable().optional(),
});
export type SubscriptionStatus = z.infer<typeof SubscriptionStatus>;

export const SUBSCRIPTION_API = { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'Subscription' } as const;

export const Subscription = z.looseObject({
  apiVersion: z.literal(SUBSCRIPTION_API.apiVersion),
  kind: z.literal(SUBSCRIPTION_API.kind),
  metadata: ObjectMeta,
  spec: z.looseObject({
    name: z.string(),
    channel: z.string().optional(),
    startingCSV: z.string().optional(),
    installPlanApproval: z.string().optional(), // OLM takes any other text as Automatic: so do we
    source: z.string(),
    sourceNamespace: z.string(),
    config: z.looseObject({}).optional(),
  }),
  status: SubscriptionStatus.optional(),
});
export type Subscription = z.infer<typeof Subscription>;
