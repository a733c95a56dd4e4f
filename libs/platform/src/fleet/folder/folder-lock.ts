import { link, mkdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { FleetFolderError } from './fleet-folder.error.js';

/** The process that uses a folder. `started`: another one for a later process with the same number. */
export type LockHolder = Readonly<{ pid: number; host: string; started: string | null }>;

/** A lock of another host is renewed so often that after this time its process is gone. */
const ABANDONED_AFTER_MS = 60_000;
const MOST_TRIES = 3;
/** In `/proc/PID/stat`, after the name in parentheses: when the process began. */
const START_FIELD = 19;

/** One process at a time uses a folder. A lock whose process is gone holds up no other. */
export class FolderLock {
  readonly #text: string;

  private constructor(
    private readonly path: string,
    readonly holder: LockHolder,
  ) {
    this.#text = JSON.stringify(holder);
  }

  /** @throws FleetFolderError where another process uses the folder */
  static async take(path: string): Promise<FolderLock> {
    const holder = { pid: process.pid, host: hostname(), started: await startOf(process.pid) };
    const lock = new FolderLock(path, holder);
    for (let left = MOST_TRIES; left > 0; left--) {
      if (await lock.#create()) return lock;
      const found = await readLock(path);
      if (found === undefined) continue;
      if (await isAlive(path, found.holder)) throw new FleetFolderError(inUse(path, found.holder));
      await lock.#takeAway(found.text);
    }
    throw new FleetFolderError(`${path}: another process has just begun to use this fleet`);
  }

  /** Says that the process is still there. False where another one has the folder by now. */
  async renew(): Promise<boolean> {
    const found = await readLock(this.path);
    if (found === undefined) return this.#create();
    if (found.text !== this.#text) return false;
    const now = new Date();
    await utimes(this.path, now, now).catch(() => undefined);
    return true;
  }

  async release(): Promise<void> {
    const found = await readLock(this.path);
    if (found?.text === this.#text) await rm(this.path, { force: true });
  }

  /** A link fails where the lock is there; a file that is written in place could be read half. */
  async #create(): Promise<boolean> {
    const draft = `${this.path}.${this.holder.pid}`;
    await mkdir(dirname(this.path), { recursive: true });
    await writeFile(draft, this.#text);
    try {
      await link(draft, this.path);
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
      throw error;
    } finally {
      await rm(draft, { force: true });
    }
  }

  /** Of two processes that take the same lock away, the later one would take that of the first. */
  async #takeAway(stale: string): Promise<void> {
    const aside = `${this.path}.${this.holder.pid}.old`;
    try {
      await rename(this.path, aside);
      const taken = await readFile(aside, 'utf8');
      if (taken !== stale) await link(aside, this.path).catch(() => undefined);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    } finally {
      await rm(aside, { force: true });
    }
  }
}

/** The process that uses the folder of a lock now, if any. */
export async function lockHolder(path: string): Promise<LockHolder | undefined> {
  const found = await readLock(path);
  return found !== undefined && (await isAlive(path, found.holder)) ? found.holder : undefined;
}

async function readLock(path: string): Promise<Readonly<{ text: string; holder: LockHolder }> | undefined> {
  try {
    const text = await readFile(path, 'utf8');
    return { text, holder: JSON.parse(text) as LockHolder };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    if (error instanceof SyntaxError) return { text: '', holder: { pid: 0, host: '', started: null } };
    throw error;
  }
}

async function isAlive(path: string, { pid, host, started }: LockHolder): Promise<boolean> {
  if (host === hostname()) return isRunning(pid) && (await startOf(pid)) === started;
  const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: 0 }));
  return Date.now() - mtimeMs < ABANDONED_AFTER_MS;
}

function isRunning(pid: number): boolean {
  try {
    return pid > 0 && process.kill(pid, 0);
  } catch (error) {
    // A process of another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** When a process began, as Linux counts; null elsewhere, and for one that has ended and is still listed. */
async function startOf(pid: number): Promise<string | null> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return fields[0] === 'Z' ? null : (fields[START_FIELD] ?? null);
}

const inUse = (path: string, { pid, host }: LockHolder): string =>
  `this fleet is in use by process ${pid} on ${host} (${path}): one hub at a time; end that one first`;
