import type { z } from 'zod';
import { kindSchema } from '../go-types/typed-schema.js';
import { KIND } from './kinds.js';
import type { ObjectMeta } from './kubernetes-object.js';

export const OPERATOR_CONDITION_API = KIND.OperatorCondition;

type StatusCondition = {
  [field: string]: unknown;
  type: string;
  status: string;
  reason?: string | undefined;
  message?: string | undefined;
  observedGeneration?: number | undefined;
  lastTransitionTime?: string | undefined;
};

/**
 * Spec: api-types.md §7. The operator itself writes `spec.conditions`; we copy them into `status.conditions`.
 */
export type OperatorCondition = {
  [field: string]: unknown;
  apiVersion: string;
  kind: typeof OPERATOR_CONDITION_API.kind;
  metadata: ObjectMeta;
  spec?:
    | {
        [field: string]: unknown;
        serviceAccounts?: string[] | undefined;
        deployments?: string[] | undefined;
        overrides?: StatusCondition[] | undefined;
        conditions?: StatusCondition[] | undefined;
      }
    | undefined;
  status?: { [field: string]: unknown; conditions?: StatusCondition[] | undefined } | undefined;
};

export const OperatorCondition: z.ZodType<OperatorCondition> = kindSchema(
  OPERATOR_CONDITION_API,
  'operatorsv2.OperatorCondition',
  true,
);
