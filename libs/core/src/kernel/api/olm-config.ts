import type { z } from 'zod';
import { kindSchema } from '../go-types/typed-schema.js';
import { KIND } from './kinds.js';
import type { KubernetesObject } from './kubernetes-object.js';

/** The only OLMConfig that has an effect (spec: csv-lifecycle.md §10). */
export const OLM_CONFIG_API = KIND.OLMConfig;
export const OLM_CONFIG_NAME = 'cluster';

/** Settings of OLM for a whole cluster. */
export type OlmConfig = KubernetesObject & {
  spec?:
    | {
        [field: string]: unknown;
        features?: { [field: string]: unknown; disableCopiedCSVs?: boolean | undefined } | undefined;
      }
    | undefined;
  status?:
    | {
        [field: string]: unknown;
        conditions?:
          | {
              [field: string]: unknown;
              type: string;
              status: string;
              reason: string;
              message: string;
              lastTransitionTime: string;
            }[]
          | undefined;
      }
    | undefined;
};

export const OlmConfig: z.ZodType<OlmConfig> = kindSchema(OLM_CONFIG_API, 'operators.OLMConfig', true);
