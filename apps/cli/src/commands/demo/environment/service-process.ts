import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { programStart } from '#platform/processes/own-program';
import { SERVICE_ALLOCATOR, SERVICE_ARGUMENTS } from '#platform/processes/service-memory';

export type ServiceName = 'catalog-poller' | 'resolver-worker' | 'applier';

/** One line that a service logged. */
export type LogLine = Readonly<Record<string, unknown>>;

let ownKeyFile: string | undefined;

/**
 * Returns the key file of the hub for services that this process starts. The file is deleted with this
 * process.
 */
export function hubKeyFile(): string {
  if (ownKeyFile !== undefined) return ownKeyFile;
  const folder = mkdtempSync(join(tmpdir(), 'flotilla-key-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  ownKeyFile = join(folder, 'key');
  writeFileSync(ownKeyFile, randomBytes(48).toString('base64'), { mode: 0o600 });
  return ownKeyFile;
}

/** The registries of the demo and of tests are on this machine. By default a service reaches none there. */
export const LOOPBACK_ALLOWED = { FLOTILLA_OUTBOUND_ADDRESSES: 'public,private,loopback' };

/**
 * One service as its own process, as it runs in production; its log goes to a file. When this process is
 * gone, killed or not, the IPC channel closes, and the service ends by itself.
 */
export class ServiceProcess {
  #child: ChildProcess | undefined;

  constructor(
    readonly name: string,
    readonly service: ServiceName | 'fleet-controller' | 'notifier' | 'console' | 'flotilla',
    private readonly env: Readonly<Record<string, string>>,
    readonly logFile: string,
    /** The file that Node runs. */
    private readonly program = join(PROJECT_ROOT, 'dist', 'programs', `${service}.js`),
    private readonly args: readonly string[] = [],
  ) {}

  get running(): boolean {
    return this.#child !== undefined && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** The exit code of the process, if it has ended by itself. */
  get exitCode(): number | undefined {
    return this.#child?.exitCode ?? undefined;
  }

  get pid(): number | undefined {
    return this.running ? this.#child?.pid : undefined;
  }

  start(): void {
    const log = openSync(this.logFile, 'a', 0o600);
    const { file, args, env } = programStart(SERVICE_ARGUMENTS, this.program, this.args);
    this.#child = spawn(file, args, {
      env: {
        FLOTILLA_HUB_KEY_FILE: hubKeyFile(),
        ...SERVICE_ALLOCATOR,
        ...LOOPBACK_ALLOWED,
        ...process.env,
        ...this.env,
        ...env,
      },
      stdio: ['ignore', log, log, 'ipc'],
    });
    closeSync(log);
  }

  /** Ends the process and waits until it is gone. SIGTERM lets it finish its jobs; SIGKILL is a crash. */
  async stop(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> {
    const child = this.#child;
    if (child === undefined || !this.running) return;
    const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    child.kill(signal);
    await gone;
  }

  /** Returns the last log lines of the process, to read when it did not do its work. */
  async tail(lines = 20): Promise<string> {
    return (await this.#text()).trimEnd().split('\n').slice(-lines).join('\n');
  }

  /** Everything it logged so far, over all its starts. */
  async logged(): Promise<LogLine[]> {
    return (await this.#text()).split('\n').flatMap(parseLine);
  }

  /** Returns the address of its health and metrics, once it listens. */
  async url(): Promise<string | undefined> {
    const urls = (await this.logged()).flatMap(({ url }) => (typeof url === 'string' ? [url] : []));
    return urls.at(-1);
  }

  #text(): Promise<string> {
    return readFile(this.logFile, 'utf8').catch(() => '');
  }
}

function parseLine(text: string): LogLine[] {
  try {
    const line: unknown = JSON.parse(text);
    return typeof line === 'object' && line !== null ? [{ ...line }] : [];
  } catch {
    return []; // what the runtime itself prints, and the line that a killed process did not finish
  }
}
