import { z } from 'zod';
import { ObjectMeta } from './kubernetes-object.js';

export const OPERATOR_CONDITION_API = { apiVersion: 'operators.coreos.com/v2', kind: 'OperatorCondition' } as const;

const StatusCondition = z.looseObject({
  type: z.string(),
  status: z.string(),
  reason: z.string().optional(),
  message: z.string().optional(),
  observedGeneration: z.number().optional(),
  lastTransitionTime: z.string().optional(),
});

/**
 * Spec: api-types.md §7. The operator itself writes `spec.conditions`; we copy them into `status.conditions`.
 */
export const OperatorCondition = z.looseObject({
  apiVersion: z.string(),
  kind: z.literal(OPERATOR_CONDITION_API.kind),
  metadata: ObjectMeta,
  spec: z
    .looseObject({
      serviceAccounts: z.array(z.string()).optional(),
      deployments: z.array(z.string()).optional(),
      overrides: z.array(StatusCondition).optional(),
      conditions: z.array(StatusCondition).optional(),
    })
    .optional(),
  status: z.looseObject({ conditions: z.array(StatusCondition).optional() }).optional(),
});
export type OperatorCondition = z.infer<typeof OperatorCondition>;
