import type { CompletedOption, CompletedVerb, CompletionCandidates } from './completion-words.js';

/** The candidates for the last of the typed words. */
export type Completion = Readonly<{
  kind: CompletionCandidates['kind'];
  candidates: readonly Readonly<{ text: string; description: string }>[];
  /** Stands before the value in the same word, as in `--output=`. */
  before: string;
  /** The part of the last word that candidates complete. */
  typed: string;
}>;

/** The place on the command line after the typed words. */
type Place = Readonly<{
  verb: CompletedVerb;
  operands: number;
  pending: CompletedOption | undefined;
  onlyOperands: boolean;
}>;

/**
 * Returns candidates for the last of `words`, the words after `flotilla`. The last is '' if a new word
 * begins.
 */
export function complete(verbs: readonly CompletedVerb[], words: readonly string[]): Completion {
  const place = placeAfter(verbs, glued(words.slice(0, -1)));
  const word = words.at(-1) ?? '';
  if (place.pending?.value !== undefined) return completion(place.pending.value, word === '=' ? '' : word);
  if (!place.onlyOperands && word.startsWith('-')) return ofFlag(place.verb, word);
  const { verb, operands } = place;
  if (operands === 0 && verb.verbs.length > 0) {
    const candidates = verb.verbs.map(({ name, description }) => ({ text: name, description }));
    return { ...completion({ kind: 'words', words: [] }, word), candidates: candidates.filter(begins(word)) };
  }
  return completion(verb.operands[Math.min(operands, verb.operands.length - 1)] ?? { kind: 'nothing' }, word);
}

/** Bash takes `--output=json` for three words. */
const glued = (words: readonly string[]): readonly string[] => words.filter((word) => word !== '=');

function placeAfter(verbs: readonly CompletedVerb[], words: readonly string[]): Place {
  const root = verbAt(verbs, []) ?? { path: [], description: '', verbs: [], options: [], operands: [] };
  const start: Place = { verb: root, operands: 0, pending: undefined, onlyOperands: false };
  return words.reduce((place, word) => placeBehind(place, word, verbs), start);
}

function placeBehind(place: Place, word: string, verbs: readonly CompletedVerb[]): Place {
  if (place.pending !== undefined) return { ...place, pending: undefined };
  const isFlag = !place.onlyOperands && word.startsWith('-') && word !== '-';
  if (isFlag)
    return word === '--' ? { ...place, onlyOperands: true } : { ...place, pending: pendingAfter(place.verb, word) };
  const below = place.operands === 0 ? verbAt(verbs, [...place.verb.path, word]) : undefined;
  return below === undefined ? { ...place, operands: place.operands + 1 } : { ...place, verb: below };
}

const verbAt = (verbs: readonly CompletedVerb[], path: readonly string[]): CompletedVerb | undefined =>
  verbs.find((one) => one.path.join(' ') === path.join(' '));

/**
 * Returns the option whose value comes next. Returns undefined if it has none, or has it in the same word.
 */
function pendingAfter(verb: CompletedVerb, word: string): CompletedOption | undefined {
  const option = verb.options.find(({ flags }) => flags.includes(word));
  return option?.value === undefined ? undefined : option;
}

function ofFlag(verb: CompletedVerb, word: string): Completion {
  const equals = word.indexOf('=');
  const option = equals < 0 ? undefined : verb.options.find(({ flags }) => flags.includes(word.slice(0, equals)));
  if (option?.value !== undefined) {
    return { ...completion(option.value, word.slice(equals + 1)), before: word.slice(0, equals + 1) };
  }
  const candidates = verb.options.flatMap(({ flags, description }) =>
    flags.filter((flag) => flag.startsWith('--') || word === '-').map((text) => ({ text, description })),
  );
  return { ...completion({ kind: 'words', words: [] }, word), candidates: candidates.filter(begins(word)) };
}

function completion(value: CompletionCandidates, typed: string): Completion {
  const words = value.kind === 'words' ? value.words : [];
  const candidates = words.map((text) => ({ text, description: '' })).filter(begins(typed));
  return { kind: value.kind, candidates, before: '', typed };
}

const begins =
  (typed: string) =>
  ({ text }: Readonly<{ text: string }>): boolean =>
    text.startsWith(typed);
