import type { ApiObject } from './api-object.js';
import type { MergeSchema } from './merge-schema.js';
import { strategicMerge } from './strategic-merge.js';

/** Who writes what, where and when: the row of managedFields a write belongs to. */
export type FieldChange = Readonly<{
  manager: string;
  apiVersion: string;
  time: string;
  subresource?: string;
  schema: MergeSchema;
  /** Whether the main endpoint ignores status. */
  resetsStatus: boolean;
}>;

export function trackUpdate(_live: ApiObject | undefined, next: ApiObject, _change: FieldChange): ApiObject {
  return next;
}

export function trackApply(
  live: ApiObject | undefined,
  config: ApiObject,
  change: FieldChange,
  _force: boolean,
): { object: ApiObject } {
  return { object: strategicMerge(live ?? {}, config, change.schema) as ApiObject };
}

/** The object without the times of its managedFields: a write that changes nothing else is no write. */
export function withoutFieldTimes(object: ApiObject): ApiObject {
  const { managedFields, ...metadata } = object.metadata;
  const rows = managedFields?.map(({ time: _, ...row }) => row) ?? [];
  return { ...object, metadata: { ...metadata, managedFields: rows } } as unknown as ApiObject;
}
