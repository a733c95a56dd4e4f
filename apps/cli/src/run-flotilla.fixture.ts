import { run } from './program.js';
import type { Io } from './terminal/io.js';

/** The output of a command and its end; `exit` is -1 until the command sets it. */
export type CommandResult = { out: string; err: string; exit: number };

/** Returns streams that keep the text written to them. */
export function recorder(stdin = ''): { result: CommandResult; io: Io } {
  const result: CommandResult = { out: '', err: '', exit: -1 };
  const io: Io = {
    out: (text) => {
      result.out += text;
    },
    err: (text) => {
      result.err += text;
    },
    exit: (code) => {
      result.exit = code;
    },
    stdin: async () => stdin,
  };
  return { result, io };
}

/** Runs the command as a user would, in this process. */
export async function runFlotilla(argv: readonly string[], stdin = ''): Promise<CommandResult> {
  const { result, io } = recorder(stdin);
  await run(argv, io);
  return result;
}
