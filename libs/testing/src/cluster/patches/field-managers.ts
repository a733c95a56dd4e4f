import { byCodeUnit } from '#core/kernel/canonical/canonical-json';
import type { ApiObject, ManagedFieldsEntry } from '../objects/api-object.js';
import { isObject, type JsonObject, objectAt } from '../objects/json.js';
import { Refusal, type StatusCause } from '../objects/refusal.js';
import { FieldSet, shownPath } from '../schema/field-set.js';
import type { MergeSchema } from '../schema/merge-schema.js';
import { compare, fieldsOf, mergeTyped, removeFields } from '../schema/typed-fields.js';

/** Manager, operation, API version and time: the row of managedFields a write belongs to. */
export type FieldChange = Readonly<{
  manager: string;
  apiVersion: string;
  time: string;
  subresource?: string;
  schema: MergeSchema;
  /** True if the main endpoint ignores status. */
  resetsStatus: boolean;
}>;

type Row = Omit<ManagedFieldsEntry, 'fieldsV1' | 'fieldsType'> & { fields: FieldSet };

const OWNED_METADATA = ['annotations', 'finalizers', 'labels', 'ownerReferences'];

/**
 * An update's effect on managedFields: changed fields are now its manager's. Objects
 * without managed fields stay so.
 */
export function trackUpdate(live: ApiObject | undefined, next: ApiObject, change: FieldChange): ApiObject {
  const rows = rowsOf(next);
  if (live !== undefined && rows.length === 0) return withRows(next, []);
  const difference = compare(live === undefined ? { metadata: {} } : ownable(live), ownable(next), change.schema);
  const touched = difference.modified.union(difference.added);
  const mine = (row: Row) => sameWriter(row, change, 'Update');
  const others = rows
    .filter((row) => !mine(row))
    .map((row) => ({ ...row, fields: row.fields.difference(touched).difference(difference.removed) }));
  const before = rows.find(mine);
  const fields = (before?.fields ?? new FieldSet()).difference(difference.removed).union(scoped(touched, change));
  const own: Row = before?.fields.equals(fields) ? before : newRow(change, 'Update', fields);
  return withRows(next, [...others, own]);
}

/**
 * Server-side apply: the live object with the configuration merged in, or a 409 that names every conflict.
 */
export function trackApply(
  live: ApiObject | undefined,
  config: ApiObject,
  change: FieldChange,
  force: boolean,
): { object: ApiObject } {
  const tracked = live === undefined ? undefined : trackedBefore(live, change);
  const rows = tracked === undefined ? [] : rowsOf(tracked);
  const mine = (row: Row) => sameWriter(row, change, 'Apply');
  const before = rows.find(mine);
  const others = rows.filter((row) => !mine(row));
  const claimed = scoped(fieldsOf(claimable(config), change.schema), change);
  const wanted = scopedObject(config, change);
  const merged = mergeTyped(tracked ?? { metadata: {} }, wanted, change.schema) as ApiObject;
  const owned = others.reduce((all, row) => all.union(row.fields), claimed);
  const gone = (before?.fields ?? new FieldSet()).difference(owned);
  const next = removeFields(merged, gone, owned, change.schema) as ApiObject;
  const difference = compare(tracked === undefined ? { metadata: {} } : ownable(tracked), ownable(next), change.schema);
  const touched = difference.modified.union(difference.added);
  const clashes = others
    .map((row) => ({ row, fields: row.fields.intersection(touched) }))
    .filter(({ fields }) => !fields.empty)
    .sort((a, b) => byCodeUnit(a.row.manager, b.row.manager));
  if (clashes.length > 0 && !force) throw applyConflict(clashes);
  const left = others.map((row) => ({ ...row, fields: row.fields.difference(touched).difference(difference.removed) }));
  const changed = !touched.empty || !difference.removed.empty;
  const own = newRow({ ...change, time: changed ? change.time : before?.time }, 'Apply', claimed);
  return { object: withRows(next, [...left, own]) };
}

/** An object that was written before the first apply: its fields belong to `before-first-apply`. */
function trackedBefore(live: ApiObject, change: FieldChange): ApiObject {
  if (rowsOf(live).length > 0) return live;
  const { subresource: _, ...main } = change;
  const fields = compare({ metadata: {} }, ownable(live), change.schema).added;
  return withRows(live, [newRow({ ...main, manager: 'before-first-apply' }, 'Update', fields)]);
}

const newRow = (
  { manager, apiVersion, time, subresource }: Omit<FieldChange, 'time'> & { time: string | undefined },
  operation: Row['operation'],
  fields: FieldSet,
): Row => ({
  manager,
  operation,
  apiVersion,
  ...(time === undefined ? {} : { time }),
  fields,
  ...(subresource === undefined ? {} : { subresource }),
});

/** An applier is the same in every version of the API; an updater is not. */
const sameWriter = (row: Row, change: FieldChange, operation: Row['operation']): boolean =>
  row.operation === operation &&
  row.manager === change.manager &&
  row.subresource === change.subresource &&
  (operation === 'Apply' || row.apiVersion === change.apiVersion);

function rowsOf(object: ApiObject): Row[] {
  return (object.metadata.managedFields ?? []).map(({ fieldsV1, fieldsType: _, ...row }) => ({
    ...row,
    fields: FieldSet.parse(fieldsV1 ?? {}),
  }));
}

function withRows(object: ApiObject, rows: readonly Row[]): ApiObject {
  const { managedFields: _, ...metadata } = object.metadata;
  const entries = rows
    .filter(({ fields }) => !fields.empty)
    .sort(byWriter)
    .map(entryOf);
  return {
    ...object,
    metadata: { ...metadata, ...(entries.length === 0 ? {} : { managedFields: entries }) },
  } as ApiObject;
}

const entryOf = ({ manager, operation, apiVersion, time, subresource, fields }: Row): ManagedFieldsEntry => ({
  manager,
  operation,
  apiVersion,
  ...(time === undefined ? {} : { time }),
  fieldsType: 'FieldsV1',
  fieldsV1: fields.toJson(),
  ...(subresource === undefined ? {} : { subresource }),
});

const byWriter = (a: Row, b: Row): number =>
  byCodeUnit(a.operation, b.operation) ||
  byCodeUnit(a.time ?? '', b.time ?? '') ||
  byCodeUnit(a.manager, b.manager) ||
  byCodeUnit(a.apiVersion, b.apiVersion) ||
  byCodeUnit(a.subresource ?? '', b.subresource ?? '');

/** Returns the part of an object with fields that have owners. */
function ownable(object: ApiObject): JsonObject {
  const { apiVersion: _, kind: __, metadata, ...rest } = object;
  const owned = OWNED_METADATA.flatMap((field) => (metadata[field] === undefined ? [] : [[field, metadata[field]]]));
  return { ...rest, metadata: Object.fromEntries(owned) };
}

/**
 * Returns the fields that a configuration claims; metadata without a word about labels and the like claims
 * nothing.
 */
function claimable(config: ApiObject): JsonObject {
  const { metadata, ...rest } = ownable(config);
  return isObject(metadata) && Object.keys(metadata).length > 0 ? { ...rest, metadata } : rest;
}

/** Returns the fields of a set that this endpoint writes. */
function scoped(fields: FieldSet, { subresource, resetsStatus }: FieldChange): FieldSet {
  if (subresource !== undefined) return fields.only('f:status');
  return resetsStatus ? fields.without('f:status') : fields;
}

function scopedObject(config: ApiObject, { subresource, resetsStatus }: FieldChange): JsonObject {
  const { status, ...rest } = config;
  if (subresource === undefined) return resetsStatus ? rest : config;
  const { apiVersion, kind } = config;
  return {
    apiVersion,
    kind,
    metadata: { name: objectAt(config, 'metadata')?.name },
    ...(status === undefined ? {} : { status }),
  };
}

type Clash = { row: Row; fields: FieldSet };

function writerText({ manager, subresource, operation, apiVersion }: Row): string {
  const sub = subresource === undefined ? '' : ` with subresource "${subresource}"`;
  return `"${manager}"${sub}${operation === 'Update' ? ` using ${apiVersion}` : ''}`;
}

function applyConflict(clashes: readonly Clash[]): Refusal {
  const causes = clashes.flatMap(({ row, fields }) =>
    fields.paths().map((path): StatusCause => {
      const message = `conflict with ${writerText(row)}`;
      return { reason: 'FieldManagerConflict', message, field: shownPath(path) };
    }),
  );
  const [only] = causes;
  if (causes.length === 1 && only !== undefined) {
    return conflictOf(`Apply failed with 1 conflict: ${only.message}: ${only.field}`, causes);
  }
  const byWriterText = clashes.map(({ row, fields }) => {
    const lines = fields.paths().map((path) => `- ${shownPath(path)}`);
    return `conflicts with ${writerText(row)}:\n${lines.join('\n')}`;
  });
  return conflictOf(`Apply failed with ${causes.length} conflicts: ${byWriterText.join('\n')}`, causes);
}

const conflictOf = (message: string, causes: readonly StatusCause[]): Refusal =>
  new Refusal(409, 'Conflict', message, { causes });

/** The object without the times of its managedFields: a write that changes nothing else is no write. */
export function withoutFieldTimes(object: ApiObject): JsonObject {
  const { managedFields, ...metadata } = object.metadata;
  const rows = managedFields?.map(({ time: _, ...row }) => row) ?? [];
  return { ...object, metadata: { ...metadata, managedFields: rows } };
}
