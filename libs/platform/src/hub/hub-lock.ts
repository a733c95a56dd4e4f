import { hostname } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { upRunsAlready } from '#core/cluster/joining/lock-holder';
import { FlotillaError, type Retry } from '#core/kernel/errors/flotilla.error';
import type { Clock } from '../clock/clock.port.js';
import type { Settings } from '../config/settings.js';
import { makeFolder } from '../files/make-folder.js';
import { FolderLock, type LockRefusal } from '../fleet/folder/folder-lock.js';

/** Another process of this user is the hub with this identity. */
export class HubRunsAlready extends FlotillaError {
  readonly code = 'HubRunsAlready';
  readonly retry: Retry = 'when-input-changes';
}

type HubLockOptions = Readonly<{
  /** Identity of the hub in its clusters; undefined: nothing is locked. */
  id: string | undefined;
  settings: Pick<Settings, 'clustersFile' | 'hubKeyFile'>;
  clock: Clock;
}>;

const RENEW_EVERY_MS = 5_000;

/**
 * Keeps a second `flotilla up` with the same identity from starting: two would write in turns. The lock lies
 * next to the clusters file and the key. A folder that cannot be written gets no lock.
 */
export class HubLock {
  readonly #lost = Promise.withResolvers<HubRunsAlready>();
  #isStopped = false;
  #cancel: () => void = () => undefined;
  #working: Promise<void> = Promise.resolve();

  private constructor(
    private readonly locks: readonly FolderLock[],
    private readonly clock: Clock,
  ) {
    if (locks.length > 0) this.#renewLater();
  }

  /** @throws HubRunsAlready */
  static async take({ id, settings, clock }: HubLockOptions): Promise<HubLock> {
    const locks: FolderLock[] = [];
    try {
      for (const path of id === undefined ? [] : lockPathsOf(settings, id)) {
        const lock = await takeAt(path);
        if (lock !== undefined) locks.push(lock);
      }
    } catch (error) {
      await removeAll(locks);
      throw error;
    }
    return new HubLock(locks, clock);
  }

  /** Resolves once another process has the lock, for example after the file was deleted. */
  get whenLost(): Promise<HubRunsAlready> {
    return this.#lost.promise;
  }

  /** Writes the hub's address into the lock. */
  async runsAt(url: string): Promise<void> {
    await this.#afterOthers(async (lock) => lock.makeSure(url));
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel();
    await this.#working;
    await removeAll(this.locks);
  }

  #renewLater(): void {
    if (this.#isStopped) return;
    this.#cancel = this.clock.after(RENEW_EVERY_MS, () => {
      const renewed = this.#afterOthers(async (lock) => {
        if ((await lock.renew()) === 'lost') await lock.makeSure();
      });
      void renewed.then(() => this.#renewLater());
    });
  }

  /** One change of the locks at a time. A disk that takes none does not end the hub. */
  #afterOthers(change: (lock: FolderLock) => Promise<void>): Promise<void> {
    const changeOne = (lock: FolderLock) =>
      change(lock).catch((error: unknown) => {
        if (error instanceof HubRunsAlready) this.#lost.resolve(error);
      });
    this.#working = this.#working.then(async () => {
      for (const lock of this.locks) await changeOne(lock);
    });
    return this.#working;
  }
}

/** Undefined in a folder that cannot be written, or a home that is not there: a hub works all the same. */
async function takeAt(path: string): Promise<FolderLock | undefined> {
  try {
    await makeFolder(dirname(path), 0o700);
    return await FolderLock.take(path, runsAlready);
  } catch (error) {
    if (error instanceof HubRunsAlready) throw error;
    return undefined;
  }
}

async function removeAll(locks: readonly FolderLock[]): Promise<void> {
  for (const lock of locks) await lock.remove().catch(() => undefined);
}

const runsAlready: LockRefusal = (_path, holder) => new HubRunsAlready(upRunsAlready(holder, hostname()));

/** Each identity has locks of its own: `FLOTILLA_HUB_ID` makes another hub of a second process. */
export function lockPathsOf({ clustersFile, hubKeyFile }: HubLockOptions['settings'], id: string): readonly string[] {
  const folders = [clustersFile, hubKeyFile].filter((file) => file !== '').map((file) => resolve(dirname(file)));
  return [...new Set(folders)].map((folder) => join(folder, `up-${id}.lock`));
}
