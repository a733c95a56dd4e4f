import { Argument, type Command } from 'commander';
import type { Io } from '../../terminal/io.js';
import { verbAt } from './program-words.js';

/**
 * Registers `flotilla help [VERB…]`: the help of a verb, however many words it has. It replaces Commander's,
 * which takes one word.
 */
export const helpCommand = (program: Command, _io: Io): Command =>
  program
    .helpCommand(false)
    .command('help')
    .description('display help for a verb, such as "catalog validate"')
    .addArgument(new Argument('[verb...]', 'the words of the verb'))
    .action((words: readonly string[]) => verbAt(program, words).help());
