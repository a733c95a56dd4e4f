import { goFloat } from './go-float.js';
import { PROPERTY_CHECKS } from './property-checks.js';
import { SCHEMA_FIELDS, type Schema, schemaText } from './schema.js';

/** Fields that have a check of their own, and those whose schemas are properties of their own. */
const HANDLED: ReadonlySet<string> = new Set([...PROPERTY_CHECKS.map(({ field }) => field), 'properties', 'items']);

/** One field that no check judges, before and after, under the name of the Go type. */
type Change = Readonly<{ goName: string; before: unknown; after: unknown }>;

/** Told in short, and the whole of what was compared. */
export type UnhandledChanges = Readonly<{ message: string; values: string }>;

/**
 * What is different between two schemas of a property and is judged by no check: refused, since nobody knows whether it
 * is safe (spec: v1-crd-safety.md, `unhandled`). The text names fields and values about as OLM prints them.
 */
export function unhandledChanges(before: Schema, after: Schema): UnhandledChanges | undefined {
  const changes = changesOf(before, after, HANDLED);
  if (changes.length === 0) return;
  const told = changes.flatMap(inner).map(({ goName, ...values }) => {
    return `${goName} ${shown(goName, values.before)} -> ${shown(goName, values.after)}`;
  });
  return {
    message: `unhandled changes found (${told.join('; ')})`,
    values: schemaText([before, after].map(unjudged)),
  };
}

/** What of a schema no check judges. */
const unjudged = (schema: Schema): Schema =>
  Object.fromEntries(Object.entries(schema).filter(([name]) => !HANDLED.has(name)));

function changesOf(before: Schema, after: Schema, except: ReadonlySet<string>): Change[] {
  return SCHEMA_FIELDS.filter(({ name }) => !except.has(name))
    .map(({ name, goName }) => ({ goName, before: before[name], after: after[name] }))
    .filter((change) => schemaText(change.before) !== schemaText(change.after));
}

/** A schema that is there before and after is looked into. */
function inner(change: Change): Change[] {
  const { before, after } = change;
  return isSchema(before) && isSchema(after) ? changesOf(before, after, NOTHING).flatMap(inner) : [change];
}

const NOTHING: ReadonlySet<string> = new Set();
const KNOWN: ReadonlySet<string> = new Set(SCHEMA_FIELDS.map(({ name }) => name));
const OF_SCHEMAS = new Set(SCHEMA_FIELDS.filter(({ holds }) => holds.startsWith('schema')).map(({ goName }) => goName));
const ZERO: ReadonlyMap<string, string> = new Map([
  ['text', '""'],
  ['flag', 'false'],
]);

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  !(value instanceof Map) &&
  Object.keys(value).every((name) => KNOWN.has(name));

function shown(goName: string, value: unknown): string {
  if (OF_SCHEMAS.has(goName)) return value === undefined ? 'nil' : '<complex value>';
  const holds = SCHEMA_FIELDS.find((field) => field.goName === goName)?.holds ?? 'pointer';
  if (value === undefined) return ZERO.get(holds) ?? 'nil';
  const text = typeof value === 'number' ? goFloat(value) : schemaText(value);
  return holds === 'pointer' || holds === 'number' ? `&${text}` : text;
}
