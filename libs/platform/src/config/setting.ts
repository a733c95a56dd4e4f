import { isIP } from 'node:net';
import { parseDuration } from './duration.js';
import { parseBytes } from './quantity.js';

export type Environment = Readonly<Record<string, string | undefined>>;

/** A setting: the parser of its text, its default, and its meaning. */
export type Setting<T> = Readonly<{
  /** Unit or form, for people: `duration`, `bytes`, `number`, `true or false`, `list` … */
  unit: string;
  /** The default, as in the environment. */
  default: string;
  meaning: string;
  /** Returns the value, or undefined if the text is none. */
  parse: (text: string, env: Environment) => T | undefined;
  /** The form of a valid value, for the error message. */
  wants: string;
  /** A secret: its text never appears in a message. */
  secret?: boolean;
  /** Other environment variables that are read when ours is not set. */
  aliases?: readonly string[];
}>;

type Bounds = Readonly<{ min?: number; max?: number }>;
const within = (value: number | undefined, { min = 0, max = Number.MAX_SAFE_INTEGER }: Bounds) =>
  value !== undefined && value >= min && value <= max ? value : undefined;

/** In milliseconds. */
export const duration = (
  fallback: string,
  meaning: string,
  { min }: Readonly<{ min?: string }> = {},
): Setting<number> => ({
  unit: 'duration',
  default: fallback,
  meaning,
  parse: (text) => within(parseDuration(text), { min: parseDuration(min ?? '0') ?? 0 }),
  wants: `a duration such as 15m or 1h30m${min ? `, at least ${min}` : ''}`,
});

export const bytes = (fallback: string, meaning: string): Setting<number> => ({
  unit: 'bytes',
  default: fallback,
  meaning,
  parse: (text) => within(parseBytes(text), { min: 1 }),
  wants: 'an amount of bytes such as 512Mi or 4Gi',
});

/** Reads bytes or `auto`: the value that the process finds to be right. */
export const bytesOrAuto = (meaning: string): Setting<number | 'auto'> => {
  const amount = bytes('', meaning);
  return {
    ...amount,
    unit: 'bytes or auto',
    default: 'auto',
    parse: (text, env) => (text === 'auto' ? 'auto' : amount.parse(text, env)),
    wants: `auto, or ${amount.wants}`,
  };
};

export const count = (
  fallback: number,
  meaning: string,
  { min = 0, max = 1_000_000_000 }: Bounds = {},
): Setting<number> => ({
  unit: 'number',
  default: String(fallback),
  meaning,
  parse: (text) => (/^\d{1,15}$/.test(text) ? within(Number(text), { min, max }) : undefined),
  wants: `a whole number from ${min} to ${max}`,
});

export const port = (fallback: number, meaning: string): Setting<number> => count(fallback, meaning, { max: 65_535 });

/** A port of its own, or `same`: that of the service. */
export const ownPort = (meaning: string): Setting<number | 'same'> => {
  const number = port(0, meaning);
  return {
    ...number,
    unit: 'number or same',
    default: 'same',
    parse: (text, env) => (text === 'same' ? 'same' : number.parse(text, env)),
    wants: `same, or ${number.wants}`,
  };
};

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
]);

export const flag = (fallback: boolean, meaning: string): Setting<boolean> => ({
  unit: 'true or false',
  default: String(fallback),
  meaning,
  parse: (text) => BOOLEANS.get(text.toLowerCase()),
  wants: 'true or false',
});

const namesIn = (text: string): string[] =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean);

export const list = (meaning: string): Setting<readonly string[]> => ({
  unit: 'list, with commas',
  default: '',
  meaning,
  parse: namesIn,
  wants: 'names with commas between them',
});

/** IP addresses, and networks as `ADDRESS/BITS`. */
export const networks = (meaning: string): Setting<readonly string[]> => ({
  ...list(meaning),
  unit: 'list of networks, with commas',
  parse: (text) => {
    const found = namesIn(text);
    return found.every(isNetwork) ? found : undefined;
  },
  wants: 'addresses or networks such as 10.0.0.0/8 or fd00::/8, with commas between them',
});

function isNetwork(text: string): boolean {
  const [address = '', bits, ...more] = text.split('/');
  const most = isIP(address) === 6 ? 128 : 32;
  const fits = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) >= 1 && Number(bits) <= most);
  return isIP(address) !== 0 && fits && more.length === 0;
}

/** Some of the options, with commas. */
export const someOf = <T extends string>(
  options: readonly T[],
  fallback: readonly T[],
  meaning: string,
): Setting<readonly T[]> => ({
  unit: `list of ${options.join(', ')}`,
  default: fallback.join(','),
  meaning,
  parse: (text) => {
    const names = text.split(',').map((name) => name.trim().toLowerCase());
    const chosen = options.filter((option) => names.includes(option));
    return chosen.length === new Set(names).size ? chosen : undefined;
  },
  wants: `a list of ${options.join(', ')} with commas between them`,
});

export const oneOf = <T extends string>(options: readonly T[], fallback: T, meaning: string): Setting<T> => ({
  unit: options.join(', '),
  default: fallback,
  meaning,
  parse: (text) => options.find((option) => option === text.toLowerCase()),
  wants: `one of ${options.join(', ')}`,
});

type TextForm = Readonly<{ pattern?: RegExp; wants?: string; secret?: boolean; aliases?: readonly string[] }>;

export const text = (fallback: string, meaning: string, form: TextForm = {}): Setting<string> => ({
  unit: 'text',
  default: fallback,
  meaning,
  parse: (value) => (form.pattern === undefined || form.pattern.test(value) ? value : undefined),
  wants: form.wants ?? 'text',
  ...(form.secret ? { secret: true } : {}),
  ...(form.aliases ? { aliases: form.aliases } : {}),
});

/** A path; `~/` is the home directory. */
export const path = (fallback: string, meaning: string, form: Pick<TextForm, 'aliases'> = {}): Setting<string> => ({
  ...text(fallback, meaning, form),
  unit: 'path',
  parse: (value, env) => (value.startsWith('~/') ? `${env['HOME'] ?? ''}${value.slice(1)}` : value),
});

const URL_FORM = /^https?:\/\/[^\s]+$/;

export const url = (meaning: string, form: Pick<TextForm, 'aliases'> = {}): Setting<string> => ({
  ...text('', meaning, form),
  unit: 'URL',
  parse: (value) => (value === '' || (URL_FORM.test(value) && URL.canParse(value)) ? value : undefined),
  wants: 'a URL such as http://catalog-poller:8080',
});

/** Names of headers and attributes. */
const PAIR_NAME = /^[\w!#$%&'*+.^`|~-]+$/;

/**
 * Reads pairs such as `name=value,other=value`, their values percent-encoded, as OpenTelemetry's own
 * variables have them. A later pair replaces an earlier one of its name.
 */
export const pairs = (
  meaning: string,
  form: Pick<TextForm, 'secret' | 'aliases'>,
): Setting<Readonly<Record<string, string>>> => ({
  ...text('', meaning, form),
  unit: 'pairs',
  parse: parsePairs,
  wants: 'pairs such as name=value,other=value, with values percent-encoded',
});

function parsePairs(text: string): Readonly<Record<string, string>> | undefined {
  const found: [string, string][] = [];
  for (const pair of text.split(',').filter((part) => part.trim() !== '')) {
    const [name = '', ...rest] = pair.split('=');
    const value = decoded(rest.join('=').trim());
    if (rest.length === 0 || value === undefined || !PAIR_NAME.test(name.trim())) return undefined;
    found.push([name.trim(), value]);
  }
  return Object.fromEntries(found);
}

/** Returns the decoded text; undefined if it is not percent-encoded, or no header may have its characters. */
function decoded(encoded: string): string | undefined {
  try {
    const value = decodeURIComponent(encoded);
    return /[\0\r\n]/.test(value) ? undefined : value;
  } catch {
    return undefined;
  }
}
