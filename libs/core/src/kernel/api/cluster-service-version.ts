import type { z } from 'zod';
import type { Decoded } from '../go-types/decoded.js';
import { readTyped } from '../go-types/read-typed.js';
import { kindSchema, structSchema } from '../go-types/typed-schema.js';
import { writtenTyped } from '../go-types/write-typed.js';
import { KIND } from './kinds.js';
import type { ObjectMeta } from './kubernetes-object.js';

export const CSV_API = KIND.ClusterServiceVersion;
export const CSV_CLEANUP_FINALIZER = 'operators.coreos.com/csv-cleanup';

export type PolicyRule = {
  [field: string]: unknown;
  verbs?: string[] | undefined;
  apiGroups?: string[] | undefined;
  resources?: string[] | undefined;
  resourceNames?: string[] | undefined;
  nonResourceURLs?: string[] | undefined;
};
export const PolicyRule: z.ZodType<PolicyRule> = structSchema('rbac.PolicyRule');

/** Rules wanted for one service account of the operator. */
export type StrategyPermission = {
  [field: string]: unknown;
  serviceAccountName: string;
  rules?: PolicyRule[] | undefined;
};
export const StrategyPermission: z.ZodType<StrategyPermission> = structSchema('alpha.StrategyDeploymentPermissions');

export type StrategyDeployment = {
  [field: string]: unknown;
  name: string;
  label?: Record<string, string> | undefined;
  spec: Record<string, unknown>;
};
export const StrategyDeployment: z.ZodType<StrategyDeployment> = structSchema('alpha.StrategyDeploymentSpec');

export type CrdDescription = { [field: string]: unknown; name: string; version: string; kind: string };

export type ApiServiceDescription = {
  [field: string]: unknown;
  name: string;
  group: string;
  version: string;
  kind: string;
  deploymentName?: string | undefined;
  containerPort?: number | undefined;
};

/**
 * One webhook of an operator. The fields that the API server reads pass through unchanged (spec:
 * csv-lifecycle.md §7).
 */
export type WebhookDescription = {
  [field: string]: unknown;
  generateName: string;
  type: string;
  deploymentName?: string | undefined;
  containerPort?: number | undefined;
  targetPort?: number | string | undefined;
  webhookPath?: string | undefined;
  admissionReviewVersions?: string[] | undefined;
  conversionCRDs?: string[] | null | undefined;
};

type RequirementDependent = {
  [field: string]: unknown;
  group: string;
  version: string;
  kind: string;
  status: string;
  uuid?: string | undefined;
  message?: string | undefined;
};

/** One line of status.requirementStatus (spec: csv-lifecycle.md §4). */
export type RequirementStatus = {
  [field: string]: unknown;
  group: string;
  version: string;
  kind: string;
  name: string;
  status: string;
  message: string;
  uuid?: string | undefined;
  dependents?: RequirementDependent[] | undefined;
};

/** History entry: appended when phase or reason changes, at most 20 kept (spec: api-types.md §5). */
export type CsvCondition = {
  [field: string]: unknown;
  phase?: string | undefined;
  reason?: string | undefined;
  message?: string | undefined;
  lastUpdateTime?: string | undefined;
  lastTransitionTime?: string | undefined;
};

export type CsvStatus = {
  [field: string]: unknown;
  phase?: string | undefined;
  reason?: string | undefined;
  message?: string | undefined;
  lastUpdateTime?: string | null | undefined;
  lastTransitionTime?: string | null | undefined;
  conditions?: CsvCondition[] | undefined;
  requirementStatus?: RequirementStatus[] | undefined;
  certsLastUpdated?: string | null | undefined;
  certsRotateAt?: string | null | undefined;
  cleanup?: Record<string, unknown> | undefined;
};
export const CsvStatus: z.ZodType<CsvStatus> = structSchema('alpha.ClusterServiceVersionStatus');

type NamedKind = { [field: string]: unknown; group: string; version: string; kind: string };

/** Spec: api-types.md §5. */
export type ClusterServiceVersion = {
  [field: string]: unknown;
  apiVersion: typeof CSV_API.apiVersion;
  kind: typeof CSV_API.kind;
  metadata: ObjectMeta;
  spec: {
    [field: string]: unknown;
    displayName?: string | undefined;
    version?: string | undefined;
    replaces?: string | undefined;
    skips?: string[] | undefined;
    minKubeVersion?: string | undefined;
    install?: { [field: string]: unknown; strategy: string; spec?: StrategyDetails | undefined } | undefined;
    customresourcedefinitions?: Descriptions<CrdDescription> | undefined;
    apiservicedefinitions?: Descriptions<ApiServiceDescription> | undefined;
    nativeAPIs?: NamedKind[] | null | undefined;
    installModes?: { [field: string]: unknown; type: string; supported: boolean }[] | null | undefined;
    webhookdefinitions?: WebhookDescription[] | null | undefined;
  };
  status?: CsvStatus | undefined;
};

type StrategyDetails = {
  [field: string]: unknown;
  deployments?: StrategyDeployment[] | null | undefined;
  permissions?: StrategyPermission[] | null | undefined;
  clusterPermissions?: StrategyPermission[] | null | undefined;
};

type Descriptions<T> = {
  [field: string]: unknown;
  owned?: T[] | null | undefined;
  required?: T[] | null | undefined;
};

const TYPE = 'alpha.ClusterServiceVersion';

export const ClusterServiceVersion: z.ZodType<ClusterServiceVersion> = kindSchema(CSV_API, TYPE);

/** Reads a CSV of any apiVersion: OLM reads the CSV of a bundle into its type, with any API that it names. */
export const readCsv = (value: unknown): Decoded<ClusterServiceVersion> => readTyped(TYPE, value);

/** Returns a CSV as OLM writes it into the step of a plan, and from there to the cluster. */
export const writtenCsv = (value: unknown): Decoded<ClusterServiceVersion> => writtenTyped(TYPE, value);
