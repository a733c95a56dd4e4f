import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, it, type TestContext, vi } from 'vitest';
import { PROJECT_ROOT } from '#platform/files/project-root';

const PATIENCE = { timeout: 60_000, interval: 100 };

/** The `flotilla` command, as `make demo` runs it. */
class Demo {
  out = '';
  err = '';
  readonly #child: ChildProcess;
  readonly ended: Promise<Readonly<{ code: number | null; signal: NodeJS.Signals | null }>>;

  constructor(...args: readonly string[]) {
    const main = join(PROJECT_ROOT, 'dist', 'apps', 'cli', 'src', 'main.js');
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
    }, PATIENCE);
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

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Whatever it speaks: a port that nobody listens at refuses. */
const isOpen = (url: string): Promise<boolean> =>
  fetch(url, { signal: AbortSignal.timeout(2_000) }).then(
    () => true,
    (error: unknown) => !(error instanceof Error && Object(error.cause).code === 'ECONNREFUSED'),
  );

function start(onTestFinished: TestContext['onTestFinished'], ...args: readonly string[]): Demo {
  const demo = new Demo(...args);
  onTestFinished(() => demo.kill('SIGKILL'));
  return demo;
}

describe.concurrent('flotilla demo', () => {
  it('tells what will happen, what happens, and what came of it; left running it ends at Ctrl-C with everything', async ({
    expect,
    onTestFinished,
  }) => {
    const running = start(onTestFinished, '--keep');
    await running.prints('End it with Ctrl-C.');
    expect(running.err).toBe('');
    const [first, second] = running.out.split('\n');
    expect(first).toContain('harbor-operator v1.0.0');
    expect(second).toContain('upgraded over two hops');
    expect(running.out).toMatch(/^ +AFTER {2}WHERE {5}WHAT$/m);
    expect(running.out).toMatch(/^ +\d+\.\d s {2}east {6}CatalogSource flotilla-samples +READY with content sha256:/m);
    expect(running.out).toMatch(/^ +\d+\.\d s {2}west {6}InstallPlan install-\S+ +approved by the script$/m);
    for (const [cluster, approval] of [
      ['east', 'Automatic'],
      ['west', 'Manual'],
    ]) {
      const row = new RegExp(
        `^${cluster} +harbor-operator\\.v1\\.2\\.0 +Succeeded +harbor-operator AtLatestKnown +${approval} +3 `,
        'm',
      );
      expect(running.out).toMatch(row);
    }
    expect(running.addresses).toHaveLength(5);
    expect(await running.answering()).toEqual(running.addresses);
    running.kill('SIGINT');
    expect(await running.ended).toEqual({ code: 0, signal: null });
    expect(await running.answering()).toEqual([]);
  });

  it('interrupted in the middle ends with everything it started', async ({ expect, onTestFinished }) => {
    const running = start(onTestFinished);
    await running.prints(/InstallPlan .* approved/);
    running.kill('SIGINT');
    expect(await running.ended).toEqual({ code: 130, signal: null });
    expect(running.err).toContain('ending: services, Redis and clusters');
    expect(await running.answering()).toEqual([]);
  });

  it('killed outright leaves nothing running behind', async ({ expect, onTestFinished }) => {
    const running = start(onTestFinished);
    await running.prints(/services .* started/);
    const children = await running.children();
    expect(children.length).toBeGreaterThanOrEqual(5); // four services and Redis
    running.kill('SIGKILL');
    await running.ended;
    await expect.poll(() => children.filter(isAlive), PATIENCE).toEqual([]);
  });
});
