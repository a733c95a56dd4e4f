import { cutText } from '../../kernel/text/cut-text.js';

export type PluginEnvironment = Readonly<Record<string, string | undefined>>;
/** A plugin of a kubeconfig, with the environment that it would have. */
export type PluginCall = Readonly<{ command: string; args: readonly string[]; environment: PluginEnvironment }>;

/** Flags of a login plugin: by name, the field that each one sets. A `true` field takes no value. */
export type FlagTable = Readonly<Record<string, string | true>>;

export type PluginFlags = Readonly<{
  /** Arguments that are no flags, in their order: the subcommand. */
  words: readonly string[];
  /** The last value of each field that is set. */
  values: Readonly<Record<string, string | undefined>>;
}>;

/** Arguments beyond these bounds are refused, not read. */
const MOST_ARGUMENTS = 64;
const MOST_CHARACTERS = 2_048;

/**
 * Reads the arguments of a login plugin by a table of its flags, as `--flag value` or `--flag=value`. Returns
 * a text if an argument is not in the table: its effect is not known. Values are never in the text.
 */
export function readFlags(args: readonly string[], table: FlagTable): PluginFlags | string {
  if (args.length > MOST_ARGUMENTS) return `it has more than ${MOST_ARGUMENTS} arguments`;
  if (args.some(({ length }) => length > MOST_CHARACTERS)) return 'one of its arguments is too long';
  const words: string[] = [];
  const values: Record<string, string> = {};
  const left = [...args];
  for (let argument = left.shift(); argument !== undefined; argument = left.shift()) {
    if (!argument.startsWith('-')) {
      words.push(argument);
      continue;
    }
    const [flag = '', ...rest] = argument.split('=');
    const field = Object.hasOwn(table, flag) ? table[flag] : undefined;
    if (field === undefined) return `its argument ${JSON.stringify(cutText(flag, 40))} is not known to the hub`;
    if (field === true) continue;
    const value = rest.length > 0 ? rest.join('=') : left.shift();
    if (!value) return `its argument ${flag} has no value`;
    values[field] = value;
  }
  return { words, values };
}

/** The file name of a program, without the folder and without the ending of Windows. */
export const programName = (command: string): string => (command.split(/[\\/]/).at(-1) ?? '').replace(/\.exe$/i, '');
