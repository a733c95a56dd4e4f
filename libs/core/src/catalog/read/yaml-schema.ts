import { Buffer } from 'node:buffer';
import { defineMappingTag, defineScalarTag, defineSequenceTag, NOT_RESOLVED, Schema, strTag } from 'js-yaml';

// YAML as Kubernetes' tools read it: YAML 1.1 scalars without sexagesimals and dates
// (spec: file-based-catalogs.md §1.2).

const NULLS = new Set(['', '~', 'null', 'Null', 'NULL']);
const TRUES = new Set(['y', 'Y', 'yes', 'Yes', 'YES', 'true', 'True', 'TRUE', 'on', 'On', 'ON']);
const FALSES = new Set(['n', 'N', 'no', 'No', 'NO', 'false', 'False', 'FALSE', 'off', 'Off', 'OFF']);
const NOT_JSON = /^([-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN))$/;
const PREFIXED_INT = /^([-+]?)0([xX][0-9a-fA-F]+|[oO][0-7]+|[bB][01]+)$/;
const OLD_OCTAL = /^([-+]?)0([0-7]+)$/;
const DECIMAL = /^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$/;
const NUMBER_START = /^[-+.0-9]/;
const MAX_UINT64 = 2n ** 64n;

/** Value of a plain scalar that Go's YAML reader takes as a number, else undefined. */
function numberOf(source: string): number | undefined {
  // A scalar that begins with a dot is a float and may not hold underscores; others may, anywhere.
  const plain = source.startsWith('.') ? source : source.replaceAll('_', '');
  const prefixed = PREFIXED_INT.exec(plain);
  if (prefixed) return integer(prefixed[1] ?? '', `0${prefixed[2]}`);
  const octal = OLD_OCTAL.exec(plain);
  if (octal) return integer(octal[1] ?? '', `0o${octal[2]}`);
  if (!DECIMAL.test(plain)) return undefined;
  const value = Number(plain);
  // A whole number has no negative zero.
  if (value === 0 && /^[-+]?[0-9]+$/.test(plain)) return 0;
  return Number.isFinite(value) ? value : undefined;
}

function integer(sign: string, digits: string): number | undefined {
  const value = BigInt(digits);
  if (value >= MAX_UINT64) return undefined;
  return Number(sign === '-' ? -value : value);
}

function resolveNumber(source: string): number | typeof NOT_RESOLVED {
  if (NOT_JSON.test(source)) throw new Error(`json: unsupported value: ${source}`);
  return numberOf(source) ?? NOT_RESOLVED;
}

/**
 * What a plain scalar stands for, text where nothing else; undefined for what is not a value: a merge, or a
 * number that JSON does not have.
 */
export function plainValue(source: string): string | number | boolean | null | undefined {
  if (NULLS.has(source)) return null;
  if (TRUES.has(source)) return true;
  if (FALSES.has(source)) return false;
  if (source === '<<' || NOT_JSON.test(source)) return undefined;
  return NUMBER_START.test(source) ? (numberOf(source) ?? source) : source;
}

const nullTag = defineScalarTag<null>('tag:yaml.org,2002:null', {
  implicit: true,
  implicitFirstChars: ['', '~', 'n', 'N'],
  resolve: (source) => (NULLS.has(source) ? null : NOT_RESOLVED),
  identify: (data) => data === null,
});

const boolTag = defineScalarTag<boolean>('tag:yaml.org,2002:bool', {
  implicit: true,
  implicitFirstChars: [...'yYnNtTfFoO'],
  resolve: (source) => (TRUES.has(source) ? true : FALSES.has(source) ? false : NOT_RESOLVED),
  identify: (data) => typeof data === 'boolean',
});

const floatTag = defineScalarTag<number>('tag:yaml.org,2002:float', {
  implicit: true,
  implicitFirstChars: [...'+-.0123456789'],
  resolve: resolveNumber,
  identify: (data) => typeof data === 'number',
});

const intTag = defineScalarTag<number>('tag:yaml.org,2002:int', {
  resolve: (source) => (PREFIXED_INT.test(source) || !/[.eE]/.test(source) ? resolveNumber(source) : NOT_RESOLVED),
  identify: () => false,
});

const binaryTag = defineScalarTag<string>('tag:yaml.org,2002:binary', {
  resolve: (source) => Buffer.from(source, 'base64').toString(),
  identify: () => false,
});

/** Any other tag is passed over: a scalar is text, a collection is itself. */
const otherScalarTag = defineScalarTag<string>('', {
  matchByTagPrefix: true,
  resolve: (source) => source,
  identify: () => false,
});

/** The key `<<` while its value is not known. */
const MERGE = Symbol('<<');

/** Named other than YAML's own, because the parser has ideas of its own about that. */
const mergeTag = defineScalarTag<symbol>('merge', {
  implicit: true,
  implicitFirstChars: ['<'],
  resolve: (source) => (source === '<<' ? MERGE : NOT_RESOLVED),
  identify: () => false,
});

/** Anywhere but as a key it is text. */
const textOfMerge = (value: unknown): unknown => (value === MERGE ? '<<' : value);

const sequence = {
  create: (): unknown[] => [],
  addItem: (carrier: unknown[], item: unknown) => void carrier.push(textOfMerge(item)),
  identify: (data: unknown) => Array.isArray(data),
};

type Mapping = Record<string, unknown>;

/** Most keys that the merges of one document may copy. */
const MAX_MERGED_KEYS = 1_000_000;

/** `merged` is how many keys have been copied. */
function mapping(state: { merged: number }) {
  const addPair = (carrier: Mapping, key: unknown, value: unknown): string => {
    if (key === MERGE) return merge(carrier, value, state);
    if (key === null || typeof key === 'object') return 'unsupported map key';
    setKey(carrier, String(key), textOfMerge(value));
    return '';
  };
  return {
    create: (): Mapping => ({}),
    addPair,
    has: (carrier: Mapping, key: unknown) => Object.hasOwn(carrier, String(key)),
    keys: (carrier: Mapping) => Object.keys(carrier),
    get: (carrier: Mapping, key: unknown) => carrier[String(key)],
    identify: isMapping,
  };
}

const isMapping = (data: unknown): data is Mapping => typeof data === 'object' && data !== null && !Array.isArray(data);

/** A plain assignment to `__proto__` would change the object's prototype instead of adding a key. */
function setKey(carrier: Mapping, name: string, value: unknown): void {
  if (name !== '__proto__') carrier[name] = value;
  else Object.defineProperty(carrier, name, { value, enumerable: true, configurable: true, writable: true });
}

/**
 * A merged key replaces keys written before it, not those written after it; of several merged
 * values the first counts.
 */
function merge(carrier: Mapping, value: unknown, state: { merged: number }): string {
  const sources = Array.isArray(value) ? value.toReversed() : [value];
  for (const source of sources) {
    if (!isMapping(source)) return 'map merge requires map or sequence of maps as the value';
    for (const [key, inner] of Object.entries(source)) {
      state.merged += 1;
      if (state.merged > MAX_MERGED_KEYS) return `merges copy more than ${MAX_MERGED_KEYS} keys`;
      setKey(carrier, key, inner);
    }
  }
  return '';
}

/** Reads one text of YAML into values that JSON can hold, as sigs.k8s.io/yaml does. */
export function kubernetesYaml(): Schema {
  const ofText = mapping({ merged: 0 });
  return new Schema([
    strTag,
    nullTag,
    boolTag,
    floatTag,
    intTag,
    binaryTag,
    mergeTag,
    otherScalarTag,
    defineSequenceTag('tag:yaml.org,2002:seq', sequence),
    defineSequenceTag('', { ...sequence, matchByTagPrefix: true, identify: () => false }),
    defineMappingTag('tag:yaml.org,2002:map', ofText),
    defineMappingTag('', { ...ofText, matchByTagPrefix: true, identify: () => false }),
  ]);
}

/** For texts without merges, which need no counting. */
export const KUBERNETES_YAML = kubernetesYaml();

/** A document that is `<<` alone. */
export const documentValue = (root: unknown): unknown => textOfMerge(root ?? null);
