import { equal, isObject, type JsonObject } from '../objects/json.js';
import type { StatusCause } from '../objects/refusal.js';
import type { SchemaNode } from './schema-node.js';

const MAX_CAUSES = 100;

/** Checks a value against a structural schema; adds faults to `causes` in the API server's words. */
export function validate(value: unknown, schema: SchemaNode, path: string, causes: StatusCause[]): void {
  if (causes.length >= MAX_CAUSES || (value === null && schema.nullable)) return;
  const typed = checkType(value, schema, path, causes);
  checkEnum(value, schema, path, causes);
  if (!typed) return;
  if (typeof value === 'string') checkString(value, schema, path, causes);
  else if (typeof value === 'number') checkNumber(value, schema, path, causes);
  else if (Array.isArray(value)) checkList(value, schema, path, causes);
  else if (isObject(value)) checkObject(value, schema, path, causes);
  checkAlternatives(value, schema, path, causes);
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
}

const inBody = (path: string, text: string) => `${path} in body ${text}`;
const wrong = (reason: string, field: string, value: unknown, text: string): StatusCause => ({
  reason,
  message: `Invalid value: ${JSON.stringify(value)}: ${inBody(field, text)}`,
  field,
});
const invalid = (field: string, value: unknown, text: string) => wrong('FieldValueInvalid', field, value, text);

function checkType(value: unknown, schema: SchemaNode, path: string, causes: StatusCause[]): boolean {
  const found = typeOf(value);
  const wanted = schema.intOrString ? 'integer,string' : schema.type;
  const fits = wanted === '' || wanted.split(',').includes(found) || (wanted === 'number' && found === 'integer');
  if (!fits) {
    causes.push(wrong('FieldValueTypeInvalid', path, found, `must be of type ${wanted}: ${JSON.stringify(found)}`));
  }
  return fits;
}

function checkEnum(value: unknown, schema: SchemaNode, path: string, causes: StatusCause[]): void {
  if (schema.enum.length === 0 || schema.enum.some((allowed) => equal(allowed, value))) return;
  const supported = schema.enum.map((allowed) => JSON.stringify(allowed)).join(', ');
  const message = `Unsupported value: ${JSON.stringify(value)}: supported values: ${supported}`;
  causes.push({ reason: 'FieldValueNotSupported', message, field: path });
}

const FORMATS: Readonly<Record<string, (text: string) => boolean>> = {
  'date-time': (text) => /^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/.test(text),
  date: (text) => /^\d{4}-\d{2}-\d{2}$/.test(text),
  byte: (text) => /^[A-Za-z0-9+/]*={0,2}$/.test(text),
  uuid: (text) => /^[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}$/i.test(text),
};

/** The API server stops at a string's first fault. */
function checkString(value: string, schema: SchemaNode, path: string, causes: StatusCause[]): void {
  const [longest, shortest] = [schema.limit('maxLength'), schema.limit('minLength')];
  if (longest !== undefined && isLongerThan(value, longest)) {
    causes.push({
      reason: 'FieldValueTooLong',
      message: `Too long: may not be more than ${longest} bytes`,
      field: path,
    });
  } else if (shortest !== undefined && shortest > 0 && !isLongerThan(value, shortest - 1)) {
    causes.push(invalid(path, value, `should be at least ${shortest} chars long`));
  } else if (schema.pattern !== undefined && !schema.pattern.test(value)) {
    causes.push(invalid(path, value, `should match '${String(schema.raw.pattern)}'`));
  } else if (schema.format !== undefined && FORMATS[schema.format]?.(value) === false) {
    causes.push(
      wrong('FieldValueTypeInvalid', path, value, `must be of type ${schema.format}: ${JSON.stringify(value)}`),
    );
  }
}

/** True if the value has more code points. They are counted only if code units do not decide. */
function isLongerThan(value: string, codePoints: number): boolean {
  if (value.length <= codePoints) return false;
  return value.length > 2 * codePoints || [...value].length > codePoints;
}

function checkNumber(value: number, schema: SchemaNode, path: string, causes: StatusCause[]): void {
  const [least, most, step] = [schema.limit('minimum'), schema.limit('maximum'), schema.limit('multipleOf')];
  if (step !== undefined && value % step !== 0) causes.push(invalid(path, value, `should be a multiple of ${step}`));
  const below = schema.flag('exclusiveMaximum');
  if (most !== undefined && (value > most || (below && value === most))) {
    causes.push(invalid(path, value, `should be less than ${below ? '' : 'or equal to '}${most}`));
  }
  const above = schema.flag('exclusiveMinimum');
  if (least !== undefined && (value < least || (above && value === least))) {
    causes.push(invalid(path, value, `should be greater than ${above ? '' : 'or equal to '}${least}`));
  }
}

function checkList(value: readonly unknown[], schema: SchemaNode, path: string, causes: StatusCause[]): void {
  const [fewest, most] = [schema.limit('minItems'), schema.limit('maxItems')];
  if (fewest !== undefined && value.length < fewest) {
    causes.push(invalid(path, value.length, `should have at least ${fewest} items`));
  }
  if (most !== undefined && value.length > most) {
    causes.push({
      reason: 'FieldValueTooMany',
      message: `Too many: ${value.length}: must have at most ${most} items`,
      field: path,
    });
  }
  const { items } = schema;
  if (items !== undefined)
    for (const [index, item] of value.entries()) validate(item, items, `${path}[${index}]`, causes);
  checkDuplicates(value, schema, path, causes);
}

function checkDuplicates(value: readonly unknown[], schema: SchemaNode, path: string, causes: StatusCause[]): void {
  if (schema.listType === 'atomic') return;
  const seen = new Set<string>();
  for (const [index, item] of value.entries()) {
    const keys = schema.listKeys.flatMap((key) => (isObject(item) && key in item ? [[key, item[key]]] : []));
    const identity = JSON.stringify(schema.listType === 'map' ? Object.fromEntries(keys) : item);
    if (seen.has(identity)) {
      causes.push({
        reason: 'FieldValueDuplicate',
        message: `Duplicate value: ${identity}`,
        field: `${path}[${index}]`,
      });
    }
    seen.add(identity);
  }
}

function checkObject(value: JsonObject, schema: SchemaNode, path: string, causes: StatusCause[]): void {
  const at = (name: string) => (path === '' ? name : `${path}.${name}`);
  const [fewest, most] = [schema.limit('minProperties'), schema.limit('maxProperties')];
  const size = Object.keys(value).length;
  if (fewest !== undefined && size < fewest)
    causes.push(invalid(path, size, `should have at least ${fewest} properties`));
  if (most !== undefined && size > most) {
    causes.push({
      reason: 'FieldValueTooMany',
      message: `Too many: ${size}: must have at most ${most} items`,
      field: path,
    });
  }
  for (const name of schema.required) {
    if (!(name in value)) causes.push({ reason: 'FieldValueRequired', message: 'Required value', field: at(name) });
  }
  for (const [name, inner] of Object.entries(value)) {
    const own = schema.property(name) ?? schema.additional;
    if (own !== undefined && own !== true) validate(inner, own, at(name), causes);
  }
}

function faultsOf(value: unknown, schema: SchemaNode, path: string): StatusCause[] {
  const causes: StatusCause[] = [];
  validate(value, schema, path, causes);
  return causes;
}

const schemaFault = (path: string, text: string): StatusCause => ({
  reason: 'FieldValueInvalid',
  message: `Invalid value: "": "${path}" must ${text}`,
  field: '<nil>',
});

function checkAlternatives(value: unknown, schema: SchemaNode, path: string, causes: StatusCause[]): void {
  const { raw } = schema;
  if (raw.allOf !== undefined) for (const all of schema.alternatives('allOf')) validate(value, all, path, causes);
  if (raw.anyOf !== undefined) {
    const faults = schema.alternatives('anyOf').map((one) => faultsOf(value, one, path));
    if (faults.every((found) => found.length > 0)) {
      causes.push(schemaFault(path, 'validate at least one schema (anyOf)'), ...(faults[0] ?? []));
    }
  }
  if (raw.oneOf !== undefined) checkOneOf(value, schema, path, causes);
  if (isObject(raw.not) && faultsOf(value, schema.negated(), path).length === 0) {
    causes.push(schemaFault(path, 'not validate the schema (not)'));
  }
}

function checkOneOf(value: unknown, schema: SchemaNode, path: string, causes: StatusCause[]): void {
  const faults = schema.alternatives('oneOf').map((one) => faultsOf(value, one, path));
  const valid = faults.filter((found) => found.length === 0).length;
  const only = 'validate one and only one schema (oneOf).';
  if (valid === 0) causes.push(schemaFault(path, `${only} Found none valid`), ...(faults[0] ?? []));
  if (valid > 1) causes.push(schemaFault(path, `${only} Found ${valid} valid alternatives`));
}
