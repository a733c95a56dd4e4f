import { z } from 'zod';
import { KubernetesObject } from './kubernetes-object.js';

/** The only OLMConfig that has an effect (spec: csv-lifecycle.md §10). */
export const OLM_CONFIG_API = { apiVersion: 'operators.coreos.com/v1', kind: 'OLMConfig' } as const;
export const OLM_CONFIG_NAME = 'cluster';

export const OlmConfig = KubernetesObject.and(
  z.looseObject({
    spec: z.looseObject({ features: z.looseObject({ disableCopiedCSVs: z.boolean().nullish() }).nullish() }).nullish(),
    status: z
      .looseObject({
        conditions: z
          .array(
            z.looseObject({
              type: z.string(),
              status: z.string(),
              reason: z.string(),
              message: z.string(),
              lastTransitionTime: z.string(),
            }),
          )
          .nullish(),
      })
      .nullish(),
  }),
);
/** Settings of OLM for a whole cluster. */
export type OlmConfig = z.infer<typeof OlmConfig>;
