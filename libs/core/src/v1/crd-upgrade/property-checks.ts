import { byCodeUnit } from '../../kernel/canonical/canonical-json.js';
import { asList, asRecord, asText } from '../../kernel/crd/loose-value.js';
import { goFloat } from '../../kernel/json/go-float.js';
import { goQuote } from '../../kernel/versions/go-quote.js';
import { rawJson } from './raw-json.js';
import { type Schema, schemaText } from './schema.js';

/** The objection of one check to the change of a property, in crdify's words; undefined: none. */
type PropertyCheck = Readonly<{
  name: string;
  /** The field that the check covers: a change of it no longer counts as unhandled. */
  field: string;
  complaint: (before: Schema, after: Schema) => string | undefined;
}>;

const type: PropertyCheck['complaint'] = (before, after) => {
  const [old, next] = [asText(before['type']), asText(after['type'])];
  return old === next ? undefined : `type changed : ${goQuote(old)} -> ${goQuote(next)}`;
};

const required: PropertyCheck['complaint'] = (before, after) => {
  const added = without(asList(after['required']).map(asText), asList(before['required']).map(asText));
  return added.length === 0 ? undefined : `new required fields: [${added.join(' ')}]`;
};

/** Values may be added to an existing enum: OLM sets crdify's addition policy to Allow. */
const enumeration: PropertyCheck['complaint'] = (before, after) => {
  const [old, next] = [rawValues(before['enum']), rawValues(after['enum'])];
  if (old.length === 0 && next.length > 0) {
    return `enum constraint added when there was none previously : [${without(next, []).join(' ')}]`;
  }
  const removed = without(old, next);
  return removed.length === 0 ? undefined : `allowed enum values removed : [${removed.join(' ')}]`;
};

/** JSON text of each value; null gives nothing. */
const rawValues = (value: unknown): string[] => asList(value).map((one) => (one === null ? '' : rawJson(one)));

/** Returns the texts of `all` that are not in `others`, once each and sorted. */
const without = (all: readonly string[], others: readonly string[]): string[] =>
  [...new Set(all).difference(new Set(others))].sort(byCodeUnit);

const defaultValue: PropertyCheck['complaint'] = (before, after) => {
  const [old, next] = [before['default'], after['default']].map((value) =>
    value === undefined ? undefined : goQuote(rawJson(value)),
  );
  if (old === next) return;
  if (old === undefined) return `default added when there was none previously : ${next}`;
  return next === undefined ? `default value removed : ${old}` : `default value changed : ${old} -> ${next}`;
};

const pattern: PropertyCheck['complaint'] = (before, after) => {
  const [old, next] = [asText(before['pattern']), asText(after['pattern'])];
  if (old === next) return;
  const how = old === '' ? 'added' : next === '' ? 'removed' : 'changed';
  return `pattern ${how} : ${goQuote(old)} -> ${goQuote(next)}`;
};

const nullable: PropertyCheck['complaint'] = (before, after) => {
  const [old, next] = [before['nullable'] === true, after['nullable'] === true];
  return old === next ? undefined : `nullable ${next ? 'added' : 'removed'} : ${old} -> ${next}`;
};

/** Members are compared without the parts that do not change their meaning. */
const oneOf: PropertyCheck['complaint'] = (before, after) => {
  const [old, next] = [members(before), members(after)];
  const [removed, added] = [without(old, next), without(next, old)];
  if (old.length === 0 && added.length > 0) {
    return `oneOf constraint added when there was none previously: [${added.join(' ')}]`;
  }
  if (removed.length > 0) return `allowed oneOf schemas removed: [${removed.join(' ')}]`;
  return added.length === 0 ? undefined : `allowed oneOf schemas added: [${added.join(' ')}]`;
};

const members = (schema: Schema): string[] =>
  asList(schema['oneOf']).map((one) => {
    const { description: _description, title: _title, example: _example, externalDocs: _docs, ...rest } = asRecord(one);
    return schemaText(rest);
  });

type Bound = Readonly<{
  word: 'minimum' | 'maximum';
  isTighter: (next: number, old: number) => boolean;
  moved: string;
}>;
const MINIMUM: Bound = { word: 'minimum', isTighter: (next, old) => next > old, moved: 'increased' };
const MAXIMUM: Bound = { word: 'maximum', isTighter: (next, old) => next < old, moved: 'decreased' };

const bound = (field: string, { word, isTighter, moved }: Bound, shown: (value: number) => string): PropertyCheck => ({
  name: field,
  field,
  complaint: (before, after) => {
    const [old, next] = [before[field], after[field]];
    if (typeof next !== 'number') return;
    if (typeof old !== 'number') return `${word} constraint added when there was none previously : ${shown(next)}`;
    return isTighter(next, old) ? `${word} ${moved} : ${shown(old)} -> ${shown(next)}` : undefined;
  },
});

const check = (name: string, complaint: PropertyCheck['complaint']): PropertyCheck => ({
  name,
  field: name,
  complaint,
});

/** Every check of a property, in the order of their reports (spec: v1-crd-safety.md, "Property checks"). */
export const PROPERTY_CHECKS: readonly PropertyCheck[] = [
  check('type', type),
  check('required', required),
  check('enum', enumeration),
  check('default', defaultValue),
  bound('minimum', MINIMUM, goFloat),
  ...['minLength', 'minItems', 'minProperties'].map((field) => bound(field, MINIMUM, String)),
  bound('maximum', MAXIMUM, goFloat),
  ...['maxLength', 'maxItems', 'maxProperties'].map((field) => bound(field, MAXIMUM, String)),
  check('pattern', pattern),
  check('nullable', nullable),
  check('oneOf', oneOf),
  check('description', () => undefined),
];
