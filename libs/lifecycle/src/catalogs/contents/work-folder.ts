import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Prefix of the folders of this run of the process. */
const RUN = `${process.pid}-${randomUUID()}`;
/** Age of an abandoned folder: no pull or read takes that long. */
const ABANDONED_AFTER_MS = 60 * 60_000;

/**
 * The folder for images that are being unpacked and read. Leftovers of a killed process are
 * removed before the first use.
 */
export class WorkFolder {
  #swept: Promise<void> | undefined;

  constructor(private readonly folder: string) {}

  /** An empty folder for one piece of work. */
  async begin(): Promise<string> {
    this.#swept ??= this.sweep();
    await this.#swept;
    const path = join(this.folder, `${RUN}-${randomUUID()}`);
    await mkdir(path, { recursive: true, mode: 0o700 });
    return path;
  }

  /** Removes folders that no process uses. The hub's own folder is private to it; a command may share one. */
  async sweep(): Promise<void> {
    for (const name of await readdir(this.folder).catch(() => [])) {
      const path = join(this.folder, name);
      if (name.startsWith(RUN)) continue;
      if (isOfLiveProcess(name) && (await ageOf(path)) < ABANDONED_AFTER_MS) continue;
      await rm(path, { recursive: true, force: true });
    }
  }
}

/**
 * Returns true if the name is of a live process. Another run may have the same process number, because a
 * container counts processes from 1.
 */
function isOfLiveProcess(name: string): boolean {
  const pid = Number(name.split('-')[0]);
  if (!Number.isSafeInteger(pid) || pid <= 0 || pid === process.pid) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

const ageOf = async (path: string): Promise<number> =>
  Date.now() - ((await stat(path).catch(() => undefined))?.mtimeMs ?? Date.now());
