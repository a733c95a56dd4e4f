import type { Hub } from '#platform/hub/hub';

const LOOK_EVERY_MS = 2_000;

/**
 * A key that is there as long as Redis keeps what it was given. When it is gone, so are queues, problems and solutions:
 * everything is published again at once instead of at the next resync.
 */
export class RedisMarker {
  #cancel: () => void = () => undefined;
  #known = false;
  #stopped = false;

  constructor(
    private readonly hub: Hub,
    private readonly onLost: () => void,
  ) {}

  start(): void {
    void this.#look();
  }

  stop(): void {
    this.#stopped = true;
    this.#cancel();
  }

  async #look(): Promise<void> {
    const { redis, settings, log, clock } = this.hub;
    try {
      const isNew = await redis.set(`${settings.redisPrefix}:marker`, '1', 'NX');
      if (isNew !== null && this.#known) {
        log.warn({}, 'Redis was emptied: everything is published again');
        this.onLost();
      }
      this.#known = true;
    } catch (error) {
      log.warn({ error }, 'Redis does not answer');
    }
    if (!this.#stopped) this.#cancel = clock.after(LOOK_EVERY_MS, () => void this.#look());
  }
}
