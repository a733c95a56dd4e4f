import type { z } from 'zod';
import { kindSchema } from '../go-types/typed-schema.js';
import { KIND } from './kinds.js';
import type { ObjectMeta } from './kubernetes-object.js';

export const INSTALL_PLAN_API = KIND.InstallPlan;

/** One object that a plan creates (spec: api-types.md §4). `manifest` is JSON text. */
export type InstallPlanStep = {
  [field: string]: unknown;
  resolving: string;
  status: string;
  optional?: boolean | undefined;
  resource: {
    [field: string]: unknown;
    sourceName: string;
    sourceNamespace: string;
    group: string;
    version: string;
    kind: string;
    name: string;
    manifest?: string | undefined;
  };
};

export type InstallPlanCondition = {
  [field: string]: unknown;
  type: string;
  status: string;
  reason?: string | undefined;
  message?: string | undefined;
  lastUpdateTime?: string | undefined;
  lastTransitionTime?: string | undefined;
};

export type InstallPlanStatus = {
  [field: string]: unknown;
  phase: string;
  catalogSources: string[];
  conditions?: InstallPlanCondition[] | undefined;
  plan?: (InstallPlanStep | null)[] | undefined;
  bundleLookups?: Record<string, unknown>[] | undefined;
  attenuatedServiceAccountRef?: Record<string, unknown> | undefined;
  startTime?: string | undefined;
  message?: string | undefined;
};

export type InstallPlan = {
  [field: string]: unknown;
  apiVersion: typeof INSTALL_PLAN_API.apiVersion;
  kind: typeof INSTALL_PLAN_API.kind;
  metadata: ObjectMeta;
  spec: {
    [field: string]: unknown;
    approval: string;
    approved: boolean;
    clusterServiceVersionNames: string[];
    generation?: number | undefined;
  };
  status?: InstallPlanStatus | undefined;
};

export const InstallPlan: z.ZodType<InstallPlan> = kindSchema(INSTALL_PLAN_API, 'alpha.InstallPlan');
