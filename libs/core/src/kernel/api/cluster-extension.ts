import type { z } from 'zod';
import { kindSchema } from '../go-types/typed-schema.js';
import type { LabelSelector } from '../labels/label-selector.js';
import type { CatalogCondition } from './cluster-catalog.js';
import { KIND } from './kinds.js';
import type { ObjectMeta } from './kubernetes-object.js';

export const CLUSTER_EXTENSION_API = KIND.ClusterExtension;

/** Conditions of OLM v1's kinds have one form. */
type Condition = CatalogCondition;

type CatalogFilter = {
  [field: string]: unknown;
  packageName: string;
  version?: string | undefined;
  channels?: string[] | undefined;
  selector?: LabelSelector | undefined;
  upgradeConstraintPolicy?: string | undefined;
};

type Install = {
  [field: string]: unknown;
  preflight?:
    | {
        [field: string]: unknown;
        crdUpgradeSafety?: { [field: string]: unknown; enforcement: string } | undefined;
      }
    | undefined;
};

type Status = {
  [field: string]: unknown;
  conditions?: Condition[] | undefined;
  install?:
    | {
        [field: string]: unknown;
        bundle: { [field: string]: unknown; name: string; version: string; release?: string | undefined };
      }
    | undefined;
  activeRevisions?: { [field: string]: unknown; name: string; conditions?: Condition[] | undefined }[] | undefined;
};

/**
 * Spec: v1-extension.md. Rules of the CRD are not checked here again: clusters may carry older definitions.
 */
export type ClusterExtension = {
  [field: string]: unknown;
  apiVersion: typeof CLUSTER_EXTENSION_API.apiVersion;
  kind: typeof CLUSTER_EXTENSION_API.kind;
  metadata: ObjectMeta;
  spec: {
    [field: string]: unknown;
    namespace: string;
    serviceAccount?: { [field: string]: unknown; name?: string | undefined } | undefined;
    source: { [field: string]: unknown; sourceType: string; catalog?: CatalogFilter | undefined };
    install?: Install | undefined;
    config?: { [field: string]: unknown; configType: string; inline?: Record<string, unknown> | undefined } | undefined;
    progressDeadlineMinutes?: number | undefined;
  };
  status?: Status | undefined;
};

export const ClusterExtension: z.ZodType<ClusterExtension> = kindSchema(
  CLUSTER_EXTENSION_API,
  'olmv1.ClusterExtension',
);
