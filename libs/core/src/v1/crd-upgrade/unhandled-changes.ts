import { goCmpDiff } from '../../kernel/go-diff/go-cmp-diff.js';
import { PROPERTY_CHECKS } from './property-checks.js';
import { type Schema, schemaText } from './schema.js';
import { SCHEMA_TYPE } from './schema-go-type.js';
import { schemaGoValue } from './schema-go-value.js';
import { unhandledSummary } from './unhandled-summary.js';

/** Fields that have a check of their own, and those whose schemas are properties of their own. */
const HANDLED: ReadonlySet<string> = new Set([...PROPERTY_CHECKS.map(({ field }) => field), 'properties', 'items']);

/** The short message, and the text by which crdify recognises the same changes again. */
type UnhandledChanges = Readonly<{ message: string; text: string }>;

/**
 * What differs between two schemas of a property and is covered by no check: refused, since its safety is
 * unknown (spec: v1-crd-safety.md, `unhandled`). crdify takes two such changes for the same when their diffs
 * are equal, though a diff leaves out what did not change and cuts what is long.
 */
export function unhandledChanges(before: Schema, after: Schema): UnhandledChanges | undefined {
  const [old, next] = [unjudged(before), unjudged(after)];
  if (schemaText(old) === schemaText(next)) return;
  const pointer = { kind: 'pointer', name: '*v1.JSONSchemaProps', to: () => SCHEMA_TYPE } as const;
  const text = goCmpDiff(pointer, schemaGoValue(old), schemaGoValue(next));
  return { message: unhandledSummary(text), text };
}

/** The part of a schema that no check covers. */
const unjudged = (schema: Schema): Schema =>
  Object.fromEntries(Object.entries(schema).filter(([name]) => !HANDLED.has(name)));
