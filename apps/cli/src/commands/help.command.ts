import { Argument, type Command } from 'commander';
import { didYouMean } from '../did-you-mean.js';
import { type Io, UsageError } from '../io.js';
import { shownVerbs } from './shown-verbs.js';

/**
 * `flotilla help [VERB…]`: the help of a verb, however many words it has. In place of
 * Commander's, which takes one word.
 */
export const helpCommand = (program: Command, _io: Io): Command =>
  program
    .helpCommand(false)
    .command('help')
    .description('display help for a verb, such as "catalog validate"')
    .addArgument(new Argument('[verb...]', 'the words of the verb'))
    .action((words: readonly string[]) => verbAt(program, words).help());

/** @throws UsageError where there is no such verb, with the nearest one */
function verbAt(program: Command, words: readonly string[]): Command {
  return words.reduce((verb, word) => {
    const found = verb.commands.find((one) => one.name() === word || one.aliases().includes(word));
    if (found !== undefined) return found;
    const names = shownVerbs(verb).map((one) => one.name());
    throw new UsageError(`unknown command "${[pathOf(verb), word].join(' ').trim()}"${didYouMean(word, names)}`);
  }, program);
}

/** The words of a verb below `flotilla`. */
function pathOf(verb: Command): string {
  return verb.parent === null ? '' : [pathOf(verb.parent), verb.name()].join(' ').trim();
}
