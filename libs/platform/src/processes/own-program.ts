import { isSea } from 'node:sea';

/** How a program of ours is started as a process of its own. */
type ProgramStart = Readonly<{
  file: string;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
}>;

/** The first argument by which the single-file command runs a program of its own instead of a verb. */
const RUN_PROGRAM = '__program';

/**
 * Returns how to start a program: with the Node that runs this process. In the command as one file, the
 * executable is Node and the command at once, and takes options of Node from the environment alone.
 */
export function programStart(
  nodeOptions: readonly string[],
  program: string,
  args: readonly string[],
  {
    oneFile = isSea(),
    inherited = process.env.NODE_OPTIONS,
  }: { oneFile?: boolean; inherited?: string | undefined } = {},
): ProgramStart {
  const file = process.execPath;
  if (!oneFile) return { file, args: [...nodeOptions, program, ...args], env: {} };
  const options = [...(inherited === undefined ? [] : [inherited]), ...nodeOptions].join(' ');
  return { file, args: [RUN_PROGRAM, program, ...args], env: options === '' ? {} : { NODE_OPTIONS: options } };
}
