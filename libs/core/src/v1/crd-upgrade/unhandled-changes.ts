import { goCmpDiff } from '../../kernel/go-diff/go-cmp-diff.js';
import { PROPERTY_CHECKS } from './property-checks.js';
import { type Schema, schemaText } from './schema.js';
import { SCHEMA_TYPE } from './schema-go-type.js';
import { schemaGoValue } from './schema-go-value.js';
import { unhandledSummary } from './unhandled-summary.js';

/** Fields with a check of their own, and fields with schemas that are properties of their own. */
const HANDLED: ReadonlySet<string> = new Set([...PROPERTY_CHECKS.map(({ field }) => field), 'properties', 'items']);

/** The short message, and the text by which crdify recognises the same changes again. */
type UnhandledChanges = Readonly<{ message: string; text: string }>;

/**
 * Returns the differences between two schemas of a property that no check covers. They are refused, since
 * their safety is unknown (spec: v1-crd-safety.md, `unhandled`). crdify treats two such changes as the same
 * when their diffs are equal, though a diff leaves out unchanged parts and cuts long ones.
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
