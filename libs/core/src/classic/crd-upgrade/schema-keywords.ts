import { canonicalJson } from '../../kernel/canonical/canonical-json.js';
import { asList, asRecord, asText } from '../../kernel/crd/loose-value.js';
import { matchesPattern } from './match-pattern.js';
import {
  type FieldError,
  invalid,
  type SchemaCheck,
  type SchemaPlace,
  type StructuralSchema,
  wrongType,
} from './schema-errors.js';
import { hasFormat } from './schema-formats.js';

const limit = (schema: StructuralSchema, keyword: string): number | undefined => {
  const value = schema[keyword];
  return typeof value === 'number' ? value : undefined;
};

/** multipleOf, maximum and minimum (exclusive or not). */
export function checkNumber(schema: StructuralSchema, value: number, path: string): FieldError[] {
  const [least, most, step] = [limit(schema, 'minimum'), limit(schema, 'maximum'), limit(schema, 'multipleOf')];
  const errors: FieldError[] = [];
  if (step !== undefined && step !== 0 && !Number.isInteger(value / step)) {
    errors.push(invalid(path, value, `should be a multiple of ${step}`));
  }
  if (most !== undefined && (schema['exclusiveMaximum'] === true ? value >= most : value > most)) {
    const than = schema['exclusiveMaximum'] === true ? 'less than' : 'less than or equal to';
    errors.push(invalid(path, value, `should be ${than} ${most}`));
  }
  if (least !== undefined && (schema['exclusiveMinimum'] === true ? value <= least : value < least)) {
    const than = schema['exclusiveMinimum'] === true ? 'greater than' : 'greater than or equal to';
    errors.push(invalid(path, value, `should be ${than} ${least}`));
  }
  return errors;
}

/** The first violation of maxLength, minLength (in code points) and pattern, and that of format. */
export function checkText(schema: StructuralSchema, value: string, path: string): FieldError[] {
  const first = lengthOrPatternError(schema, value, path);
  const format = asText(schema['format']);
  const wrongFormat = format === '' || hasFormat(format, value) ? [] : [wrongType(format, value, path)];
  return [...(first === undefined ? [] : [first]), ...wrongFormat];
}

/** A pattern that cannot be judged here is passed over. */
function lengthOrPatternError(schema: StructuralSchema, value: string, path: string): FieldError | undefined {
  const [least, most] = [limit(schema, 'minLength'), limit(schema, 'maxLength')];
  const length = [...value].length;
  if (most !== undefined && length > most) return { path, message: `Too long: may not be more than ${most} bytes` };
  if (least !== undefined && length < least) return invalid(path, value, `should be at least ${least} chars long`);
  const pattern = asText(schema['pattern']);
  if (pattern === '' || matchesPattern(pattern, value) !== false) return undefined;
  return invalid(path, value, `should match '${pattern}'`);
}

/** minItems, maxItems, uniqueItems and the items themselves. */
export function checkList(
  schema: StructuralSchema,
  value: readonly unknown[],
  place: SchemaPlace,
  check: SchemaCheck,
): FieldError[] {
  const { path, depth } = place;
  const [least, most] = [limit(schema, 'minItems'), limit(schema, 'maxItems')];
  const errors: FieldError[] = [];
  if (most !== undefined && value.length > most) {
    errors.push({ path, message: `Too many: ${value.length}: must have at most ${most} items` });
  }
  if (least !== undefined && value.length < least) {
    errors.push(invalid(path, value.length, `should have at least ${least} items`));
  }
  if (schema['uniqueItems'] === true && new Set(value.map(canonicalJson)).size < value.length) {
    errors.push(invalid(path, value, "shouldn't contain duplicates"));
  }
  const items = asRecord(schema['items']);
  const inside = value.flatMap((item, index) => check(items, item, { path: `${path}[${index}]`, depth: depth + 1 }));
  return [...errors, ...inside];
}

const below = (path: string, key: string): string => (path === '' ? key : `${path}.${key}`);

/** required, minProperties, maxProperties, properties and additionalProperties. */
export function checkObject(
  schema: StructuralSchema,
  value: Readonly<Record<string, unknown>>,
  place: SchemaPlace,
  check: SchemaCheck,
): FieldError[] {
  const { path, depth } = place;
  const keys = Object.keys(value);
  const [least, most] = [limit(schema, 'minProperties'), limit(schema, 'maxProperties')];
  const errors: FieldError[] = asList(schema['required'])
    .map(asText)
    .filter((key) => !Object.hasOwn(value, key))
    .map((key) => ({ path: below(path, key), message: 'Required value' }));
  if (most !== undefined && keys.length > most) {
    errors.push({ path, message: `Too many: ${keys.length}: must have at most ${most} items` });
  }
  if (least !== undefined && keys.length < least) {
    errors.push(invalid(path, keys.length, `should have at least ${least} properties`));
  }
  const properties = asRecord(schema['properties']);
  const additional = asRecord(schema['additionalProperties']);
  const inside = keys.flatMap((key) => {
    const known = Object.hasOwn(properties, key) ? asRecord(properties[key]) : additional;
    return check(known, value[key], { path: below(path, key), depth: depth + 1 });
  });
  return [...errors, ...inside];
}
