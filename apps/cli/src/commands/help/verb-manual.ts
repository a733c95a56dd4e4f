import type { EventEmitter } from 'node:events';
import type { Command } from 'commander';
import { shownVerbs } from './shown-verbs.js';

/** A word of a command line with its meaning. */
export type ManualTerm = Readonly<{ term: string; description: string }>;

/** The command's own description of a verb, from which man pages and the site's reference are made. */
export type VerbManual = Readonly<{
  /** The words after `flotilla`; none for the command itself. */
  path: readonly string[];
  summary: string;
  /** The whole command line, such as `flotilla get [options] <kind> [name]`. */
  usage: string;
  operands: readonly ManualTerm[];
  options: readonly ManualTerm[];
  verbs: readonly ManualTerm[];
  /** The text that `--help` prints after the options. */
  more: string;
}>;

/** The manual of every verb that users see, a verb before those below it. */
export function verbManuals(command: Command, path: readonly string[] = []): readonly VerbManual[] {
  const help = command.createHelp();
  const own: VerbManual = {
    path,
    summary: command.description(),
    usage: help.commandUsage(command),
    operands: help
      .visibleArguments(command)
      .map((one) => ({ term: help.argumentTerm(one), description: help.argumentDescription(one) })),
    options: help
      .visibleOptions(command)
      .map((one) => ({ term: help.optionTerm(one), description: help.optionDescription(one) })),
    verbs: shownVerbs(command).map((one) => ({ term: one.name(), description: one.description() })),
    more: textAfterHelp(command),
  };
  return [own, ...shownVerbs(command).flatMap((one) => verbManuals(one, [...path, one.name()]))];
}

/** Commander keeps these texts in listeners, and its types do not show that it emits events. */
function textAfterHelp(command: Command): string {
  const texts: string[] = [];
  (command as Command & Pick<EventEmitter, 'emit'>).emit('afterHelp', {
    error: false,
    command,
    write: (text: string) => texts.push(text),
  });
  return texts.join('').trim();
}
