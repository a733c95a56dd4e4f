import type { Command } from 'commander';
import { didYouMean } from '#core/kernel/text/did-you-mean';
import { UsageError } from '../../terminal/io.js';
import { shownVerbs } from './shown-verbs.js';
import { hintForVerb } from './verbs-of-others.js';

/** Returns the verb that words lead to. @throws UsageError if there is no such verb, with the nearest one */
export function verbAt(program: Command, words: readonly string[]): Command {
  return words.reduce((verb, word) => {
    const found = verbBelow(verb, word);
    if (found !== undefined) return found;
    throw unknownVerb(verb, word);
  }, program);
}

const verbBelow = (verb: Command, word: string): Command | undefined =>
  verb.commands.find((one) => one.name() === word || one.aliases().includes(word));

/** Returns one line about an unknown verb: the nearest verb, or the command for a verb of another tool. */
function unknownVerb(verb: Command, word: string): UsageError {
  const path = pathOf(verb);
  const typed = [path, word].join(' ').trim();
  return new UsageError(`unknown command "${typed}"${suggestionFor(verb, word)}`);
}

/** Returns a suggestion for a word: for a verb of another tool, or the nearest verb; '' if neither. */
export function suggestionFor(verb: Command, word: string): string {
  const hint = hintForVerb(word, pathOf(verb));
  if (hint !== undefined) return `: here it is ${hint}`;
  const names = shownVerbs(verb).map((one) => one.name());
  return didYouMean(word, names);
}

/** Throws about the first word that is no verb, in a command line that asks for help. @throws UsageError */
export function requireVerbs(program: Command, argv: readonly string[]): void {
  if (!argv.some((word) => word === '--help' || word === '-h')) return;
  let verb = program;
  for (const word of argv) {
    // A word after an option may be its value, and a verb with operands takes any word.
    if (word.startsWith('-') || verb.commands.length === 0) return;
    const next = verbBelow(verb, word);
    if (next === undefined && verb.registeredArguments.length > 0) return;
    if (next === undefined) throw unknownVerb(verb, word);
    verb = next;
  }
}

/** The words of a verb below `flotilla`. */
export function pathOf(verb: Command): string {
  return verb.parent === null ? '' : [pathOf(verb.parent), verb.name()].join(' ').trim();
}
