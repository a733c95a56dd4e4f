import { z } from 'zod';
import { Name, Time } from './fleet-fields.js';

const MOST_CONDITIONS = 16;

/** Conditions as Kubernetes has them; a writer owns those of its own types. */
export const Conditions = z
  .array(
    z.strictObject({
      type: Name,
      status: z.enum(['True', 'False', 'Unknown']),
      reason: Name,
      message: z.string().max(32_768),
      lastTransitionTime: Time,
      observedGeneration: z.int().optional(),
    }),
  )
  .max(MOST_CONDITIONS)
  .meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['type'] });

const Count = z.int().min(0);
/** How many clusters are in each phase. */
export const ClusterCounts = z.strictObject({
  ...{ targets: Count, waiting: Count, applying: Count, verifying: Count, done: Count, failed: Count },
  ...{ rollingBack: Count, rolledBack: Count, skipped: Count },
});

/** A reason or a phase: one word. */
export const Word = z.string().max(63);
