import { foldCase } from '../../kernel/json/go-json.js';
import { isRecord } from '../../kernel/json/json-access.js';
import { goQuote } from '../../kernel/versions/go-quote.js';
import { nearest } from './strict-nearest.js';
import type { StrictFinding } from './strict-warning.js';

/** The fields of an object with the shape of each, `{}` for a plain value or anything at all. */
type Shape = Readonly<{ [field: string]: Shape }>;

const ANY: Shape = {};
const PROPERTY: Shape = { type: ANY, value: ANY };

/** The fields that opm reads; it drops any other without a word (spec: file-based-catalogs.md §2). */
const SHAPES: ReadonlyMap<string, Shape> = new Map<string, Shape>([
  [
    'olm.package',
    {
      schema: ANY,
      name: ANY,
      defaultChannel: ANY,
      icon: { base64data: ANY, mediatype: ANY },
      description: ANY,
      properties: PROPERTY,
    },
  ],
  [
    'olm.channel',
    {
      schema: ANY,
      name: ANY,
      package: ANY,
      entries: { name: ANY, replaces: ANY, skips: ANY, skipRange: ANY },
      properties: PROPERTY,
    },
  ],
  [
    'olm.bundle',
    {
      schema: ANY,
      name: ANY,
      package: ANY,
      image: ANY,
      properties: PROPERTY,
      relatedImages: { name: ANY, image: ANY },
    },
  ],
  [
    'olm.deprecations',
    {
      schema: ANY,
      package: ANY,
      entries: { reference: { schema: ANY, name: ANY }, message: ANY },
    },
  ],
]);

/**
 * Fields of a blob that have no effect, since opm does not know them; none for schemas that are not OLM's.
 */
export function unknownFields(schema: string, blob: Readonly<Record<string, unknown>>): StrictFinding[] {
  const shape = SHAPES.get(schema);
  return shape === undefined ? [] : [...unknownIn(blob, shape, '')];
}

function* unknownIn(value: unknown, shape: Shape, path: string): Generator<StrictFinding> {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield* unknownIn(item, shape, `${path}[${index}]`);
    return;
  }
  const known = Object.keys(shape);
  if (!isRecord(value) || known.length === 0) return;
  for (const [key, inner] of Object.entries(value)) {
    const field = known.find((name) => foldCase(name) === foldCase(key));
    const below = path === '' ? key : `${path}.${key}`;
    if (field === undefined)
      yield { message: `${below}: opm does not know this field and drops it`, advice: advise(key, known) };
    else yield* unknownIn(inner, shape[field] ?? ANY, below);
  }
}

const CONSTRAINT_FIELDS = new Set(['gvk', 'package', 'cel', 'all', 'any', 'not', 'failuremessage']);

function advise(key: string, known: readonly string[]): string {
  if (key === 'property' && known.includes('value')) {
    return 'write each item as {type: <type>, value: <value>}, without "property:" around it';
  }
  if (known.includes('value') && CONSTRAINT_FIELDS.has(foldCase(key))) {
    return `indent it: ${goQuote(key)} belongs in "value"`;
  }
  const meant = nearest(key, known);
  return meant === undefined ? `fields here are ${known.join(', ')}` : `write ${goQuote(meant)}`;
}
