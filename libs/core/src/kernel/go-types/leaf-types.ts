import { formatGoDuration, parseGoDuration } from '../durations/go-duration.js';
import { base64, GoTypeError } from '../json/go-json.js';
import { isRecord } from '../json/json-access.js';
import { typeProblem } from '../verdict/read-foreign.js';
import { parseTolerant } from '../versions/blang-version.js';
import { goQuote } from '../versions/go-quote.js';
import { formatVersion } from '../versions/version.js';
import { canonicalQuantity, quantityNumber } from './quantity.js';
import type { LeafType } from './type-shape.js';

/** A value as Go writes it back, or why Go does not read it. */
type Leaf = Readonly<{ written: unknown }> | Readonly<{ problem: string }>;

/** Longest text that a problem repeats, in characters. */
const MAX_SHOWN = 40;

const cut = (text: string): string => goQuote(text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text);

const problem = (value: unknown, expected: string): Leaf => ({
  problem: typeof value === 'string' ? `is ${cut(value)}; ${expected} is expected` : typeProblem(value, expected),
});
const quoted = (value: unknown, expected: string): Leaf => ({
  problem: `is the text ${goQuote(String(value))}; ${expected} is expected: remove the quotes`,
});

const LIMIT = { int32: 2 ** 31, int64: 2 ** 63 } as const;

function integer(value: unknown, size: 'int32' | 'int64'): Leaf {
  if (typeof value === 'string' && value !== '' && Number.isInteger(Number(value))) {
    return quoted(value, 'a number');
  }
  if (typeof value !== 'number') return problem(value, 'a number');
  if (!Number.isInteger(value)) return problem(value, 'a whole number');
  if (value >= -LIMIT[size] && value < LIMIT[size]) return { written: value };
  return problem(value, `a number of type ${size}`);
}

const text = (value: unknown): Leaf => (typeof value === 'string' ? { written: value } : problem(value, 'a text'));

function bool(value: unknown): Leaf {
  if (typeof value === 'boolean') return { written: value };
  return value === 'true' || value === 'false' ? quoted(value, 'true or false') : problem(value, 'true or false');
}

/** Reads base64, or a list of numbers; written as base64. */
function bytes(value: unknown): Leaf {
  try {
    return { written: base64(value, { struct: '', path: '' })?.toString('base64') ?? null };
  } catch (error) {
    if (error instanceof GoTypeError) return problem(value, 'a text in base64');
    throw error;
  }
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:\d\d)$/;

function time(value: unknown): Leaf {
  if (typeof value !== 'string') return text(value);
  const at = TIME.test(value) ? Date.parse(value.replace(',', '.')) : Number.NaN;
  if (Number.isNaN(at)) return problem(value, 'a time such as 2006-01-02T15:04:05Z');
  return { written: `${new Date(at).toISOString().slice(0, 19)}Z` };
}

function quantity(value: unknown): Leaf {
  if (quantityNumber(value) === undefined) return problem(value, 'a quantity such as 500m or 1Gi');
  return { written: canonicalQuantity(value) };
}

function duration(value: unknown): Leaf {
  if (typeof value !== 'string') return text(value);
  const parsed = parseGoDuration(value);
  return 'error' in parsed ? problem(value, 'a duration such as 1h30m') : { written: formatGoDuration(parsed.ms) };
}

/** Reads the version of an operator: read tolerantly, written as a semantic version. */
function version(value: unknown): Leaf {
  if (typeof value !== 'string') return text(value);
  const parsed = parseTolerant(value);
  if (!('error' in parsed)) return { written: formatVersion(parsed) };
  return { problem: `is ${cut(value)}; a semantic version is expected: ${parsed.error}` };
}

const RELEASE_PART = /^(?:0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*)$/;

function release(value: unknown): Leaf {
  if (typeof value !== 'string') return text(value);
  return value.split('.').every((part) => RELEASE_PART.test(part))
    ? { written: value }
    : problem(value, 'a release such as 1.alpha');
}

const anyValue = (value: unknown): Leaf => ({ written: value });

function unstructured(value: unknown): Leaf {
  if (!isRecord(value)) return problem(value, 'a map');
  const { kind } = value as Readonly<{ kind?: unknown }>;
  return typeof kind === 'string' && kind !== '' ? { written: value } : { problem: 'has no kind' };
}

/** Reads an update strategy. Go's reader panics if `registryPoll` is missing (spec: api-types.md §11). */
const updateStrategy = (value: unknown): Leaf => (isRecord(value) ? { written: value } : problem(value, 'an object'));

const READERS: Readonly<Record<LeafType, (value: unknown) => Leaf>> = {
  string: text,
  bool,
  int32: (value) => integer(value, 'int32'),
  int64: (value) => integer(value, 'int64'),
  float64: (value) => (typeof value === 'number' ? { written: value } : problem(value, 'a number')),
  bytes,
  Time: time,
  MicroTime: time,
  Duration: duration,
  Quantity: quantity,
  IntOrString: (value) => (typeof value === 'string' ? { written: value } : integer(value, 'int32')),
  OperatorVersion: version,
  OperatorRelease: release,
  UpdateStrategy: updateStrategy,
  Raw: anyValue,
  RawMessage: anyValue,
  Unstructured: unstructured,
  SchemaOrArray: anyValue,
  SchemaOrBool: anyValue,
  SchemaOrStrings: anyValue,
};

/** Reads a value that is there and not null. */
export const readLeaf = (leaf: LeafType, value: unknown): Leaf => READERS[leaf](value);

/** Types with a reader of their own that refuses null, unless a pointer stands before them. */
const REFUSES_NULL: ReadonlySet<LeafType> = new Set(['OperatorVersion', 'OperatorRelease', 'Duration', 'Unstructured']);

/** Returns why null is refused, or undefined if null counts as absent. */
export const nullProblem = (leaf: LeafType): string | undefined =>
  REFUSES_NULL.has(leaf) ? 'is empty: give it a value, or leave it out' : undefined;

const ZERO: Readonly<Partial<Record<LeafType, unknown>>> = {
  string: '',
  bool: false,
  int32: 0,
  int64: 0,
  float64: 0,
  Duration: '0s',
  Quantity: '0',
  IntOrString: 0,
  OperatorVersion: '0.0.0',
  OperatorRelease: '',
};

/** Returns the value of a leaf that is absent, as Go writes it. */
export const zeroLeaf = (leaf: LeafType): unknown => ZERO[leaf] ?? null;

/** Leaves that `omitempty` leaves out when they are zero; the others are structs to Go. */
export const isScalar = (leaf: LeafType): boolean =>
  leaf === 'string' || leaf === 'bool' || leaf === 'int32' || leaf === 'int64' || leaf === 'float64';
