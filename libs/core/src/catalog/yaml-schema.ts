import { Buffer } from 'node:buffer';
import { defineMappingTag, defineScalarTag, defineSequenceTag, mergeTag, NOT_RESOLVED, Schema, strTag } from 'js-yaml';

// YAML as Kubernetes' tools read it: YAML 1.1 scalars without sexagesimals and dates (spec: file-based-catalogs.md §1.2).

const NULLS = new Set(['', '~', 'null', 'Null', 'NULL']);
const TRUES = new Set(['y', 'Y', 'yes', 'Yes', 'YES', 'true', 'True', 'TRUE', 'on', 'On', 'ON']);
const FALSES = new Set(['n', 'N', 'no', 'No', 'NO', 'false', 'False', 'FALSE', 'off', 'Off', 'OFF']);
const NOT_JSON = /^([-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN))$/;
const PREFIXED_INT = /^([-+]?)0([xX][0-9a-fA-F]+|[oO][0-7]+|[bB][01]+)$/;
const OLD_OCTAL = /^([-+]?)0([0-7]+)$/;
const DECIMAL = /^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$/;
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
  return Number.isFinite(value) ? value : undefined;
}

function integer(sign: string, digits: string): number | undefined {
  const value = BigInt(digits);
  if (value >= MAX_UINT64) return undefined;
  return sign === '-' ? -Number(value) : Number(value);
}

function resolveNumber(source: string): number | typeof NOT_RESOLVED {
  if (NOT_JSON.test(source)) throw new Error(`json: unsupported value: ${source}`);
  return numberOf(source) ?? NOT_RESOLVED;
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

const intTag = defineScalarTag<number>('tag:yaml.org,2002:int', { resolve: resolveNumber, identify: () => false });

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

const sequence = {
  create: (): unknown[] => [],
  addItem: (carrier: unknown[], item: unknown) => void carrier.push(item),
  identify: (data: unknown) => Array.isArray(data),
};

type Mapping = Record<string, unknown>;
const mapping = {
  create: (): Mapping => ({}),
  addPair: (carrier: Mapping, key: unknown, value: unknown) => {
    if (key === null || typeof key === 'object') return 'unsupported map key';
    const name = String(key);
    // A plain assignment to `__proto__` would change the object's prototype instead of adding a key.
    if (name === '__proto__') Object.defineProperty(carrier, name, { value, enumerable: true, configurable: true });
    else carrier[name] = value;
    return '';
  },
  has: (carrier: Mapping, key: unknown) => Object.hasOwn(carrier, String(key)),
  keys: (carrier: Mapping) => Object.keys(carrier),
  get: (carrier: Mapping, key: unknown) => carrier[String(key)],
  identify: (data: unknown) => typeof data === 'object' && data !== null,
};

/** Reads YAML into values that JSON can hold, as sigs.k8s.io/yaml does. */
export const KUBERNETES_YAML = new Schema([
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
  defineMappingTag('tag:yaml.org,2002:map', mapping),
  defineMappingTag('', { ...mapping, matchByTagPrefix: true, identify: () => false }),
]);
