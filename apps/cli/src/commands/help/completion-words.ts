import type { Argument, Command, Option } from 'commander';
import { shownVerbs } from './shown-verbs.js';

/**
 * The candidates for a place of the command line: words, paths, or words that only the command itself can
 * find.
 */
export type CompletionCandidates = Readonly<
  | { kind: 'words'; words: readonly string[] }
  | { kind: 'files' }
  | { kind: 'directories' }
  | { kind: 'clusters' }
  | { kind: 'nothing' }
>;

export type CompletedOption = Readonly<{
  flags: readonly string[];
  description: string;
  /** Absent if the option takes no value. */
  value?: CompletionCandidates;
}>;

/** A verb by its words below `flotilla`, with the words that may follow them. */
export type CompletedVerb = Readonly<{
  path: readonly string[];
  description: string;
  verbs: readonly Readonly<{ name: string; description: string }>[];
  options: readonly CompletedOption[];
  /** The candidates for the first operand, the second and so on; the last counts for all further ones. */
  operands: readonly CompletionCandidates[];
}>;

/**
 * Returns every verb of a program, with its verbs, options and operands. The scripts of all shells are made
 * from this.
 */
export function completedVerbs(command: Command, path: readonly string[] = []): readonly CompletedVerb[] {
  const own: CompletedVerb = {
    path,
    description: command.description(),
    verbs: shownVerbs(command).map((one) => ({ name: one.name(), description: firstLine(one.description()) })),
    options: [...command.options.map(completedOption), HELP_OPTION],
    operands: isHelp(path) ? helped(command) : command.registeredArguments.map((one) => operandOf(path, one)),
  };
  return [own, ...shownVerbs(command).flatMap((one) => completedVerbs(one, [...path, one.name()]))];
}

const isHelp = (path: readonly string[]): boolean => path.join(' ') === 'help';

/** The verbs that `flotilla help` takes: their first words. */
const helped = ({ parent }: Command): readonly CompletionCandidates[] => [
  { kind: 'words', words: parent === null ? [] : shownVerbs(parent).map((one) => one.name()) },
];

const HELP_OPTION: CompletedOption = { flags: ['--help'], description: 'display help' };

function completedOption(option: Option): CompletedOption {
  const flags = [option.long, option.short].filter((flag) => flag != null);
  const description = firstLine(option.description);
  const takesValue = option.required || option.optional;
  return takesValue ? { flags, description, value: candidatesOf(option) } : { flags, description };
}

const FILE_VALUES: ReadonlySet<string> = new Set(['file', 'path', 'ref']);

function candidatesOf({ long, flags, argChoices, description }: Option): CompletionCandidates {
  if (argChoices !== undefined) return { kind: 'words', words: argChoices };
  if (long === '--output') return { kind: 'words', words: FORMATS.filter((format) => description.includes(format)) };
  if (long === '--cluster' || long === '--context') return { kind: 'clusters' };
  const [, name = ''] = /<([^>]+)>/.exec(flags) ?? [];
  if (FILE_VALUES.has(name)) return { kind: 'files' };
  return name === 'dir' ? { kind: 'directories' } : { kind: 'nothing' };
}

/** The formats of verbs that list them in the description of the option alone. */
const FORMATS = ['table', 'wide', 'text', 'json', 'yaml', 'name', 'mermaid', 'svg'];

const FILE_OPERANDS: ReadonlySet<string> = new Set(['ref', 'old', 'new', 'file', 'layout']);
const DIRECTORY_OPERANDS: ReadonlySet<string> = new Set(['dir', 'outdir']);

const NAMED_CLUSTER: ReadonlySet<string> = new Set(['clusters remove', 'clusters pause', 'clusters resume']);

function operandOf(path: readonly string[], argument: Argument): CompletionCandidates {
  if (argument.argChoices !== undefined) return { kind: 'words', words: argument.argChoices };
  const kinds = KINDS[path.join(' ')];
  if (kinds !== undefined && argument.name() === 'kind') return { kind: 'words', words: kinds };
  if (NAMED_CLUSTER.has(path.join(' '))) return { kind: 'clusters' };
  if (FILE_OPERANDS.has(argument.name())) return { kind: 'files' };
  return DIRECTORY_OPERANDS.has(argument.name()) ? { kind: 'directories' } : { kind: 'nothing' };
}

/** The words of kinds, for verbs with a kind as the first operand. */
const KINDS: Readonly<Record<string, readonly string[]>> = {
  get: ['subscriptions', 'installplans', 'csvs', 'extensions', 'catalogs', 'catalogsources', 'clustercatalogs'],
  explain: ['subscription', 'installplan', 'csv', 'catalogsource', 'clustercatalog', 'extension'],
  approve: ['installplan'],
};

const firstLine = (text: string): string => text.split('\n')[0] ?? '';
