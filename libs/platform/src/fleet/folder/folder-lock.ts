import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { link, mkdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { ABANDONED_AFTER_MS, holderIn, isHolderAlive, type LockHolder } from '#core/cluster/joining/lock-holder';
import type { FlotillaError } from '#core/kernel/errors/flotilla.error';
import { FleetFolderError } from './fleet-folder.error.js';
import { replaceFile } from './kept-objects.js';

/** `back`: the lock was deleted, and is recreated. `lost`: another process has the folder. */
type LockState = 'held' | 'back' | 'lost';

/**
 * The use of a folder by a hub. `at`: the time of its last renewal, or of its end. Undefined if nothing
 * records it.
 */
export type HubOfFolder = Readonly<{ holder: LockHolder | undefined; isRenewed: boolean; at: Date | undefined }>;

/** Makes the error of a lock that cannot be taken. */
export type LockRefusal = (path: string, holder: LockHolder) => FlotillaError;
const RENEW_EVERY_MS = 10_000;
const MOST_TRIES = 3;
/** Index of the start time of a process in `/proc/PID/stat`, after the name in parentheses. */
const START_FIELD = 19;

/**
 * The lock by which one process at a time uses a folder. A lock of a process that is gone blocks no other.
 */
export class FolderLock {
  #text = '';
  #renewedAt = Date.now();

  private constructor(
    private readonly path: string,
    private holder: LockHolder & Readonly<{ id: string }>,
    /** The lock of an earlier process. Undefined if none was found. */
    private readonly before: string | undefined,
    private readonly refusal: LockRefusal,
  ) {
    this.#text = JSON.stringify(holder);
  }

  /**
   * Takes the lock.
   *
   * @throws the error of `refusal` if another process has the lock; by default a FleetFolderError
   */
  static async take(path: string, refusal: LockRefusal = inUse): Promise<FolderLock> {
    const own = { pid: process.pid, host: hostname(), started: await startOf(process.pid), id: randomUUID() };
    let before: string | undefined;
    for (let left = MOST_TRIES; left > 0; left--) {
      const holder = before === undefined ? { ...own, claims: true } : own;
      const lock = new FolderLock(path, holder, before, refusal);
      if (await lock.#create()) return lock;
      const found = await readLock(path);
      if (found === undefined) continue;
      if (await isAlive(path, found.holder)) throw refusal(path, found.holder);
      await lock.#takeAway(found.text);
      before = found.text;
    }
    throw refusal(path, (await readLock(path))?.holder ?? holderIn(''));
  }

  /**
   * True if no other process can be active: an earlier one gave the folder back, or is gone. If no lock was
   * found, a process with a deleted lock may still run.
   */
  get isSure(): boolean {
    return this.holder.claims !== true;
  }

  /** True if the lock is that of this process now. Asked before each write. */
  get isHeld(): boolean {
    try {
      return readFileSync(this.path, 'utf8') === this.#text;
    } catch {
      return false;
    }
  }

  /**
   * Ends the claim: no other process has reported itself. `url`: the address of this process from now on.
   *
   * @throws the error of `refusal` if another process has
   */
  async makeSure(url?: string): Promise<void> {
    const found = await readLock(this.path);
    if (found !== undefined && found.text !== this.#text) throw this.refusal(this.path, found.holder);
    const { claims: _claims, ...holder } = this.holder;
    this.holder = { ...holder, ...(url !== undefined && { url }) };
    await this.#replace(this.holder);
  }

  /** Renews the lock. Recreates a lock that was deleted, or is claimed by a process that came after that. */
  async renew(): Promise<LockState> {
    const found = await readLock(this.path);
    if (found?.text === this.#text) {
      await this.#touch();
      return 'held';
    }
    if (found !== undefined && (this.holder.claims === true || found.holder.claims !== true)) return 'lost';
    if (found !== undefined) await this.#takeAway(found.text);
    return (await this.#create()) ? 'back' : 'lost';
  }

  /**
   * Releases the lock. A process that used the folder records its end; any other restores the earlier state.
   */
  async release(hasUsed: boolean): Promise<void> {
    const found = await readLock(this.path);
    if (found?.text !== this.#text) return;
    if (hasUsed) await this.#replace({ ...this.holder, ended: new Date().toISOString() });
    else if (this.before !== undefined) await replaceFile(this.path, this.before, dirname(this.path));
    else await rm(this.path, { force: true });
  }

  /** Removes the lock without a trace. */
  async remove(): Promise<void> {
    if (this.isHeld) await rm(this.path, { force: true });
  }

  async #replace(holder: LockHolder): Promise<void> {
    this.#text = JSON.stringify(holder);
    await replaceFile(this.path, this.#text, dirname(this.path));
  }

  async #touch(): Promise<void> {
    if (Date.now() - this.#renewedAt < RENEW_EVERY_MS) return;
    this.#renewedAt = Date.now();
    const now = new Date();
    await utimes(this.path, now, now).catch(() => undefined);
  }

  /**
   * Creates the lock by a link: it fails if the lock exists. A file that is written in place could be read
   * half.
   */
  async #create(): Promise<boolean> {
    const draft = `${this.path}.${this.holder.id}`;
    await makeFolder(dirname(this.path));
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

  /** Takes a stale lock away. If two processes do so, the later one would take the lock of the first. */
  async #takeAway(stale: string): Promise<void> {
    const aside = `${this.path}.${this.holder.id}.old`;
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

/** Returns the hub that uses the folder of a lock now, or the time at which it stopped. */
export async function hubOfFolder(path: string): Promise<HubOfFolder> {
  const found = await readLock(path);
  if (found === undefined) return { holder: undefined, isRenewed: false, at: undefined };
  const { ended } = found.holder;
  const at = ended === undefined ? (await stat(path).catch(() => undefined))?.mtime : new Date(ended);
  const isRenewed = at !== undefined && Date.now() - at.getTime() < ABANDONED_AFTER_MS;
  return { holder: (await isAlive(path, found.holder)) ? found.holder : undefined, isRenewed, at };
}

/** Makes a folder in the fleet's folder. The fleet's folder itself is not made again once it was deleted. */
async function makeFolder(path: string): Promise<void> {
  await mkdir(path).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  });
}

async function readLock(path: string): Promise<Readonly<{ text: string; holder: LockHolder }> | undefined> {
  try {
    const text = await readFile(path, 'utf8');
    return { text, holder: holderIn(text) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

async function isAlive(path: string, holder: LockHolder): Promise<boolean> {
  const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: 0 }));
  const [isRunningNow, started] = [isRunning(holder.pid), await startOf(holder.pid)];
  const renewedMsAgo = Date.now() - mtimeMs;
  return isHolderAlive(holder, { host: hostname(), isRunning: isRunningNow, started, renewedMsAgo });
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

const inUse: LockRefusal = (path, { pid, host }) =>
  new FleetFolderError(
    pid === 0
      ? `${path}: another process has just begun to use this fleet`
      : `this fleet is in use by process ${pid} on ${host} (${path}): only one hub may use it; stop that process first`,
  );
