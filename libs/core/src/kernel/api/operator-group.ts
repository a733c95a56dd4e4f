import type { z } from 'zod';
import { kindSchema } from '../go-types/typed-schema.js';
import type { LabelSelector } from '../labels/label-selector.js';
import { KIND } from './kinds.js';
import type { ObjectMeta } from './kubernetes-object.js';

export const OPERATOR_GROUP_API = KIND.OperatorGroup;

/** Spec: api-types.md §6. `status.namespaces` of `['']` means all namespaces. */
export type OperatorGroup = {
  [field: string]: unknown;
  apiVersion: string;
  kind: typeof OPERATOR_GROUP_API.kind;
  metadata: ObjectMeta;
  spec?:
    | {
        [field: string]: unknown;
        selector?: LabelSelector | undefined;
        targetNamespaces?: string[] | undefined;
        serviceAccountName?: string | undefined;
        staticProvidedAPIs?: boolean | undefined;
        upgradeStrategy?: string | undefined;
      }
    | undefined;
  status?:
    | {
        [field: string]: unknown;
        namespaces?: string[] | undefined;
        lastUpdated?: string | null | undefined;
        serviceAccountRef?: Record<string, unknown> | undefined;
        conditions?: { [field: string]: unknown; type: string; status: string }[] | undefined;
      }
    | undefined;
};

export const OperatorGroup: z.ZodType<OperatorGroup> = kindSchema(OPERATOR_GROUP_API, 'operators.OperatorGroup', true);
