import { ExitCode } from './io.js';

const EXIT_CODES = { SIGINT: 130, SIGTERM: 143 } as const;
type StopSignal = keyof typeof EXIT_CODES;

/**
 * Settles at the first SIGINT or SIGTERM; a second one, or `graceMs` without an end (exit
 * code 3), ends the process.
 */
export function stopSignal(graceMs: number, onLate: () => void): Promise<StopSignal> {
  return new Promise((resolve) => {
    let late: NodeJS.Timeout | undefined;
    const onSignal = (signal: StopSignal) => {
      if (late !== undefined) {
        clearTimeout(late);
        return process.exit(EXIT_CODES[signal]);
      }
      late = setTimeout(() => {
        onLate();
        process.exit(ExitCode.remoteFailed);
      }, graceMs).unref();
      resolve(signal);
    };
    process.on('SIGINT', () => onSignal('SIGINT'));
    process.on('SIGTERM', () => onSignal('SIGTERM'));
  });
}
