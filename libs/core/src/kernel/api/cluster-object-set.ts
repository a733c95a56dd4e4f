import { z } from 'zod';
import { CatalogCondition } from './cluster-catalog.js';
import { KubernetesObject, ObjectMeta } from './kubernetes-object.js';

export const CLUSTER_OBJECT_SET_API = { apiVersion: 'olm.operatorframework.io/v1', kind: 'ClusterObjectSet' } as const;

/** Whether objects that are there already may be taken over (spec: v1-apply.md §7). */
const CollisionProtection = z.enum(['Prevent', 'IfNoController', 'None']);
export type CollisionProtection = z.infer<typeof CollisionProtection>;

/** Where the manifest of an object lies: one key of a Secret. */
const ObjectSource = z.looseObject({ name: z.string(), namespace: z.string().optional(), key: z.string() });

/** Exactly one of `object` and `ref`. */
const PhaseObject = z.looseObject({
  object: KubernetesObject.optional(),
  ref: ObjectSource.optional(),
  collisionProtection: CollisionProtection.optional(),
});

const Phase = z.looseObject({
  name: z.string(),
  objects: z.array(PhaseObject),
  collisionProtection: CollisionProtection.optional(),
});
export type RevisionPhase = z.infer<typeof Phase>;

const ProgressionProbe = z.looseObject({
  selector: z.looseObject({
    type: z.string(),
    groupKind: z.looseObject({ group: z.string(), kind: z.string() }).optional(),
    label: z
      .looseObject({
        matchLabels: z.record(z.string(), z.string()).optional(),
        matchExpressions: z
          .array(z.looseObject({ key: z.string(), operator: z.string(), values: z.array(z.string()).optional() }))
          .optional(),
      })
      .optional(),
  }),
  assertions: z.array(
    z.looseObject({
      type: z.string(),
      conditionEqual: z.looseObject({ type: z.string(), status: z.string() }).optional(),
      fieldsEqual: z.looseObject({ fieldA: z.string(), fieldB: z.string() }).optional(),
      fieldValue: z.looseObject({ fieldPath: z.string(), value: z.string() }).optional(),
    }),
  ),
});
export type ProgressionProbe = z.infer<typeof ProgressionProbe>;

/** A revision of a ClusterExtension: what it wants of the cluster at one time (spec: v1-apply.md §7). */
export const ClusterObjectSet = z.looseObject({
  apiVersion: z.literal(CLUSTER_OBJECT_SET_API.apiVersion),
  kind: z.literal(CLUSTER_OBJECT_SET_API.kind),
  metadata: ObjectMeta,
  spec: z.looseObject({
    lifecycleState: z.string(),
    revision: z.number(),
    phases: z.array(Phase).optional(),
    collisionProtection: CollisionProtection.optional(),
    progressionProbes: z.array(ProgressionProbe).optional(),
    progressDeadlineMinutes: z.number().optional(),
  }),
  status: z
    .looseObject({
      conditions: z.array(CatalogCondition).optional(),
      observedPhases: z.array(z.looseObject({ name: z.string(), digest: z.string() })).optional(),
    })
    .optional(),
});
export type ClusterObjectSet = z.infer<typeof ClusterObjectSet>;
