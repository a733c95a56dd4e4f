import { mkdir } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { upRunsAlready } from '#core/fleet/joining/lock-holder';
import { FlotillaError, type Retry } from '#core/kernel/errors/flotilla.error';
import type { Clock } from '../clock/clock.port.js';
import type { Settings } from '../config/settings.js';
import { FolderLock } from '../fleet/folder/folder-lock.js';

/** Another process of this user is the hub with this identity. */
export class HubRunsAlready extends FlotillaError {
  readonly code = 'HubRunsAlready';
  readonly retry: Retry = 'when-input-changes';
}

export type HubLockOptions = Readonly<{
  /** What the hub is called in its clusters; undefined: nothing is locked. */
  id: string | undefined;
  settings: Pick<Settings, 'clustersFile'>;
  clock: Clock;
}>;

const RENEW_EVERY_MS = 5_000;

/**
 * Keeps a second `flotilla up` with the same identity from starting: two would write in turns. The lock lies
 * beside the clusters file, where the identity is kept. Where nothing can be kept, nothing is locked.
 */
export class HubLock {
  readonly #lost = Promise.withResolvers<HubRunsAlready>();
  #isStopped = false;
  #cancel: () => void = () => undefined;
  #working: Promise<void> = Promise.resolve();

  private constructor(
    private readonly lock: FolderLock | undefined,
    private readonly clock: Clock,
  ) {
    if (lock !== undefined) this.#renewLater(lock);
  }

  /** @throws HubRunsAlready */
  static async take({ id, settings, clock }: HubLockOptions): Promise<HubLock> {
    if (id === undefined) return new HubLock(undefined, clock);
    const path = lockPathOf(settings.clustersFile, id);
    try {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      return new HubLock(await FolderLock.take(path, (_path, holder) => runsAlready(holder)), clock);
    } catch (error) {
      if (error instanceof HubRunsAlready) throw error;
      // A home that cannot be written, or that is not there: a hub works there all the same.
      return new HubLock(undefined, clock);
    }
  }

  /** Settles with why, once another process has the lock, such as after it was deleted. */
  get whenLost(): Promise<HubRunsAlready> {
    return this.#lost.promise;
  }

  /** From now on the lock names the address at which this hub answers. */
  async runsAt(url: string): Promise<void> {
    const { lock } = this;
    if (lock === undefined) return;
    await this.#afterOthers(() => lock.makeSure(url));
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel();
    await this.#working;
    await this.lock?.remove().catch(() => undefined);
  }

  #renewLater(lock: FolderLock): void {
    if (this.#isStopped) return;
    this.#cancel = this.clock.after(RENEW_EVERY_MS, () => {
      const renew = async () => {
        if ((await lock.renew()) === 'lost') await lock.makeSure();
      };
      void this.#afterOthers(renew).then(() => this.#renewLater(lock));
    });
  }

  /** One change of the lock at a time. A disk that takes none does not end the hub. */
  #afterOthers(change: () => Promise<void>): Promise<void> {
    this.#working = this.#working.then(change).catch((error: unknown) => {
      if (error instanceof HubRunsAlready) this.#lost.resolve(error);
    });
    return this.#working;
  }
}

const runsAlready = (holder: Parameters<typeof upRunsAlready>[0]): HubRunsAlready =>
  new HubRunsAlready(upRunsAlready(holder, hostname()));

/** Each identity has a lock of its own: `FLOTILLA_HUB_ID` makes another hub of a second process. */
export const lockPathOf = (clustersFile: string, id: string): string => join(dirname(clustersFile), `up-${id}.lock`);
