import { visibleText } from '#core/kernel/text/visible-text';
import { coloured } from './colours.js';
import type { Io } from './io.js';
import type { ColouredStreams } from './usual-colours.js';

/**
 * Returns the streams of a command, on which no control character of a catalog, cluster or registry reaches
 * the terminal. `control` alone writes its text unchanged, for the sequences that the command itself makes.
 * Important words are coloured on the streams that ask for it.
 */
export const safeIo = (io: Io, colours: ColouredStreams = { out: false, err: false }): Io => ({
  ...io,
  // A terminal may change its size.
  get columns() {
    return io.columns;
  },
  get rows() {
    return io.rows;
  },
  out: (text) => io.out(colours.out ? coloured(visibleText(text)) : visibleText(text)),
  err: (text) => io.err(colours.err ? coloured(visibleText(text)) : visibleText(text)),
  control: io.control ?? io.err,
});
