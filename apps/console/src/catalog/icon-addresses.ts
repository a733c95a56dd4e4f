import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Clock } from '#platform/clock/clock.port';

/** A code opens one icon for as long, and as long again after it was last given. */
const PERIOD_MS = 14 * 24 * 3_600_000;
/** A name that fits no address is no name of a package in a cluster. */
const LONGEST_NAME = 253;

/** The content, the package and the SHA-256 of the bytes. */
export type IconAddress = Readonly<{ id: string; name: string; hash: string }>;

/**
 * Addresses of icons with a code, for people who may see the content. Images carry no sign-in with a key, and
 * the parts of an address are no secret. All consoles of a hub have the same key.
 */
export class IconAddresses {
  readonly #key: Buffer;

  constructor(
    consoleKey: string,
    private readonly clock: Pick<Clock, 'now'>,
  ) {
    this.#key = createHmac('sha256', consoleKey).update('addresses of icons').digest();
  }

  /** Empty: there is no icon. */
  pathOf({ id, name, hash }: IconAddress): string {
    if (hash === '' || name.length > LONGEST_NAME) return '';
    return `/icons/${id}/${encodeURIComponent(name)}/${hash}?code=${this.#code({ id, name, hash }, this.#period)}`;
  }

  admits(address: IconAddress, code: unknown): boolean {
    if (typeof code !== 'string' || !/^[\w-]{22}$/.test(code)) return false;
    const sent = Buffer.from(code);
    const known = [this.#period, this.#period - 1].map((period) => Buffer.from(this.#code(address, period)));
    return known.some((one) => timingSafeEqual(one, sent));
  }

  get #period(): number {
    return Math.floor(this.clock.now().getTime() / PERIOD_MS);
  }

  #code({ id, name, hash }: IconAddress, period: number): string {
    const text = JSON.stringify([id, name, hash, period]);
    return createHmac('sha256', this.#key).update(text).digest('base64url').slice(0, 22);
  }
}
