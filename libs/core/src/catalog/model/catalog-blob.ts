import { byCodeUnit } from '../../kernel/canonical/canonical-json.js';
import { goFloat } from '../../kernel/json/go-float.js';
import { foldCase } from '../../kernel/json/go-json.js';
import { isRecord } from '../../kernel/json/json-access.js';
import { goQuote } from '../../kernel/versions/go-quote.js';
import { BlobError, BlobFormError, CatalogLoadError } from './catalog-load.error.js';

/** The place at which a blob begins. */
export type BlobStart = Readonly<{
  /** Path of the file, below the catalog's root. */
  path: string;
  /** Number of its first line, from 1. */
  line: number;
}>;

/** The place and format of a blob. */
type BlobPlace = BlobStart & Readonly<{ format: 'json' | 'yaml' }>;

/** Identity of a blob. Fields that the blob does not have are empty. */
export type BlobMeta = Readonly<{ schema: string; package: string; name: string }>;

/** A blob as read: an object with a known schema, package and name. Nothing else is checked. */
export type CatalogBlob = BlobPlace & BlobMeta & Readonly<{ value: Readonly<Record<string, unknown>> }>;

/**
 * Returns the value as a blob (spec: file-based-catalogs.md §1.3). Throws {@link CatalogLoadError} if it is
 * no object or its identity is malformed.
 */
export function catalogBlob(value: unknown, place: BlobPlace): CatalogBlob {
  return atPlace(place, () => {
    if (value === null && place.format === 'json') throw new BlobError("object 'null\n' is missing root schema field");
    return { ...place, ...metaOf(value), value: recordOf(value) };
  });
}

/** Runs `read`, and adds the blob's place to its error. */
export function atPlace<T>({ path, line, format }: BlobPlace, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof BlobError)) throw error;
    const decoding = error instanceof BlobFormError && format === 'yaml';
    const prefix = decoding ? 'error unmarshaling JSON: while decoding JSON: ' : '';
    // A line of the error's own counts within an inline manifest; the person needs the blob's.
    throw new CatalogLoadError(path, `${prefix}${error.olmText}`, line);
  }
}

/** Returns the value as an object, the form of every blob. Throws {@link BlobError}. */
export function recordOf(value: unknown): Record<string, unknown> {
  if (value === null) throw new BlobError("object '' is missing root schema field");
  if (isRecord(value)) return value;
  const kind = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
  throw new BlobFormError(`json: cannot unmarshal ${kind} into Go value of type map[string]interface {}`);
}

/** Reads the schema, package and name of a blob. Throws {@link BlobError}. */
export function metaOf(value: unknown): BlobMeta {
  const blob = recordOf(value);
  const spellings = new Map<string, string[]>();
  for (const key of Object.keys(blob)) {
    const folded = foldCase(key);
    const known = spellings.get(folded);
    if (known) known.push(key);
    else spellings.set(folded, [key]);
  }
  rejectDuplicates(spellings);
  const textOf = (name: string): string => {
    const key = spellings.get(name)?.[0];
    const found = key === undefined ? '' : blob[key];
    if (typeof found !== 'string') throw new BlobFormError(notText(key ?? name, found));
    return found;
  };
  return { schema: textOf('schema'), package: textOf('package'), name: textOf('name') };
}

function rejectDuplicates(spellings: ReadonlyMap<string, string[]>): void {
  const duplicates = [...spellings]
    .filter(([, keys]) => keys.length > 1)
    .map(([folded, keys]) => `duplicate keys for key ${goQuote(folded)}: [${keys.sort(byCodeUnit).join(' ')}]`)
    .sort(byCodeUnit);
  if (duplicates.length === 1) throw new BlobFormError(duplicates.join());
  if (duplicates.length > 1) throw new BlobFormError(`[${duplicates.join(', ')}]`);
}

/** Returns opm's error about a field that is no text. The slip in the format (`%!t`) is opm's own. */
const notText = (key: string, value: unknown): string =>
  `expected value for key ${goQuote(key)} to be a string, got ${value === null ? '%!t(<nil>)' : slipped(value)}: ${shown(value)}`;

/** Prints a value as Go's verb for booleans does. opm uses that verb by mistake. */
function slipped(value: unknown): string {
  if (typeof value === 'number') return `%!t(float64=${shown(value)})`;
  return typeof value === 'string' ? `%!t(string=${value})` : collected(value, slipped);
}

const shown = (value: unknown): string => (typeof value === 'number' ? goFloat(value) : collected(value, shown));

function collected(value: unknown, text: (value: unknown) => string): string {
  if (value === null) return '<nil>';
  if (Array.isArray(value)) return `[${value.map(text).join(' ')}]`;
  if (!isRecord(value)) return String(value);
  const keys = Object.keys(value).sort(byCodeUnit);
  return `map[${keys.map((key) => `${text(key)}:${text(value[key])}`).join(' ')}]`;
}
