import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

export type ServiceName = 'catalog-poller' | 'resolver-worker' | 'applier';

const entryOf = (service: ServiceName): string =>
  fileURLToPath(new URL(`../../../${service}/src/main.js`, import.meta.url));

/** One service as its own process, as it runs in production; what it logs goes to a file. */
export class ServiceProcess {
  #child: ChildProcess | undefined;

  constructor(
    readonly name: string,
    private readonly service: ServiceName,
    private readonly env: Readonly<Record<string, string>>,
    readonly logFile: string,
  ) {}

  get running(): boolean {
    return this.#child !== undefined && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  start(): void {
    const log = createWriteStream(this.logFile, { flags: 'a' });
    const child = spawn(process.execPath, [entryOf(this.service)], {
      env: { ...process.env, ...this.env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child.stdout.pipe(log, { end: false });
    child.stderr.pipe(log, { end: false });
    this.#child = child;
  }

  /** Ends the process and waits until it is gone. SIGTERM lets it finish its jobs; SIGKILL is a crash. */
  async stop(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> {
    const child = this.#child;
    if (child === undefined || !this.running) return;
    const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    child.kill(signal);
    await gone;
  }

  /** The last lines it logged: what to read when it did not do its work. */
  async tail(lines = 20): Promise<string> {
    const text = await readFile(this.logFile, 'utf8').catch(() => '');
    return text.trimEnd().split('\n').slice(-lines).join('\n');
  }
}
