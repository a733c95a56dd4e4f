import { ExitCode } from '../terminal/io.js';

/**
 * The answer of a verb as data, the same key in every JSON answer. `incomplete`: not every cluster that was
 * asked has answered, so that the rest of the answer says nothing about those. `unknown`: there was nothing
 * to ask.
 */
export type Verdict = 'yes' | 'no' | 'incomplete' | 'unknown';

const EXIT_CODES: Readonly<Record<Verdict, ExitCode>> = {
  yes: ExitCode.done,
  no: ExitCode.no,
  incomplete: ExitCode.remoteFailed,
  unknown: ExitCode.done,
};

/** The exit code that goes with a verdict: 0, 1 or 3. */
export const exitCodeOf = (verdict: Verdict): ExitCode => EXIT_CODES[verdict];

/** The verdict of a question that no cluster was asked. */
export const verdictOf = (isYes: boolean): Verdict => (isYes ? 'yes' : 'no');
