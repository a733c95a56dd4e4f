import type { z } from 'zod';
import { kindSchema } from '../go-types/typed-schema.js';
import type { LabelSelector } from '../labels/label-selector.js';
import type { CatalogCondition } from './cluster-catalog.js';
import { KIND } from './kinds.js';
import type { KubernetesObject, ObjectMeta } from './kubernetes-object.js';

export const CLUSTER_OBJECT_SET_API = KIND.ClusterObjectSet;

/** Condition for adopting objects that already exist (spec: v1-apply.md §7). */
export type CollisionProtection = 'Prevent' | 'IfNoController' | 'None';

/** The place of an object's manifest: one key of a Secret. */
type ObjectSource = { [field: string]: unknown; name: string; namespace?: string | undefined; key: string };

/** Exactly one of `object` and `ref`. */
type PhaseObject = {
  [field: string]: unknown;
  object?: KubernetesObject | undefined;
  ref?: ObjectSource | undefined;
  collisionProtection?: CollisionProtection | undefined;
};

export type RevisionPhase = {
  [field: string]: unknown;
  name: string;
  objects: PhaseObject[];
  collisionProtection?: CollisionProtection | undefined;
};

export type ProgressionProbe = {
  [field: string]: unknown;
  selector: {
    [field: string]: unknown;
    type: string;
    groupKind?: { [field: string]: unknown; group: string; kind: string } | undefined;
    label?: LabelSelector | undefined;
  };
  assertions: {
    [field: string]: unknown;
    type: string;
    conditionEqual?: { [field: string]: unknown; type: string; status: string } | undefined;
    fieldsEqual?: { [field: string]: unknown; fieldA: string; fieldB: string } | undefined;
    fieldValue?: { [field: string]: unknown; fieldPath: string; value: string } | undefined;
  }[];
};

/**
 * A revision of a ClusterExtension: the objects that it wants in the cluster at one time (spec: v1-apply.md
 * §7).
 */
export type ClusterObjectSet = {
  [field: string]: unknown;
  apiVersion: typeof CLUSTER_OBJECT_SET_API.apiVersion;
  kind: typeof CLUSTER_OBJECT_SET_API.kind;
  metadata: ObjectMeta;
  spec: {
    [field: string]: unknown;
    lifecycleState: string;
    revision: number;
    phases?: RevisionPhase[] | undefined;
    collisionProtection?: CollisionProtection | undefined;
    progressionProbes?: ProgressionProbe[] | undefined;
    progressDeadlineMinutes?: number | undefined;
  };
  status?:
    | {
        [field: string]: unknown;
        conditions?: CatalogCondition[] | undefined;
        observedPhases?: { [field: string]: unknown; name: string; digest: string }[] | undefined;
      }
    | undefined;
};

export const ClusterObjectSet: z.ZodType<ClusterObjectSet> = kindSchema(
  CLUSTER_OBJECT_SET_API,
  'olmv1.ClusterObjectSet',
);
