import { visibleText } from '#core/kernel/text/visible-text';
import type { Io } from '../io.js';

/**
 * The streams of a command, on which no control character of a catalog, cluster or registry reaches the
 * terminal. `control` alone writes as it is given: for the sequences that the command itself makes.
 */
export const safeIo = (io: Io): Io => ({
  ...io,
  // A terminal may change its size.
  get columns() {
    return io.columns;
  },
  get rows() {
    return io.rows;
  },
  out: (text) => io.out(visibleText(text)),
  err: (text) => io.err(visibleText(text)),
  control: io.control ?? io.err,
});
