import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type TestContext, vi } from 'vitest';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { LONG_PATIENCE } from '#testing/patience';

/** The `flotilla` command, as `make demo` runs it. */
export class RunningDemo {
  out = '';
  err = '';
  readonly #child: ChildProcess;
  readonly ended: Promise<Readonly<{ code: number | null; signal: NodeJS.Signals | null }>>;

  constructor(...args: readonly string[]) {
    const main = join(PROJECT_ROOT, 'dist', 'programs', 'flotilla.js');
    const { REDIS_URL: _url, FLOTILLA_REDIS_URL: _ours, ...env } = process.env;
    const child = spawn(process.execPath, [main, 'demo', ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout.on('data', (chunk) => {
      this.out += chunk;
    });
    child.stderr.on('data', (chunk) => {
      this.err += chunk;
    });
    this.ended = new Promise((resolve) => child.once('close', (code, signal) => resolve({ code, signal })));
    this.#child = child;
  }

  /** Processes that it started itself. */
  async children(): Promise<number[]> {
    const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid=']);
    const pairs = stdout.split('\n').map((line) => line.trim().split(/\s+/).map(Number));
    return pairs.flatMap(([pid = 0, parent]) => (parent === this.#child.pid ? [pid] : []));
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  async prints(text: string | RegExp): Promise<void> {
    await vi.waitFor(() => {
      if (!`${this.out}${this.err}`.match(text)) throw new Error(`not printed: ${text}\n${this.out}${this.err}`);
    }, LONG_PATIENCE);
  }

  /** Every address that it said something answers at. */
  get addresses(): string[] {
    const services = [...this.out.matchAll(/http:\/\/127\.0\.0\.1:\d+(?=\/readyz)/g)].map(([url]) => url);
    const redis = [...this.out.matchAll(/redis:\/\/(127\.0\.0\.1:\d+)/g)].map(([, host]) => `http://${host}`);
    return [...services, ...redis];
  }

  async answering(): Promise<string[]> {
    const answers = await Promise.all(this.addresses.map(async (url) => ((await isOpen(url)) ? [url] : [])));
    return answers.flat();
  }
}

export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Whatever it speaks: a port without a listener refuses. */
const isOpen = (url: string): Promise<boolean> =>
  fetch(url, { signal: AbortSignal.timeout(20_000) }).then(
    () => true,
    (error: unknown) => !(error instanceof Error && Object(error.cause).code === 'ECONNREFUSED'),
  );

/** A demo that ends with its test, whatever becomes of it. */
export function startDemo(onTestFinished: TestContext['onTestFinished'], ...args: readonly string[]): RunningDemo {
  const demo = new RunningDemo(...args);
  onTestFinished(() => demo.kill('SIGKILL'));
  return demo;
}
