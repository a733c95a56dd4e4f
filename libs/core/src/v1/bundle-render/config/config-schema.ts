import { byCodeUnit } from '../../../kernel/canonical/canonical-json.js';
import { isRecord } from '../../../kernel/json/json-access.js';
import { goQuote } from '../../../kernel/versions/go-quote.js';

type JsonType = 'array' | 'boolean' | 'integer' | 'null' | 'number' | 'object' | 'string';

/** A further rule of a text: its name, and why a value breaks it. */
export type TextFormat = Readonly<{ name: string; problem: (value: string) => string | undefined }>;

/** The part of JSON schema that configuration of bundles uses. */
export type ConfigSchema = Readonly<{
  type?: JsonType;
  format?: TextFormat;
  /** Another schema, which replaces this one: its sibling keywords are ignored (draft 7). */
  ref?: () => ConfigSchema;
  required?: readonly string[];
  properties?: ReadonlyMap<string, ConfigSchema>;
  /** Schema of keys without their own; false forbids them. */
  additionalProperties?: ConfigSchema | false;
  items?: ConfigSchema;
  minLength?: number;
  maxLength?: number;
  pattern?: RegExp;
  allOf?: readonly ConfigSchema[];
  anyOf?: readonly ConfigSchema[];
  oneOf?: readonly ConfigSchema[];
}>;

/** A rule that a value breaks. OLM v1's checker reports such trees, and its texts depend on their form. */
type SchemaFailure = Readonly<{
  /** `group`: several failures of one value; `reference`: those of a schema that was referred to. */
  kind: 'failure' | 'group' | 'reference';
  /** Path of the value, with dots; empty for the whole. */
  at: string;
  text: string;
  causes: readonly SchemaFailure[];
}>;

const GENERAL = 'validation failed';

const failure = (at: string, text: string, causes: readonly SchemaFailure[] = []): SchemaFailure => ({
  kind: 'failure',
  at,
  text,
  causes,
});

/** Returns the reason the value violates the schema; undefined if it does not. */
export function checkSchema(schema: ConfigSchema, value: unknown, at = ''): SchemaFailure | undefined {
  const type = typeOf(value);
  if (schema.type !== undefined && !isOfType(value, type, schema.type))
    return failure(at, wrongType(at, type, schema.type));
  if (schema.format !== undefined && typeof value === 'string') {
    const why = schema.format.problem(value);
    if (why !== undefined)
      return failure(
        at,
        `invalid format for field ${goQuote(at)}: '${value}' is not valid ${schema.format.name}: ${why}`,
      );
  }
  if (schema.ref !== undefined) {
    const broken = checkSchema(schema.ref(), value, at);
    return (
      broken && { kind: 'reference', at, text: GENERAL, causes: broken.kind === 'group' ? broken.causes : [broken] }
    );
  }
  const failures = [
    ...objectFailures(schema, value, at),
    ...listFailures(schema, value, at),
    ...textFailures(schema, value, at),
    ...choiceFailures(schema, value, at),
  ];
  return failures.length > 1 ? { kind: 'group', at, text: GENERAL, causes: failures } : failures[0];
}

function typeOf(value: unknown): JsonType {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'boolean') return 'boolean';
  if (typeof value === 'number') return 'number';
  return typeof value === 'string' ? 'string' : 'object';
}

const isOfType = (value: unknown, type: JsonType, wanted: JsonType): boolean =>
  type === wanted || (wanted === 'integer' && Number.isInteger(value));

function wrongType(at: string, got: JsonType, want: JsonType): string {
  if (at === '') return `invalid type: got ${got}, want ${want}`;
  if (got === 'null') return `required field ${goQuote(at)} is missing`;
  return `invalid type for field ${goQuote(at)}: got ${got}, want ${want}`;
}

const below = (at: string, key: string | number): string => (at === '' ? String(key) : `${at}.${key}`);

function objectFailures(
  { required, properties, additionalProperties }: ConfigSchema,
  value: unknown,
  at: string,
): SchemaFailure[] {
  if (!isRecord(value)) return [];
  const missing = required?.find((key) => !Object.hasOwn(value, key));
  const failures = missing === undefined ? [] : [failure(at, `required field ${goQuote(missing)} is missing`)];
  const unknown: string[] = [];
  for (const key of Object.keys(value).sort(byCodeUnit)) {
    const schema = properties?.get(key) ?? additionalProperties;
    if (schema === false) unknown.push(key);
    else if (schema !== undefined) failures.push(...found(checkSchema(schema, value[key], below(at, key))));
  }
  const [first] = unknown;
  if (first !== undefined) failures.push(failure(at, `unknown field ${goQuote(first)}`));
  return failures;
}

const found = (one: SchemaFailure | undefined): SchemaFailure[] => (one === undefined ? [] : [one]);

function listFailures({ items }: ConfigSchema, value: unknown, at: string): SchemaFailure[] {
  if (items === undefined || !Array.isArray(value)) return [];
  return value.flatMap((item: unknown, index) => found(checkSchema(items, item, below(at, index))));
}

function textFailures({ minLength, maxLength, pattern }: ConfigSchema, value: unknown, at: string): SchemaFailure[] {
  if (typeof value !== 'string') return [];
  const length = [...value].length;
  const bound = (limit: number, which: string) =>
    failure(at, `field ${goQuote(at)} must have ${which} length of ${limit} (len=${length})`);
  return [
    ...(minLength !== undefined && length < minLength ? [bound(minLength, 'minimum')] : []),
    ...(maxLength !== undefined && length > maxLength ? [bound(maxLength, 'maximum')] : []),
    ...(pattern?.test(value) === false
      ? [failure(at, `field ${goQuote(at)} must match pattern ${goQuote(pattern.source)}`)]
      : []),
  ];
}

function choiceFailures({ allOf, anyOf, oneOf }: ConfigSchema, value: unknown, at: string): SchemaFailure[] {
  const failures: SchemaFailure[] = [];
  const broken = (schemas: readonly ConfigSchema[]) =>
    schemas.flatMap((schema) => found(checkSchema(schema, value, at)));
  const ofAll = broken(allOf ?? []);
  if (ofAll.length > 0) failures.push(failure(at, "'allOf' failed", ofAll));
  const ofAny = broken(anyOf ?? []);
  if (anyOf !== undefined && ofAny.length === anyOf.length) {
    failures.push(failure(at, at === '' ? 'invalid value' : `invalid value for field ${goQuote(at)}`, ofAny));
  }
  const ofOne = broken(oneOf ?? []);
  if (oneOf !== undefined && ofOne.length === oneOf.length) {
    failures.push(failure(at, "'oneOf' failed, none matched", ofOne));
  }
  return failures;
}

/**
 * Returns OLM v1's texts for a failure of the whole value, in its order. They omit the complaint of a
 * referred schema if there is only one; {@link failureDetails} has it.
 */
export function failureTexts(whole: SchemaFailure): string[] {
  return (whole.kind === 'group' ? whole.causes : [whole]).flatMap(textsOf);
}

const textsOf = (one: SchemaFailure): string[] => {
  const swallowed = one.kind === 'reference' && one.causes.length === 1;
  return [one.text, ...(swallowed ? [] : one.causes.flatMap(textsOf))];
};

/** Returns each mistake with its place. OLM v1 only reports that the validation failed. */
export function failureDetails({ at, text, causes }: SchemaFailure): string[] {
  if (causes.length > 0) return causes.flatMap(failureDetails);
  return [at === '' || text.includes(goQuote(at)) ? text : `${at}: ${text}`];
}
