import { fileReason } from '#platform/files/file-tree.error';
import { ExitCode } from './terminal/io.js';

/** Exit code with which a shell reports a process that wrote to a closed pipe. */
const CLOSED_PIPE = 128 + 13;

/**
 * The end of a command that cannot write to standard output. There is no line if the reader has closed the
 * pipe.
 */
type OutputFailure = Readonly<{ exit: number; line?: string }>;

/**
 * Returns the meaning of a failed write to standard output. With `flotilla … | head` the reader has enough,
 * so it is no failure. A full disk is neither an answer of "no" nor bad input.
 */
export function outputFailure(error: unknown): OutputFailure {
  if (error instanceof Error && 'code' in error && error.code === 'EPIPE') return { exit: CLOSED_PIPE };
  return { exit: ExitCode.remoteFailed, line: `error: write standard output: ${fileReason(error)}` };
}

type ProcessEvents = Readonly<{
  once: (event: 'beforeExit', listener: () => void) => unknown;
  off: (event: 'beforeExit', listener: () => void) => unknown;
}>;

/**
 * Waits for a command. Calls `unfinished` if the process has nothing left to do while the command is not
 * done: the awaited event can never come. Node alone would end with code 13, which no page has.
 */
export async function finished(command: Promise<void>, process: ProcessEvents, unfinished: () => void): Promise<void> {
  process.once('beforeExit', unfinished);
  await command;
  process.off('beforeExit', unfinished);
}
