import { equal, isObject, type JsonObject } from '../objects/json.js';
import type { MergeSchema } from '../schema/merge-schema.js';

/**
 * Applies Kubernetes' strategic merge patch: a merge patch that merges known lists by key. It understands
 * `$patch: replace|delete`, `$deleteFromPrimitiveList/…` and `$retainKeys`, and ignores `$setElementOrder/…`.
 */
export function strategicMerge(target: unknown, patch: unknown, schema: MergeSchema): unknown {
  if (!isObject(patch)) return patch;
  if (patch.$patch === 'replace') return withoutDirectives(patch);
  if (patch.$patch === 'delete') return {};
  const result: JsonObject = isObject(target) ? { ...target } : {};
  retainKeys(result, patch);
  for (const [field, value] of Object.entries(patch)) {
    if (field.startsWith('$')) deleteFromPrimitives(result, field, value);
    else if (value === null) delete result[field];
    else result[field] = mergeField(result[field], value, schema.field(field));
  }
  return result;
}

function mergeField(target: unknown, value: unknown, schema: MergeSchema): unknown {
  if (isObject(value)) return strategicMerge(target, value, schema);
  if (!Array.isArray(value)) return value;
  const before = Array.isArray(target) ? target : [];
  if (schema.list === 'map') return mergeByKey(before, value, schema);
  if (schema.list === 'set') return [...before, ...value.filter((item) => !before.includes(item))];
  return value.map(withoutDirectives);
}

function mergeByKey(before: readonly unknown[], patch: readonly unknown[], schema: MergeSchema): unknown[] {
  const [key = ''] = schema.keys;
  const replaceAll = patch.some(
    (item) => isObject(item) && item.$patch === 'replace' && Object.keys(item).length === 1,
  );
  const result = replaceAll ? [] : [...before];
  for (const item of patch) {
    if (!isObject(item) || (item.$patch === 'replace' && Object.keys(item).length === 1)) continue;
    const index = result.findIndex((old) => isObject(old) && equal(old[key], item[key]));
    if (item.$patch === 'delete') {
      if (index >= 0) result.splice(index, 1);
    } else if (index >= 0) result[index] = strategicMerge(result[index], item, schema.item());
    else result.push(withoutDirectives(item));
  }
  return result;
}

function retainKeys(result: JsonObject, patch: JsonObject): void {
  const keep = patch.$retainKeys;
  if (!Array.isArray(keep)) return;
  for (const field of Object.keys(result)) if (!keep.includes(field)) delete result[field];
}

function deleteFromPrimitives(result: JsonObject, directive: string, gone: unknown): void {
  const field = /^\$deleteFromPrimitiveList\/(.+)$/.exec(directive)?.[1];
  const list = field === undefined ? undefined : result[field];
  if (field !== undefined && Array.isArray(list) && Array.isArray(gone)) {
    result[field] = list.filter((item) => !gone.includes(item));
  }
}

function withoutDirectives(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutDirectives);
  if (!isObject(value)) return value;
  const kept = Object.entries(value).filter(([field, inner]) => !field.startsWith('$') && inner !== null);
  return Object.fromEntries(kept.map(([field, inner]) => [field, withoutDirectives(inner)]));
}
