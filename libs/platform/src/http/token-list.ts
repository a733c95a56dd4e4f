import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { readTokenFile } from '#core/kernel/http-access/token-file';
import { fileReason } from '../files/file-tree.error.js';
import type { Log } from '../telemetry/log.port.js';

/** The holder of a token, and the paths that the token may read. */
type TokenOwner = Readonly<{ name: string; paths: readonly string[] }>;

type HashedEntry = TokenOwner & Readonly<{ hash: Buffer }>;

/** A larger file holds no list of tokens, and is not read. */
const MOST_FILE_BYTES = 1024 * 1024;

/**
 * The tokens of a file. The file is read again when it has changed: a removed token is refused from the next
 * request on. A file that is missing or cannot be read holds no tokens. Memory holds hashes of tokens alone.
 */
export class TokenList {
  readonly #secret = randomBytes(32);
  #version: string | undefined;
  #entries: Promise<readonly HashedEntry[]> = Promise.resolve([]);

  constructor(
    private readonly file: string,
    private readonly log: Log,
  ) {}

  /** Compares with every token, so that the time taken does not reveal the first difference. */
  async ownerOf(token: string): Promise<TokenOwner | undefined> {
    const version = await this.#versionOf();
    if (version !== this.#version) {
      this.#version = version;
      this.#entries = this.#read();
    }
    const hash = this.#hashOf(token);
    let found: TokenOwner | undefined;
    for (const entry of await this.#entries) if (timingSafeEqual(entry.hash, hash)) found ??= entry;
    return found;
  }

  /** Returns a text that changes with the file, also if a mounted Secret swaps a link. */
  async #versionOf(): Promise<string> {
    try {
      const { ino, mtimeMs, ctimeMs, size } = await stat(this.file);
      return [ino, mtimeMs, ctimeMs, size].join(' ');
    } catch (error) {
      return fileReason(error);
    }
  }

  async #read(): Promise<HashedEntry[]> {
    const { file, log } = this;
    try {
      const { size } = await stat(file);
      if (size > MOST_FILE_BYTES) throw new Error(`${size} bytes are too many for a list of tokens`);
      const { entries, problems } = readTokenFile(await readFile(file, 'utf8'));
      for (const problem of problems) log.error({ file, problem }, 'skipped a line of FLOTILLA_HTTP_TOKENS_FILE');
      log.info({ file, tokens: entries.length }, 'read the HTTP tokens of the hub');
      return entries.map(({ name, token, paths }) => ({ name, paths, hash: this.#hashOf(token) }));
    } catch (error) {
      log.warn({ file, because: fileReason(error) }, 'could not read FLOTILLA_HTTP_TOKENS_FILE: no token is valid');
      return [];
    }
  }

  #hashOf(token: string): Buffer {
    return createHmac('sha256', this.#secret).update(token).digest();
  }
}
