import { UsageError } from '../../terminal/io.js';
import { CACHE_ONLY, COMMON_FLAGS, OPM_VERBS, type OpmFlag, type OpmVerb } from './opm-verbs.js';

/** The command line of Flotilla for one of opm. */
export type Translated = Readonly<{
  argv: readonly string[];
  /** The parts that are left out, for people. */
  notes: readonly string[];
  /** Every registry is spoken to in plain HTTP. */
  plainHttp: boolean;
}>;

const PLAIN_HTTP = '--use-http';
const UNVERIFIED = ['--skip-tls', '--skip-tls-verify'];

/** Translates the words after `opm`; the error names a verb or flag that has no counterpart. */
export function translateOpm(given: readonly string[]): Translated | Readonly<{ error: string }> {
  try {
    return translate(given);
  } catch (error) {
    if (error instanceof UsageError) return { error: error.message };
    throw error;
  }
}

function translate(given: readonly string[]): Translated {
  const isOn = (flag: string) => given.some((one) => one === flag || one === `${flag}=true`);
  const unverified = UNVERIFIED.find(isOn);
  if (unverified !== undefined) {
    throw new UsageError(
      `${unverified}: certificates of registries are always verified; name the trusted authority in FLOTILLA_REGISTRY_CA`,
    );
  }
  const hidden = new Set([...UNVERIFIED, PLAIN_HTTP].flatMap((flag) => [flag, `${flag}=true`, `${flag}=false`]));
  const words = given.filter((one) => !hidden.has(one));
  const verb = OPM_VERBS.find((one) => matches(one, words));
  if (verb === undefined) throw new UsageError(unknownVerb(words));
  const rest = words.slice(verb.words.length);
  const isCacheOnly = verb.words[0]?.[0] === 'serve' && rest.includes(CACHE_ONLY.flag);
  const { argv, notes } = translateFlags(verb, isCacheOnly ? rest.filter((one) => one !== CACHE_ONLY.flag) : rest);
  const plainHttp = isOn(PLAIN_HTTP);
  if (isCacheOnly) {
    const operands = argv.filter((one) => !one.startsWith('-'));
    return { argv: [...CACHE_ONLY.flotilla, ...operands], notes: [...notes, CACHE_ONLY.note], plainHttp };
  }
  return { argv: [...verb.flotilla, ...argv], notes, plainHttp };
}

const matches = ({ words }: OpmVerb, given: readonly string[]): boolean =>
  words.every((names, at) => names.includes(given[at] ?? ''));

const NAMED = OPM_VERBS.map(({ words }) => words.map(([name]) => name).join(' ')).join(', ');

function unknownVerb(words: readonly string[]): string {
  const [first, second] = words;
  const what =
    first === undefined ? 'no verb is given' : `opm ${[first, second].filter(Boolean).join(' ')} is unknown here`;
  const sqlite = first === 'index' || first === 'registry' ? ' (SQLite catalogs are not supported)' : '';
  return `${what}${sqlite}; verbs of opm: ${NAMED}`;
}

function translateFlags(verb: OpmVerb, rest: readonly string[]): Readonly<{ argv: string[]; notes: string[] }> {
  const flags: Readonly<Record<string, OpmFlag>> = { ...COMMON_FLAGS, ...verb.flags };
  const argv: string[] = [];
  const notes = new Set<string>();
  const left = rest.values();
  for (const word of left) {
    if (!word.startsWith('-') || word === '-') {
      argv.push(word);
      continue;
    }
    const { name, value } = split(word);
    const flag = flagOf(verb, flags, name);
    const given = flag.takesValue ? (value ?? left.next().value ?? '') : undefined;
    if (flag.note !== undefined) notes.add(`${name} has no effect: ${flag.note}`);
    if (flag.to !== undefined) argv.push(given === undefined ? flag.to : `${flag.to}=${given}`);
  }
  return { argv, notes: [...notes] };
}

function flagOf({ words }: OpmVerb, flags: Readonly<Record<string, OpmFlag>>, name: string): OpmFlag {
  const flag = Object.hasOwn(flags, name) ? flags[name] : undefined;
  if (flag !== undefined) return flag;
  throw new UsageError(`opm ${words.map(([one]) => one).join(' ')}: unknown flag: ${name}`);
}

/** `--flag=value`, `-f=value` and `-fvalue` as Go's flag packages read them. */
function split(word: string): Readonly<{ name: string; value: string | undefined }> {
  const long = /^(--[^=]+)(?:=([\s\S]*))?$/.exec(word);
  if (long !== null) return { name: long[1] ?? '', value: long[2] };
  const short = /^(-[A-Za-z])(?:=?([\s\S]+))?$/.exec(word);
  return { name: short?.[1] ?? word, value: short?.[2] };
}
