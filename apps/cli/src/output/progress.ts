import type { Io } from '../terminal/io.js';

/** The progress of a long answer, for a person at a terminal. */
export type Progress = Readonly<{
  /** Adds to the number of steps that must still be done. */
  expect: (steps: number) => void;
  step: () => void;
  /** Takes the line away. */
  end: () => void;
}>;

/** The time of a short answer; until then no progress is shown. */
const SHOWN_AFTER_MS = 1_000;
const SHOWN_EVERY_MS = 200;

/**
 * Returns a line on standard error that is rewritten as the steps are done. Writes nothing if standard error
 * is no terminal.
 */
export function progressOn(io: Io, what: string, now: () => number = () => performance.now()): Progress {
  if (io.isTerminal !== true) return { expect: () => {}, step: () => {}, end: () => {} };
  const control = io.control ?? io.err;
  const begin = now();
  let all = 0;
  let done = 0;
  let shownAt: number | undefined;
  return {
    expect: (steps) => {
      all += steps;
    },
    step: () => {
      done += 1;
      const at = now();
      if (at - begin < SHOWN_AFTER_MS || at - (shownAt ?? 0) < SHOWN_EVERY_MS) return;
      shownAt = at;
      control(`\r${done} of ${all} ${what}`);
    },
    end: () => {
      if (shownAt !== undefined) control('\r\u001b[K');
    },
  };
}
