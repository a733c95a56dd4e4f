import type { Command } from 'commander';

/** The verbs below a command that users see; those that begin with an underscore are for programs. */
export const shownVerbs = (command: Command): readonly Command[] =>
  command.commands.filter((one) => !one.name().startsWith('_'));
