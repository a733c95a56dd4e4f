import { isRecord } from '../../kernel/json/go-json.js';

/** In the place of a value that is not shown. */
export const HIDDEN = '••••';

const SECRET_VARIABLE = /pass|secret|token|key|credential/i;
/** Fields that hold a secret itself; the likes of `secretName` and `pullSecret` hold names. */
const SECRET_FIELD = /(?:password|passwd|token|api_?key|credentials?)$/i;
const USER_OF_URL = /\b([a-z][a-z0-9+.-]{1,20}:\/\/)[^\s/?#@]+@/gi;
const DEEPEST = 60;

/** A text without the user and password of the addresses in it. */
export const withoutUsers = (text: string): string => text.replaceAll(USER_OF_URL, `$1${HIDDEN}@`);

/**
 * Whether a field of an object holds a secret: the value of an environment variable whose name says so, or a
 * field of such a name.
 */
export function isSecretField(object: Readonly<Record<string, unknown>>, field: string): boolean {
  if (field !== 'value') return SECRET_FIELD.test(field);
  const { name } = object;
  return typeof name === 'string' && SECRET_VARIABLE.test(name);
}

/**
 * An object as people may see it who have no right to its cluster: secrets, user parts of addresses, and the
 * data of Secrets in the steps of a plan are hidden. What is nested too deeply is left out.
 */
export function withoutSecrets(value: unknown, depth = 0): unknown {
  if (depth > DEEPEST) return HIDDEN;
  if (typeof value === 'string') return withoutUsers(value);
  if (Array.isArray(value)) return value.map((one) => withoutSecrets(one, depth + 1));
  if (!isRecord(value)) return value;
  const isSecret = value['kind'] === 'Secret';
  return Object.fromEntries(
    Object.entries(value).map(([field, inner]) => {
      if (isSecret && (field === 'data' || field === 'stringData')) return [field, sizes(inner)];
      if (typeof inner !== 'string') return [field, withoutSecrets(inner, depth + 1)];
      if (inner !== '' && isSecretField(value, field)) return [field, HIDDEN];
      return [field, field === 'manifest' ? manifestText(inner, depth) : withoutUsers(inner)];
    }),
  );
}

function sizes(data: unknown): unknown {
  if (!isRecord(data)) return HIDDEN;
  return Object.fromEntries(
    Object.entries(data).map(([key, value]) => [key, `${typeof value === 'string' ? value.length : 0} bytes`]),
  );
}

/** The manifest of a step is an object as JSON. One that is none is not shown: what it holds is not known. */
function manifestText(text: string, depth: number): string {
  if (text === '') return text;
  try {
    return JSON.stringify(withoutSecrets(JSON.parse(text), depth + 1));
  } catch {
    return HIDDEN;
  }
}
