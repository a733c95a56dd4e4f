import { usualColours } from './usual-colours.js';

/** Exit codes of every verb, as grep, diff and opm use them. */
export const ExitCode = { done: 0, no: 1, badInput: 2, remoteFailed: 3 } as const;
export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode];

/**
 * The streams of a command: data to `out`, progress and complaints to `err`, the outcome to `exit`. Injected,
 * so tests can read it.
 */
export type Io = Readonly<{
  out: (text: string) => void;
  /**
   * Writes like `out`, for the bytes of a text that was made safe for a terminal (`visibleText`): they are
   * not copied. Settles when they are written and may be overwritten. A command with much output thus does
   * not pile it up in memory.
   */
  outBytes?: (bytes: Uint8Array) => Promise<void>;
  err: (text: string) => void;
  /**
   * Control sequences that the command itself writes to the terminal behind `err`; never text from elsewhere.
   */
  control?: (text: string) => void;
  /**
   * Shows the wait or the work of the command, on a line that disappears again; undefined: nothing more.
   * Absent if no person reads it.
   */
  progress?: (text: string | undefined) => void;
  /** True if a person reads standard error as it is written. */
  isTerminal?: boolean;
  /** Streams with coloured words unless the command line says otherwise; absent: none. */
  colours?: Readonly<{ out: boolean; err: boolean }>;
  /**
   * Columns of the terminal on which a person reads `out`. Absent if it goes to a pipe or a file, which is
   * never cut.
   */
  columns?: number | undefined;
  /** Lines of the terminal behind `err`, for live pictures; absent if there is no terminal. */
  rows?: number | undefined;
  exit: (code: ExitCode) => void;
  /** Asks the person at the terminal for one line; absent if there is none. */
  ask?: (question: string) => Promise<string>;
  /** Whole standard input, for `-f -`. */
  stdin: () => Promise<string>;
}>;

/** Bad input or usage: one clear line for the person at the keyboard, exit code 2. */
export class UsageError extends Error {}

/** A named object, package, channel or version is not there: one line on standard error, exit code 1. */
export class NotFound extends Error {}

async function askLine(question: string): Promise<string> {
  const { createInterface } = await import('node:readline/promises');
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await lines.question(question);
  } finally {
    lines.close();
  }
}

/** The process's own streams. `exit` sets the code and lets pending output drain. */
export const processIo: Io = {
  out: (text) => void process.stdout.write(text),
  outBytes: (bytes) => new Promise((done) => void process.stdout.write(bytes, () => done())),
  err: (text) => void process.stderr.write(text),
  isTerminal: process.stderr.isTTY === true,
  colours: usualColours(process.env, { out: process.stdout.isTTY === true, err: process.stderr.isTTY === true }),
  // A terminal that does not say how wide it is reports 0.
  get columns() {
    return process.stdout.isTTY === true && process.stdout.columns > 0 ? process.stdout.columns : undefined;
  },
  get rows() {
    return process.stderr.isTTY === true && process.stderr.rows > 0 ? process.stderr.rows : undefined;
  },
  exit: (code) => {
    process.exitCode = code;
  },
  ...(process.stdin.isTTY === true && process.stderr.isTTY === true ? { ask: askLine } : {}),
  stdin: async () => {
    const chunks: Buffer[] = [];
    for await (const chunk of process.stdin) chunks.push(Buffer.from(chunk));
    return Buffer.concat(chunks).toString('utf8');
  },
};
