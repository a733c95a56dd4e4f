import { canonicalQuantity } from '../../../kernel/go-types/quantity.js';
import { isRecord } from '../../../kernel/json/json-access.js';

/** Lists that Go writes even when they are empty. */
const ALWAYS_WRITTEN: ReadonlySet<string> = new Set(['containers', 'nodeSelectorTerms']);
/** Maps of texts or quantities, which Go leaves out when they are empty; an empty structure has a meaning. */
const MAPS: ReadonlySet<string> = new Set(['nodeSelector', 'matchLabels', 'limits', 'requests']);
const OF_QUANTITIES: ReadonlySet<string> = new Set(['limits', 'requests']);
const QUANTITIES: ReadonlySet<string> = new Set(['sizeLimit', 'divisor']);

/**
 * Returns a part of a Deployment as Go's types write it: empty lists and maps are left out, quantities have
 * one form.
 */
export function asTyped(record: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(record)
      .filter(([key, value]) => !isLeftOut(key, value))
      .map(([key, value]) => [key, typedField(key, value)]),
  );
}

const isLeftOut = (key: string, value: unknown): boolean =>
  Array.isArray(value)
    ? value.length === 0 && !ALWAYS_WRITTEN.has(key)
    : MAPS.has(key) && isRecord(value) && Object.keys(value).length === 0;

function typedField(key: string, value: unknown): unknown {
  if (QUANTITIES.has(key)) return canonicalQuantity(value);
  if (Array.isArray(value)) return value.map((one: unknown) => (isRecord(one) ? asTyped(one) : one));
  if (!isRecord(value)) return value;
  if (!OF_QUANTITIES.has(key)) return asTyped(value);
  return Object.fromEntries(Object.entries(value).map(([name, amount]) => [name, canonicalQuantity(amount)]));
}
