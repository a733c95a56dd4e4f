import type { Io } from '../terminal/io.js';

/** Prints one line about a yes for a person at a terminal; programs read the exit code. */
export function sayYes(io: Io, line: string): void {
  if (io.columns !== undefined) io.out(`${line}\n`);
}
