import type { z } from 'zod';
import { kindSchema, structSchema } from '../go-types/typed-schema.js';
import { KIND } from './kinds.js';
import type { ObjectMeta } from './kubernetes-object.js';

/** status.conditions[] of a Subscription (spec: api-types.md §3). */
export type SubscriptionCondition = {
  [field: string]: unknown;
  type: string;
  status: string;
  reason?: string | undefined;
  message?: string | undefined;
  lastHeartbeatTime?: string | undefined;
  lastTransitionTime?: string | undefined;
};

/** A reference to an object. Each of its fields may be absent. */
type Reference = {
  [field: string]: unknown;
  apiVersion?: string | undefined;
  kind?: string | undefined;
  name?: string | undefined;
  namespace?: string | undefined;
  uid?: string | undefined;
  resourceVersion?: string | undefined;
};

export type CatalogHealth = {
  [field: string]: unknown;
  catalogSourceRef: Reference;
  healthy: boolean;
  lastUpdated?: string | null | undefined;
};

export type SubscriptionStatus = {
  [field: string]: unknown;
  currentCSV?: string | undefined;
  installedCSV?: string | undefined;
  installplan?: { [field: string]: unknown; apiVersion: string; kind: string; name: string; uuid: string } | undefined;
  installPlanRef?: (Reference & { name: string }) | undefined;
  installPlanGeneration?: number | undefined;
  state?: string | undefined;
  reason?: string | undefined;
  catalogHealth?: CatalogHealth[] | undefined;
  conditions?: SubscriptionCondition[] | undefined;
  lastUpdated?: string | null | undefined;
};

export const SubscriptionStatus: z.ZodType<SubscriptionStatus> = structSchema('alpha.SubscriptionStatus');

export const SUBSCRIPTION_API = KIND.Subscription;

export type Subscription = {
  [field: string]: unknown;
  apiVersion: typeof SUBSCRIPTION_API.apiVersion;
  kind: typeof SUBSCRIPTION_API.kind;
  metadata: ObjectMeta;
  spec: {
    [field: string]: unknown;
    name: string;
    channel?: string | undefined;
    startingCSV?: string | undefined;
    installPlanApproval?: string | undefined; // OLM takes any other text as Automatic: so do we
    source: string;
    sourceNamespace: string;
    config?: Record<string, unknown> | undefined;
  };
  status?: SubscriptionStatus | undefined;
};

export const Subscription: z.ZodType<Subscription> = kindSchema(SUBSCRIPTION_API, 'alpha.Subscription');
