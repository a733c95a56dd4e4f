import { byCodeUnit } from '#core/kernel/canonical/canonical-json';
import { equal, isObject, type JsonObject } from '../objects/json.js';
import { type FieldPath, FieldSet } from './field-set.js';
import type { MergeSchema } from './merge-schema.js';

/** The step of a list item: by its keys in a list-map, by its value in a set. */
export function itemStep(item: unknown, schema: MergeSchema): string {
  if (schema.list === 'set') return `v:${JSON.stringify(item)}`;
  const keys = schema.keys.toSorted(byCodeUnit).flatMap((key) => {
    const value = (isObject(item) ? item[key] : undefined) ?? schema.keyDefaults[key];
    return value === undefined ? [] : [[key, value]];
  });
  return `k:${JSON.stringify(Object.fromEntries(keys))}`;
}

type Child = Readonly<{ step: string; value: unknown; schema: MergeSchema }>;

/** Returns the parts of a value that are owned one by one; undefined if it is owned as a whole. */
function parts(value: unknown, schema: MergeSchema): readonly Child[] | undefined {
  if (isObject(value)) {
    if (schema.atomic) return undefined;
    return Object.entries(value).map(([name, inner]) => ({
      step: `f:${name}`,
      value: inner,
      schema: schema.field(name),
    }));
  }
  if (!Array.isArray(value) || schema.list === 'atomic') return undefined;
  return value.map((item) => ({ step: itemStep(item, schema), value: item, schema: schema.item() }));
}

/** The fields an applied configuration claims. */
export function fieldsOf(value: unknown, schema: MergeSchema): FieldSet {
  const set = new FieldSet();
  claim(value, schema, [], set);
  return set;
}

function claim(value: unknown, schema: MergeSchema, path: FieldPath, into: FieldSet): void {
  const children = parts(value, schema);
  if (children === undefined) {
    into.insert(path);
    return;
  }
  if (children.length === 0 && isObject(value) && path.length > 0) into.insert(path);
  for (const child of children) {
    const at = [...path, child.step];
    if (!child.step.startsWith('f:') || !schema.named(child.step.slice(2))) into.insert(at);
    claim(child.value, child.schema, at, into);
  }
}

export type Comparison = Readonly<{ added: FieldSet; modified: FieldSet; removed: FieldSet }>;

/** Returns the effect of a change, field by field. */
export function compare(before: unknown, after: unknown, schema: MergeSchema): Comparison {
  const result = { added: new FieldSet(), modified: new FieldSet(), removed: new FieldSet() };
  walk(before, after, schema, [], result);
  return result;
}

function walk(before: unknown, after: unknown, schema: MergeSchema, path: FieldPath, result: Comparison): void {
  if (before === after) return;
  const old = before === null ? [] : parts(before, schema);
  const next = after === null ? [] : parts(after, schema);
  if (old === undefined || next === undefined) {
    if (!equal(before, after)) result.modified.insert(path);
    return;
  }
  const oldByStep = new Map(old.map((child) => [child.step, child]));
  for (const child of next) {
    const at = [...path, child.step];
    const counterpart = oldByStep.get(child.step);
    oldByStep.delete(child.step);
    if (counterpart === undefined) whole(child.value, child.schema, at, result.added, schema);
    else walk(counterpart.value, child.value, child.schema, at, result);
  }
  for (const child of oldByStep.values())
    whole(child.value, child.schema, [...path, child.step], result.removed, schema);
}

/** Everything below a field that came or went. */
function whole(value: unknown, schema: MergeSchema, path: FieldPath, into: FieldSet, parent: MergeSchema): void {
  const children = parts(value, schema) ?? [];
  const name = path.at(-1) ?? '';
  const always = name.startsWith('f:') && parent.alwaysPresent(name.slice(2));
  if (!always || children.length === 0) into.insert(path);
  for (const child of children) whole(child.value, child.schema, [...path, child.step], into, schema);
}

/** The live value with an applied configuration merged over it. */
export function mergeTyped(live: unknown, config: unknown, schema: MergeSchema): unknown {
  if (isObject(live) && isObject(config) && !schema.atomic) {
    const result: JsonObject = { ...live };
    for (const [name, value] of Object.entries(config)) {
      result[name] = name in live ? mergeTyped(live[name], value, schema.field(name)) : value;
    }
    return result;
  }
  if (Array.isArray(live) && Array.isArray(config) && schema.list !== 'atomic') return mergeItems(live, config, schema);
  return config;
}

function mergeItems(live: readonly unknown[], config: readonly unknown[], schema: MergeSchema): unknown[] {
  const wanted = new Map(config.map((item) => [itemStep(item, schema), item]));
  const kept = live.map((item) => {
    const step = itemStep(item, schema);
    if (!wanted.has(step)) return item;
    const merged = mergeTyped(item, wanted.get(step), schema.item());
    wanted.delete(step);
    return merged;
  });
  return [...kept, ...wanted.values()];
}

/**
 * Returns the value without the fields of `gone`. Keeps a field if another manager still owns a field below
 * it.
 */
export function removeFields(value: unknown, gone: FieldSet, owned: FieldSet, schema: MergeSchema): unknown {
  if (isObject(value) && !schema.atomic) {
    const result: JsonObject = {};
    for (const [name, inner] of Object.entries(value)) {
      const left = remaining(inner, `f:${name}`, gone, owned, schema.field(name));
      if (left !== undefined) result[name] = left;
    }
    return result;
  }
  if (!Array.isArray(value) || schema.list === 'atomic') return value;
  return value.flatMap((item) => {
    const left = remaining(item, itemStep(item, schema), gone, owned, schema.item());
    return left === undefined ? [] : [left];
  });
}

function remaining(value: unknown, step: string, gone: FieldSet, owned: FieldSet, schema: MergeSchema): unknown {
  const toRemove = gone.child(step);
  if (toRemove === undefined) return value;
  const stillOwned = owned.child(step) ?? new FieldSet();
  if (toRemove.member && stillOwned.empty) return undefined;
  const left = removeFields(value, toRemove, stillOwned, schema);
  const emptied = isEmptied(left) && !isEmptied(value) && stillOwned.empty;
  return emptied ? undefined : left;
}

const isEmptied = (value: unknown): boolean =>
  Array.isArray(value) ? value.length === 0 : isObject(value) && Object.keys(value).length === 0;
