import type { ApiObject } from '../objects/api-object.js';
import type { JsonObject } from '../objects/json.js';
import type { StatusCause } from '../objects/refusal.js';
import type { MergeSchema } from '../schema/merge-schema.js';

export type PrinterColumn = Readonly<{
  name: string;
  type: string;
  jsonPath: string;
  description?: string;
  format?: string;
  priority?: number;
}>;

/** One column of a table, and how its cell is made. */
export type TableColumn = Readonly<{
  name: string;
  type: string;
  priority?: number;
  cell: (object: ApiObject) => unknown;
}>;

/** Paths of the replicas that a resource's Scale shows. */
export type ScalePaths = Readonly<{ specReplicas: string; statusReplicas: string; selector?: string | undefined }>;

/** Result of a custom resource's schema for an object: pruned and defaulted, with all findings. */
export type SchemaVerdict = Readonly<{
  object: ApiObject;
  unknownFields: readonly string[];
  causes: readonly StatusCause[];
  warnings: readonly string[];
}>;

/** One served API resource: the facts that handlers, discovery and controllers ask for. */
export type ResourceInfo = Readonly<{
  group: string;
  resource: string;
  singular: string;
  kind: string;
  listKind: string;
  namespaced: boolean;
  shortNames: readonly string[];
  categories: readonly string[];
  /** Served versions, the preferred one first. */
  versions: readonly string[];
  verbs: readonly string[];
  subresources: readonly string[];
  builtin: boolean;
  /** True if metadata.generation is kept. Custom resources always keep it. */
  generation: boolean;
  /** True if DELETE answers with the object instead of a Status. */
  returnsDeleted: boolean;
  selectableFields: readonly string[];
  mergeSchema: (version: string) => MergeSchema;
  printerColumns: (version: string) => readonly PrinterColumn[];
  /** Returns the paths if a version has the scale subresource. */
  scale: (version: string) => ScalePaths | undefined;
  /** The OpenAPI schema of a custom resource. */
  openApiSchema?: (version: string) => JsonObject | undefined;
  /** Only custom resources have one. */
  checkSchema?: (version: string, object: ApiObject, live: ApiObject | undefined) => SchemaVerdict;
}>;

export const resourceKey = (group: string, resource: string): string =>
  group === '' ? resource : `${resource}.${group}`;

export const hasStatus = (info: ResourceInfo): boolean => info.subresources.includes('status');
