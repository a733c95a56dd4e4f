import { fileReason } from '#platform/files/file-tree.error';
import { ExitCode } from './terminal/io.js';

/** As a shell reports a process that wrote to a closed pipe. */
const CLOSED_PIPE = 128 + 13;

/**
 * How the command ends when standard output cannot be written; without a line where the
 * reader has closed the pipe.
 */
type OutputFailure = Readonly<{ exit: number; line?: string }>;

/**
 * What a failed write to standard output means. `flotilla … | head`: the reader has what it wants, which is
 * no failure. A full disk is neither an answer of "no" nor bad input.
 */
export function outputFailure(error: unknown): OutputFailure {
  if (error instanceof Error && 'code' in error && error.code === 'EPIPE') return { exit: CLOSED_PIPE };
  return { exit: ExitCode.remoteFailed, line: `error: write standard output: ${fileReason(error)}` };
}
