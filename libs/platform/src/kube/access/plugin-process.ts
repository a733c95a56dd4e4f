import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { textWithoutSecrets } from '#core/kernel/secrets/secret-texts';

type PluginCommand = Readonly<{
  command: string;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
  /** The plugin has the terminal: its input, and its standard error. */
  isInteractive: boolean;
  /** A run that takes longer is ended, with its children. */
  timeoutMs: number;
}>;

/** A login plugin that gave no answer. The text is one line, bounded, without secrets. */
export class PluginError extends Error {}

/** A login plugin that is not installed here. */
export class PluginMissing extends PluginError {}

const MOST_ANSWER = 1024 * 1024;
/** Most characters kept of the beginning, and of the end, of a plugin's standard error. */
const MOST_SAID = 4_000;
const SHOWN = { first: 150, last: 250 };
/** A child of the plugin that left its process group may hold its standard output open. */
const OUTPUT_ENDS_WITHIN_MS = 500;

/**
 * One run of a login plugin, without a shell. Its standard input is empty unless it has the terminal. It has
 * a process group of its own. The group ends with the plugin: processes that it left behind are ended, too.
 */
export class PluginProcess {
  readonly answer: Promise<string>;
  readonly #child: ChildProcess;
  readonly #parts: Buffer[] = [];
  readonly #said = new BoundedText();
  readonly #settle: Readonly<{ resolve: (answer: string) => void; reject: (error: Error) => void }>;
  readonly #timer: NodeJS.Timeout;
  #length = 0;
  #isOver = false;

  constructor(private readonly plugin: PluginCommand) {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    this.answer = promise;
    this.#settle = { resolve, reject };
    const { command, args, env, isInteractive, timeoutMs } = plugin;
    const terminal = isInteractive ? 'inherit' : undefined;
    this.#child = spawn(command, args, {
      env: { ...env },
      stdio: [terminal ?? 'ignore', 'pipe', terminal ?? 'pipe'],
      // A plugin that has the terminal stays in the process group that may read it.
      detached: !isInteractive,
    });
    RUNNING.add(this);
    this.#timer = setTimeout(() => this.#fail(`did not end within ${timeoutMs / 1000} s and was killed`), timeoutMs);
    this.#child.stdout?.on('data', (part: Buffer) => this.#take(part));
    this.#child.stderr?.on('data', (part: Buffer) => this.#said.add(part));
    this.#child.once('error', (error: NodeJS.ErrnoException) => this.#notStarted(error));
    this.#child.once('exit', () => this.#exited());
    this.#child.once('close', (code, signal) => this.#closed(code, signal));
  }

  /** Standard error so far, as one line that may be shown. */
  get said(): string {
    return this.#said.line();
  }

  /** Ends the plugin and its children at once. */
  end(): void {
    this.#fail('was killed: nothing waits for it');
  }

  #take(part: Buffer): void {
    this.#length += part.length;
    if (this.#length > MOST_ANSWER) this.#fail(`failed: it answered more than ${MOST_ANSWER} bytes`);
    else this.#parts.push(part);
  }

  /** Ends the processes that the plugin left in its group: the answer is complete once they are gone. */
  #exited(): void {
    if (!this.plugin.isInteractive) killGroup(this.#child.pid);
    setTimeout(() => this.#child.stdout?.destroy(), OUTPUT_ENDS_WITHIN_MS).unref();
    setTimeout(() => this.#child.stderr?.destroy(), OUTPUT_ENDS_WITHIN_MS).unref();
  }

  #closed(code: number | null, signal: NodeJS.Signals | null): void {
    if (this.#isOver) return;
    if (code !== 0) {
      const how = signal === null ? `exit code ${code}` : `it was ended by ${signal}`;
      this.#fail(`failed: ${this.said === '' ? `${how}, and it said nothing` : this.said}`, true);
      return;
    }
    this.#over();
    this.#settle.resolve(Buffer.concat(this.#parts).toString('utf8'));
  }

  #notStarted(error: NodeJS.ErrnoException): void {
    if (error.code === 'ENOENT') this.#settle.reject(new PluginMissing(`failed: ${NO_PROGRAM}`));
    this.#fail(`failed: ${whyNotStarted(error)}`);
  }

  #fail(why: string, hasSaid = false): void {
    if (this.#isOver) return;
    this.#over();
    const { pid } = this.#child;
    if (pid !== undefined && this.#child.exitCode === null) {
      const children = descendantsOf(pid);
      if (!this.plugin.isInteractive) killGroup(pid);
      for (const one of [pid, ...children]) kill(one);
    }
    this.#child.stdout?.destroy();
    const said = hasSaid || this.said === '' ? '' : `: ${this.said}`;
    this.#child.stderr?.destroy();
    this.#settle.reject(new PluginError(`${why}${said}`));
  }

  #over(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
    RUNNING.delete(this);
  }
}

/** Standard error with a bound: a plugin that floods it is read on, and costs no memory. */
class BoundedText {
  #first = '';
  #last = '';
  #isCut = false;

  add(part: Buffer): void {
    const text = part.toString('utf8');
    const room = MOST_SAID - this.#first.length;
    this.#first += text.slice(0, room);
    const rest = text.slice(Math.max(0, room));
    this.#isCut ||= this.#last.length + rest.length > MOST_SAID;
    this.#last = (this.#last + rest).slice(-MOST_SAID);
  }

  line(): string {
    const whole = oneLine(this.#isCut ? this.#first : this.#first + this.#last);
    if (!this.#isCut && whole.length <= SHOWN.first + SHOWN.last) return whole;
    const end = oneLine(this.#isCut ? this.#last : this.#first + this.#last);
    return `${whole.slice(0, SHOWN.first)} … ${end.slice(-SHOWN.last)}`;
  }
}

/** Long runs of token characters: a plugin's output is not ours to trust. */
const LONG_RUN = /[A-Za-z0-9_\-+=.]{40,}/g;
const oneLine = (text: string): string =>
  textWithoutSecrets(text)
    .replaceAll(LONG_RUN, '…')
    // Colours and movements of terminals, and other characters that act on one.
    .replaceAll(/\p{Cc}\[[0-9;?]*[A-Za-z]/gu, '')
    .replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim();

/** Writes text of others as one bounded line without secrets. */
export const shownText = (text: string): string => oneLine(text).slice(0, 300);

const NO_PROGRAM = 'there is no such program here (ENOENT)';

function whyNotStarted({ code, message }: NodeJS.ErrnoException): string {
  if (code === 'ENOENT') return NO_PROGRAM;
  if (code === 'EACCES') return 'the program may not be executed (EACCES)';
  if (code === 'ENOEXEC') return 'the file is not a program: its first line names no interpreter (ENOEXEC)';
  return oneLine(message).slice(0, SHOWN.last);
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended already.
  }
}

const killGroup = (pid: number | undefined): void => {
  if (pid !== undefined) kill(-pid);
};

/** Returns the children of a process, and theirs: also those that left its group. Known on Linux alone. */
function descendantsOf(pid: number): readonly number[] {
  const parents = new Map<number, number[]>();
  try {
    for (const entry of readdirSync('/proc')) {
      if (!/^\d+$/.test(entry)) continue;
      const parent = parentOf(entry);
      if (parent !== undefined) parents.set(parent, [...(parents.get(parent) ?? []), Number(entry)]);
    }
  } catch {
    return [];
  }
  const found: number[] = [];
  for (let next = [pid]; next.length > 0; ) {
    next = next.flatMap((one) => parents.get(one) ?? []);
    found.push(...next);
  }
  return found;
}

/** The name of a program, in parentheses, may have any character. */
function parentOf(pid: string): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return undefined;
  }
}

/** Runs of this process; they end with it, whatever ends it. */
class RunningPlugins {
  readonly #all = new Set<PluginProcess>();
  readonly #onExit = () => this.#endAll();
  readonly #onSignal = (signal: NodeJS.Signals) => {
    this.#endAll();
    process.kill(process.pid, signal);
  };

  add(one: PluginProcess): void {
    this.#all.add(one);
    if (this.#all.size > 1) return;
    process.on('exit', this.#onExit);
    // A service has a handler of its own. It closes the service's clients.
    for (const signal of SIGNALS) if (process.listenerCount(signal) === 0) process.once(signal, this.#onSignal);
  }

  delete(one: PluginProcess): void {
    this.#all.delete(one);
    if (this.#all.size > 0) return;
    process.off('exit', this.#onExit);
    for (const signal of SIGNALS) process.off(signal, this.#onSignal);
  }

  #endAll(): void {
    for (const one of [...this.#all]) one.end();
  }
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const RUNNING = new RunningPlugins();
