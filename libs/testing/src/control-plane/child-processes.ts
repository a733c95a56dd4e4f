import { type ChildProcess, spawn } from 'node:child_process';
import { appendFileSync, closeSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pause } from '../patience.js';
import { ControlPlaneFailed } from './control-plane.js';

/**
 * Processes that end with this one, even when it is killed: a watchdog holds the other end of a pipe, and
 * when the pipe closes it kills every process named in the `pids` file and removes the folder. They stand
 * outside the terminal's process group, so that Ctrl-C reaches the tests first.
 */
export class ChildProcesses {
  readonly #children = new Map<string, ChildProcess>();
  readonly #commands = new Map<string, readonly [binary: string, args: readonly string[]]>();
  readonly #pids: string;
  readonly #watchdog: ChildProcess;
  #stopping = false;

  constructor(private readonly folder: string) {
    this.#pids = join(folder, 'pids');
    writeFileSync(this.#pids, '');
    const script =
      'cat >/dev/null; for pid in $(cat "$1/pids"); do kill -KILL "$pid" 2>/dev/null; done; sleep 1; rm -rf "$1"';
    this.#watchdog = spawn('sh', ['-c', script, 'flotilla-control-plane-watchdog', folder], {
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
    });
    this.#watchdog.on('error', () => undefined);
    this.#watchdog.stdin?.on('error', () => undefined);
    release(this.#watchdog);
  }

  start(name: string, binary: string, args: readonly string[]): void {
    const log = openSync(this.#logFile(name), 'a');
    const child = spawn(binary, args, { stdio: ['ignore', log, log], detached: true, cwd: this.folder });
    closeSync(log);
    if (child.pid !== undefined) appendFileSync(this.#pids, `${child.pid}\n`);
    child.on('error', () => undefined);
    child.unref();
    this.#children.set(name, child);
    this.#commands.set(name, [binary, args]);
  }

  /** Kills the process, and starts it again as it was started after so long. */
  async crash(name: string, awayMs: number): Promise<void> {
    await this.halt(name);
    await pause(awayMs);
    this.again(name);
  }

  /** The names of all that were started, in that order. */
  get names(): readonly string[] {
    return [...this.#commands.keys()];
  }

  /** Kills the process; it is missing from then on. */
  async halt(name: string): Promise<void> {
    await kill(this.#running(name));
    this.#children.delete(name);
  }

  /** Starts a process that was halted as it was started before. */
  again(name: string): void {
    const command = this.#commands.get(name);
    if (command === undefined) throw new ControlPlaneFailed(`there is no ${name}`);
    this.start(name, ...command);
  }

  /** Does the work while the process stands still. */
  async whileFrozen(name: string, work: () => Promise<void>): Promise<void> {
    const child = this.#running(name);
    child.kill('SIGSTOP');
    try {
      await work();
    } finally {
      child.kill('SIGCONT');
    }
  }

  #running(name: string): ChildProcess {
    const child = this.#children.get(name);
    if (child === undefined) throw new ControlPlaneFailed(`there is no ${name}`);
    return child;
  }

  /** Fails, with the last lines of its log, when one of the processes has ended. */
  check(): void {
    if (this.#stopping) return;
    for (const [name, child] of this.#children) {
      if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) continue;
      throw new ControlPlaneFailed(`${name} ended (${child.exitCode ?? child.signalCode}): ${this.#lastLines(name)}`);
    }
  }

  /** Everything in here is thrown away, so nothing needs to end tidily. */
  async stop(): Promise<void> {
    this.#stopping = true;
    const ended = [...this.#children.values()].map(kill);
    await Promise.all(ended);
    endGroup(this.#watchdog);
    await rm(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }

  #logFile(name: string): string {
    return join(this.folder, `${name}.log`);
  }

  #lastLines(name: string): string {
    return readFileSync(this.#logFile(name), 'utf8').trim().split('\n').slice(-4).join(' | ').slice(-800);
  }
}

function kill(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    child.once('exit', () => resolve());
    child.kill('SIGKILL');
  });
}

/** The shell and its `cat`. */
function endGroup(child: ChildProcess): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  } catch {
    // It has ended already.
  }
}

/** Neither the watchdog nor the pipe to it keeps this process alive. */
function release(child: ChildProcess): void {
  child.unref();
  const pipe = child.stdin;
  if (pipe !== null && 'unref' in pipe && typeof pipe.unref === 'function') pipe.unref();
}
