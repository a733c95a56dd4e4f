import { isRecord } from '../json/json-access.js';
import { isAboutSecret, isSecretName, isSecretText, isSecretVariable } from './secret-names.js';
import { HIDDEN, textWithoutSecrets } from './secret-texts.js';

const DEEPEST = 60;
/** Keywords of schemas with fields of any name: these are described there, and hold no value. */
const SCHEMAS: ReadonlySet<string> = new Set(['properties', 'patternProperties', 'definitions', '$defs']);

/** `isWithin`: in a field that holds a secret; `isSchema`: its fields are described. */
type Place = Readonly<{ depth: number; isWithin: boolean; isSchema: boolean }>;

/**
 * Returns an object for people without rights to its cluster. It hides secrets known by name or form, users
 * of addresses, and the data of Secrets in the steps of a plan. Parts that are nested too deeply are left
 * out. The form stays: each list has as many items, each object the same fields.
 */
export function withoutSecrets(value: unknown, depth = 0): unknown {
  return shownAt(value, { depth, isWithin: false, isSchema: false });
}

function shownAt(value: unknown, place: Place): unknown {
  const { depth, isWithin } = place;
  if (depth > DEEPEST) return HIDDEN;
  if (typeof value === 'string') return isWithin && value !== '' ? HIDDEN : textWithoutSecrets(value);
  if (typeof value === 'number' || typeof value === 'bigint') return isWithin ? HIDDEN : value;
  if (Array.isArray(value)) return listAt(value, place);
  return isRecord(value) ? objectAt(value, place) : value;
}

/** True for a flag: `--token` and its value may be two items. */
const isFlag = (item: unknown): item is string => typeof item === 'string' && /^--?[A-Za-z][\w.-]{1,80}$/.test(item);

function listAt(list: readonly unknown[], place: Place): unknown[] {
  const inner = { ...place, depth: place.depth + 1, isSchema: false };
  return list.map((item, at) => {
    const before = list[at - 1];
    const isValue = isFlag(before) && !isFlag(item) && isSecretVariable(before);
    return isValue && typeof item === 'string' && item !== '' ? HIDDEN : shownAt(item, inner);
  });
}

function objectAt(object: Readonly<Record<string, unknown>>, place: Place): unknown {
  const { kind } = object;
  return Object.fromEntries(
    Object.entries(object).map(([field, inner]) => {
      if (kind === 'Secret' && (field === 'data' || field === 'stringData')) return [field, sizes(inner)];
      if (kind === 'ConfigMap' && field === 'binaryData') return [field, sizes(inner)];
      return [field, fieldAt(object, field, inner, place)];
    }),
  );
}

function fieldAt(object: Readonly<Record<string, unknown>>, field: string, value: unknown, place: Place): unknown {
  const { depth, isWithin, isSchema } = place;
  const inner = { depth: depth + 1, isSchema: SCHEMAS.has(field) };
  if (isSchema) return shownAt(value, { ...inner, isWithin: false, isSchema: false });
  if (isWithin && isAboutSecret(field)) return shownAt(value, { ...inner, isWithin: false });
  if (holdsSecret(object, field, value)) return shownAt(value, { ...inner, isWithin: true });
  if (!isWithin && field === 'manifest' && typeof value === 'string') return manifestText(value, depth);
  return shownAt(value, { ...inner, isWithin });
}

/** True if a field holds a secret: by its own name, or by the name of its variable. */
function holdsSecret(object: Readonly<Record<string, unknown>>, field: string, value: unknown): boolean {
  if (field === 'value') {
    const name = object['name'] ?? object['key'];
    return typeof name === 'string' && isSecretVariable(name);
  }
  if (typeof value === 'string') return isSecretText(field, value);
  // A number in a field such as `maxTokens` is a count, not a token.
  if (typeof value === 'number') return isSecretName(field) && !/tokens?$/i.test(field);
  return isSecretName(field);
}

function sizes(data: unknown): unknown {
  if (!isRecord(data)) return HIDDEN;
  return Object.fromEntries(
    Object.entries(data).map(([key, value]) => [key, `${typeof value === 'string' ? value.length : 0} bytes`]),
  );
}

/**
 * Hides secrets in the manifest of a step: an object as JSON. Any other text is not shown, since its content
 * is not known.
 */
function manifestText(text: string, depth: number): string {
  if (text === '') return text;
  try {
    return JSON.stringify(withoutSecrets(JSON.parse(text), depth + 1));
  } catch {
    return HIDDEN;
  }
}
