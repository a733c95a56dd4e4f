import type { Argument, Command, Option } from 'commander';
import { didYouMean } from '#core/kernel/text/did-you-mean';
import { pathOf, suggestionFor } from './program-words.js';
import { hintForVerb } from './verbs-of-others.js';

/**
 * Completes Commander's text about a mistyped command line. For an option or argument with choices, it adds
 * the nearest choice. For an option, it adds the one that begins with the typed text (`--filename` for
 * `--file`). Commander itself names the one that is the fewest edits away (`--live`).
 */
export function addSuggestions(command: Command): void {
  const flags = command.options.flatMap(({ long }) => (long == null ? [] : [long]));
  const choosing = [...command.options, ...command.registeredArguments].filter(hasChoices);
  command.configureOutput({
    outputError: (text, write) => write(withVerb(withSuggestion(text, flags, choosing), command)),
  });
  for (const one of command.commands) addSuggestions(one);
}

type Choosing = Readonly<{ argChoices: readonly string[] }>;

const hasChoices = <T extends Option | Argument>(one: T): one is T & Choosing => one.argChoices !== undefined;

/**
 * `text` is one line of Commander's, with its end; {@link flags} and {@link choosing}
 * are those of its command.
 */
function withSuggestion(text: string, flags: readonly string[], choosing: readonly Choosing[]): string {
  const flag = UNKNOWN_OPTION.exec(text)?.[1];
  if (flag !== undefined) return withLongerFlag(text, flag, flags);
  const [, typed, listed] = UNKNOWN_CHOICE.exec(text) ?? [];
  const choices = choosing.find(({ argChoices }) => argChoices.join(', ') === listed)?.argChoices;
  if (typed === undefined || choices === undefined) return text;
  return text.replace(/\n$/, `${didYouMean(typed, choices)}\n`);
}

/** Answers a verb of another tool with its command here, in place of a verb with a similar name. */
function withVerb(text: string, command: Command): string {
  const word = UNKNOWN_COMMAND.exec(text)?.[1];
  if (word === undefined || hintForVerb(word, pathOf(command)) === undefined) return text;
  return `error: unknown command '${word}'${suggestionFor(command, word)}\n`;
}

const UNKNOWN_COMMAND = /^error: unknown command '([^']*)'\n/;
const UNKNOWN_OPTION = /^error: unknown option '(--[^']{2,})'\n/;
const UNKNOWN_CHOICE = /'([^']*)' is invalid(?: for argument '[^']*')?\. Allowed choices are (.*)\.\n$/;

function withLongerFlag(text: string, flag: string, flags: readonly string[]): string {
  const [longer, ...others] = flags.filter((one) => one.startsWith(flag));
  if (longer === undefined || others.length > 0) return text;
  return `${text.split('\n')[0]}\n(Did you mean ${longer}?)\n`;
}
