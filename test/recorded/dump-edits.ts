import type { Dump, Json, JsonObject } from './recording.js';

/** Changes one object of a dump; undefined leaves it out. */
export type Change = (object: JsonObject, key: string) => JsonObject | undefined;
export type Edit = (dump: Dump) => Dump;

export const isMap = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
export const isList = (value: Json | undefined): value is readonly Json[] => Array.isArray(value);

/** All edits, one after the other. */
export const both =
  (...edits: readonly Edit[]): Edit =>
  (dump) =>
    edits.reduce((left, edit) => edit(left), dump);

/** Changes the objects of one kind. */
export const inKind =
  (kind: string, change: Change): Edit =>
  (dump) => {
    const objects = dump[kind];
    if (objects === undefined) return dump;
    const changed = Object.entries(objects).flatMap(([key, object]) => {
      const now = change(object, key);
      return now === undefined ? [] : [[key, now] as const];
    });
    return { ...dump, [kind]: Object.fromEntries(changed) };
  };

export const inEveryKind =
  (change: Change): Edit =>
  (dump) =>
    both(...Object.keys(dump).map((kind) => inKind(kind, change)))(dump);

export const withoutKinds =
  (...kinds: readonly string[]): Edit =>
  (dump) =>
    Object.fromEntries(Object.entries(dump).filter(([kind]) => !kinds.includes(kind)));

/** Returns the object with the field at that path changed, or removed if it becomes undefined. */
export function at(object: JsonObject, path: readonly string[], change: (value: Json) => Json | undefined): JsonObject {
  const [key = '', ...rest] = path;
  const value = object[key];
  if (value === undefined) return object;
  const { [key]: _old, ...others } = object;
  const now = rest.length === 0 ? change(value) : isMap(value) ? at(value, rest, change) : value;
  return now === undefined ? others : { ...others, [key]: now };
}

export const drop =
  (...path: readonly string[]): Change =>
  (object) =>
    at(object, path, () => undefined);

/** Sorts a list of maps by the named fields, and other values by their text. */
export const sorted =
  (...fields: readonly string[]) =>
  (list: Json): Json =>
    isList(list) ? list.toSorted((a, b) => (rank(a, fields) < rank(b, fields) ? -1 : 1)) : list;

const rank = (item: Json, fields: readonly string[]): string =>
  isMap(item) ? fields.map((field) => JSON.stringify(fieldOf(item, field.split('.')))).join() : JSON.stringify(item);

const fieldOf = (item: Json | undefined, [key, ...rest]: readonly string[]): Json | undefined =>
  key === undefined ? item : fieldOf(isMap(item) ? item[key] : undefined, rest);

export const withoutConditions = (kind: string, ...types: readonly string[]): Edit =>
  inKind(kind, (object) =>
    at(object, ['status', 'conditions'], (list) =>
      isList(list) ? list.filter((item) => !isMap(item) || !types.includes(String(item['type']))) : list,
    ),
  );

export const steps = (change: (list: readonly Json[]) => Json): Edit =>
  inKind('InstallPlan', (plan) => at(plan, ['status', 'plan'], (list) => (isList(list) ? change(list) : list)));

export const eachStep = (change: (step: JsonObject) => JsonObject): Edit =>
  steps((list) => list.map((step) => (isMap(step) ? change(step) : step)));

/** Changes the manifest of every step; those left out of the recordings for their length are texts. */
export const eachManifest = (change: (manifest: JsonObject, kind: string) => JsonObject): Edit =>
  eachStep((step) => {
    const kind = fieldOf(step, ['resource', 'kind']);
    return at(step, ['resource', 'manifest'], (manifest) =>
      isMap(manifest) ? change(manifest, String(kind)) : manifest,
    );
  });

/** Replaces a pattern in every text of the objects of one kind. */
export const inTexts = (kind: string, pattern: RegExp, instead: string): Edit =>
  inKind(kind, (object) => withTexts(object, (text) => text.replace(pattern, instead)) as JsonObject);

function withTexts(value: Json, change: (text: string) => string): Json {
  if (typeof value === 'string') return change(value);
  if (isList(value)) return value.map((item) => withTexts(item, change));
  if (!isMap(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withTexts(item, change)]));
}
