import { visibleText } from '#core/kernel/text/visible-text';
import type { Io } from './io.js';

/** Time without any output until the line appears. */
const AFTER_MS = 2_000;
const REDRAWN_EVERY_MS = 250;
const USUAL_COLUMNS = 80;
const CLEARED = '\r\u001b[K';

/** The parts of a clock that a line of progress needs. */
type ProgressClock = Readonly<{
  now: () => number;
  /** Calls back again and again, without keeping the process alive. Returns how to end that. */
  every: (ms: number, act: () => void) => () => void;
}>;

const processClock: ProgressClock = {
  now: () => performance.now(),
  every: (ms, act) => {
    const timer = setInterval(act, ms);
    timer.unref();
    return () => clearInterval(timer);
  },
};

/** A command's streams, with a line of progress that goes when the command ends. */
type IoWithProgress = Readonly<{ io: Io; end: () => void }>;

/**
 * Shows one line below the output, `flotilla status: 4 s`, if a command has written nothing for two seconds,
 * and removes it before the next output; only on a terminal. `what` is shown until the command says more with
 * `io.progress`; without it, nothing is shown until then.
 */
export function withProgress(io: Io, what: string | undefined, clock: ProgressClock = processClock): IoWithProgress {
  if (io.isTerminal !== true) return { io, end: () => undefined };
  const line = new ProgressLine(io, what, clock);
  const before =
    <A extends unknown[], R>(write: (...args: A) => R) =>
    (...args: A): R => {
      line.clear();
      return write(...args);
    };
  const { ask, outBytes } = io;
  return {
    io: {
      ...io,
      get columns() {
        return io.columns;
      },
      get rows() {
        return io.rows;
      },
      out: before(io.out),
      ...(outBytes === undefined ? {} : { outBytes: before(outBytes) }),
      err: before(io.err),
      ...(io.control === undefined ? {} : { control: before(io.control) }),
      ...(ask === undefined
        ? {}
        : {
            ask: async (question) => {
              line.end();
              return ask(question);
            },
          }),
      progress: (text) => line.say(text),
    },
    end: () => line.end(),
  };
}

class ProgressLine {
  #what: string | undefined;
  #drawn: string | undefined;
  #quietSince: number;
  readonly #startedAt: number;
  readonly #stop: () => void;

  constructor(
    private readonly io: Pick<Io, 'err' | 'control' | 'columns'>,
    what: string | undefined,
    private readonly clock: ProgressClock,
  ) {
    this.#what = what;
    this.#startedAt = clock.now();
    this.#quietSince = this.#startedAt;
    this.#stop = clock.every(REDRAWN_EVERY_MS, () => this.#draw());
  }

  say(text: string | undefined): void {
    this.#what = text;
    if (text === undefined) this.clear();
  }

  clear(): void {
    this.#quietSince = this.clock.now();
    if (this.#drawn !== undefined) this.#write(CLEARED);
    this.#drawn = undefined;
  }

  end(): void {
    this.#stop();
    this.clear();
  }

  #draw(): void {
    const now = this.clock.now();
    if (this.#what === undefined || now - this.#quietSince < AFTER_MS) return;
    const text = `${visibleText(this.#what)}: ${Math.floor((now - this.#startedAt) / 1_000)} s`.replaceAll('\n', ' ');
    const most = (this.io.columns ?? USUAL_COLUMNS) - 1;
    const line = text.length > most ? `${text.slice(0, most - 1)}…` : text;
    if (line !== this.#drawn) this.#write(`${CLEARED}${line}`);
    this.#drawn = line;
  }

  #write(text: string): void {
    (this.io.control ?? this.io.err)(text);
  }
}
