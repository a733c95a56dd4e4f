import { z } from 'zod';
import { ObjectMeta } from './kubernetes-object.js';

export const OPERATOR_GROUP_API = { apiVersion: 'operators.coreos.com/v1', kind: 'OperatorGroup' } as const;

/** Spec: api-types.md §6. `status.namespaces` of `['']` means all namespaces. */
export const OperatorGroup = z.looseObject({
  apiVersion: z.string(),
  kind: z.literal(OPERATOR_GROUP_API.kind),
  metadata: ObjectMeta,
  spec: z
    .looseObject({
      selector: z
        .looseObject({
          matchLabels: z.record(z.string(), z.string()).optional(),
          matchExpressions: z
            .array(z.looseObject({ key: z.string(), operator: z.string(), values: z.array(z.string()).optional() }))
            .optional(),
        })
        .optional(),
      targetNamespaces: z.array(z.string()).optional(),
      serviceAccountName: z.string().optional(),
      staticProvidedAPIs: z.boolean().optional(),
      upgradeStrategy: z.string().optional(),
    })
    .optional(),
  status: z
    .looseObject({
      namespaces: z.array(z.string()).optional(),
      lastUpdated: z.string().nullable().optional(),
      serviceAccountRef: z.looseObject({}).optional(),
      conditions: z.array(z.looseObject({ type: z.string(), status: z.string() })).optional(),
    })
    .optional(),
});
export type OperatorGroup = z.infer<typeof OperatorGroup>;
