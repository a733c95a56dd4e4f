import { run } from '../../../apps/cli/src/program.js';
import { watched } from './watchdog.js';

/** Exit code and output of a command. */
export type CommandEnd = Readonly<{ exit: number; out: string; err: string }>;

/** Longer than any command here takes on a busy machine. */
const HUNG_AFTER_MS = 30_000;

/** Runs the command as a user would, in this process; one that does not end is a rejection. */
export async function flotilla(args: readonly string[]): Promise<CommandEnd> {
  const end = { exit: -1, out: '', err: '' };
  const io = {
    out: (text: string) => {
      end.out += text;
    },
    err: (text: string) => {
      end.err += text;
    },
    exit: (code: number) => {
      end.exit = code;
    },
    stdin: async () => '',
  };
  await watched(`flotilla ${args.join(' ')}`, HUNG_AFTER_MS, run(args, io));
  return end;
}
