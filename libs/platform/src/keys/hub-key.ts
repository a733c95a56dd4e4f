import { createHmac, createSecretKey, hkdfSync, type KeyObject, randomBytes, timingSafeEqual } from 'node:crypto';
import { link, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { LRUCache } from 'lru-cache';
import { FlotillaError, type Retry } from '#core/kernel/errors/flotilla.error';

const KEY_BYTES = 32;
/**
 * Most codes remembered for each key, and the longest text that has its code remembered. Most values are read
 * many times.
 */
const REMEMBERED_CODES = 4_096;
const LONGEST_REMEMBERED = 1_024;
/** Authenticated by the key, it makes the hub's name. */
const IDENTITY = 'identity of the hub';
/** A larger file is no key, and is not read. */
const MOST_FILE_BYTES = 4_096;

const HOW =
  'poller and applier authenticate their values in Redis with this key. Give both the same file, and do not let resolvers read it. To create it: `openssl rand -base64 48 > FILE`; the first of the two that may write there also creates it';

/** The key of the hub is not available. */
export class HubKeyUnusable extends FlotillaError {
  readonly code = 'HubKeyUnusable';
  readonly retry: Retry = 'when-input-changes';
  constructor(problem: string) {
    super(`FLOTILLA_HUB_KEY_FILE ${problem}: ${HOW}`);
  }
}

/**
 * Authenticates the messages from poller to applier through Redis (HMAC-SHA256). Resolvers do not have the
 * key. So a stolen resolver, or any other client that can write to Redis, cannot name the problem of a
 * namespace.
 */
export class HubKey {
  /** The first one signs; the others are older ones that still count. */
  readonly #keys: readonly [Codes, ...Codes[]];

  private constructor(
    private readonly isKept: boolean,
    key: Buffer,
    ...older: readonly Buffer[]
  ) {
    this.#keys = [new Codes(key), ...older.map((one) => new Codes(one))];
  }

  /** Identities of a hub with this key, then with each older one. Empty if the key ends with the process. */
  get identities(): readonly string[] {
    if (!this.isKept) return [];
    return this.#keys.map((key) => `hub-${Buffer.from(key.of(IDENTITY), 'base64url').toString('hex').slice(0, 12)}`);
  }

  /** A key for services that share a process: nothing else needs it, and it ends with the process. */
  static random(): HubKey {
    return new HubKey(false, randomBytes(KEY_BYTES));
  }

  /**
   * Reads the key in the file. Makes the file if there is none and the folder can be written. Each line is a
   * key: the first one is used; codes of the others are still accepted.
   *
   * @throws HubKeyUnusable if no file is named, it cannot be read or made, or a key has less than 32 bytes
   */
  static async open(path: string): Promise<HubKey> {
    if (path === '') throw new HubKeyUnusable('is not set');
    const text = (await readKey(path)) ?? (await makeKey(path));
    const [key, ...older] = text
      .trim()
      .split(/\s*\n\s*/)
      .map((line) => Buffer.from(line));
    const short = [key, ...older].find((one) => one !== undefined && one.length < KEY_BYTES);
    if (key === undefined || short !== undefined)
      throw new HubKeyUnusable(
        `names ${path}, but it has a key of ${short?.length ?? 0} bytes; each line needs a key of at least ${KEY_BYTES}`,
      );
    return new HubKey(true, key, ...older);
  }

  /** The authentication code of the parts, in this order. */
  codeOf(parts: readonly string[]): string {
    return this.#keys[0].of(textOf(parts));
  }

  /** Secrets of 32 bytes for a purpose (HKDF-SHA256): of the key in use, then of each older one. */
  secretsFor(purpose: string): readonly Buffer[] {
    return this.#keys.map((key) => key.secretFor(purpose));
  }

  /** True if the code is that of the parts. */
  verifies(code: string, parts: readonly string[]): boolean {
    const given = Buffer.from(code);
    const text = textOf(parts);
    return this.#keys.some((key) => {
      const expected = Buffer.from(key.of(text));
      return given.length === expected.length && timingSafeEqual(given, expected);
    });
  }
}

/** The codes of one key; the least recently used of those it remembers is forgotten first. */
class Codes {
  readonly #remembered = new LRUCache<string, string>({ max: REMEMBERED_CODES });
  readonly #key: KeyObject;

  constructor(key: Buffer) {
    this.#key = createSecretKey(key);
  }

  of(text: string): string {
    const remembered = this.#remembered.get(text);
    if (remembered !== undefined) return remembered;
    const code = createHmac('sha256', this.#key).update(text).digest('base64url');
    if (text.length <= LONGEST_REMEMBERED) this.#remembered.set(text, code);
    return code;
  }

  secretFor(purpose: string): Buffer {
    return Buffer.from(hkdfSync('sha256', this.#key, '', purpose, KEY_BYTES));
  }
}

/** Lengths keep ["ab", "c"] apart from ["a", "bc"]. */
const textOf = (parts: readonly string[]): string => parts.map((part) => `${Buffer.byteLength(part)}:${part}`).join('');

async function readKey(path: string): Promise<string | undefined> {
  try {
    const { size } = await stat(path);
    if (size > MOST_FILE_BYTES)
      throw new HubKeyUnusable(`names ${path}, but a file of ${size} bytes is too large for keys`);
    return await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof HubKeyUnusable) throw error;
    if (codeOfError(error) === 'ENOENT') return undefined;
    throw new HubKeyUnusable(`names ${path}, but it cannot be read (${codeOfError(error)})`);
  }
}

/** Makes the key. If several processes make it at the same time, one wins, and all read its text. */
async function makeKey(path: string): Promise<string> {
  const made = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    await writeFile(made, `${randomBytes(KEY_BYTES * 2).toString('base64')}\n`, { mode: 0o600, flag: 'wx' });
    await link(made, path).catch((error: unknown) => {
      if (codeOfError(error) !== 'EEXIST') throw error;
    });
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new HubKeyUnusable(`names ${path}, but it does not exist and cannot be created (${codeOfError(error)})`);
  } finally {
    await rm(made, { force: true }).catch(() => undefined);
  }
}

const codeOfError = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : String(error);
