import { type Io, UsageError } from '../terminal/io.js';

/** The text of a file named on the command line; "-" is standard input. Throws {@link UsageError}. */
export async function readOperand(file: string, io: Io): Promise<string> {
  if (file === '-') return io.stdin();
  const { readFile } = await import('node:fs/promises');
  const { fileError } = await import('#platform/files/file-tree.error');
  return readFile(file, 'utf8').catch((error: unknown) => {
    throw new UsageError(fileError('open', file, error).message);
  });
}
