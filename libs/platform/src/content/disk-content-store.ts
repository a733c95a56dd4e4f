import { randomUUID } from 'node:crypto';
import type { Stats } from 'node:fs';
import { copyFile, open, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { byCodeUnit } from '#core/kernel/canonical/canonical-json';
import { fileReason, isDiskFailure } from '../files/file-tree.error.js';
import { makeFolder } from '../files/make-folder.js';
import { type Log, silentLog } from '../telemetry/log.port.js';
import { ContentDiskFull, ContentFolderUnusable, ContentStoreFull } from './content-errors.js';
import { ContentStore, type Digest, type OpenContent } from './content-store.port.js';
import { digestOf, digestOfFile, isDigest } from './digest.js';

type DiskContentStoreOptions = Readonly<{
  /** All blobs together, in bytes; beyond it the least recently used ones go. Default 4 GiB. */
  maxBytes?: number;
  /**
   * Bytes outside the blobs that count in `maxBytes`, too: content on its way into the store. None by
   * default.
   */
  otherBytes?: () => number;
  log?: Log;
  /** Clock for recency. Default: the machine's time. */
  now?: () => Date;
}>;

/** Puts the bytes of a blob under a name of its own. */
type Fill = (aside: string) => Promise<void>;
type Taken = Readonly<{ digest: Digest; bytes: number; fill: Fill }>;

type Blob = { readonly digest: Digest; readonly bytes: number; usedMs: number };

/** Eviction frees this much below the bound, so that it is not needed at every put. */
const KEPT_AFTER_EVICTION = 0.9;
/** No blob takes this long to write. */
const ABANDONED_AFTER_MS = 15 * 60_000;

/**
 * Keeps blobs as files named by their digest. A file appears whole or not at all (written aside, flushed,
 * renamed). A file with changed bytes is dropped when it is read. Another process may share the directory: a
 * blob that is gone is just not held.
 */
export class DiskContentStore extends ContentStore {
  readonly #blobs = new Map<Digest, Blob>();
  /**
   * Files with bytes that this process has checked, by digest. The value distinguishes each file from another
   * of its name.
   */
  readonly #verified = new Map<Digest, string>();
  #total = 0;
  /** Bytes that are being written. */
  #incoming = 0;
  readonly #written: (() => void)[] = [];

  private constructor(
    private readonly directory: string,
    private readonly maxBytes: number,
    private readonly log: Log,
    private readonly now: () => Date,
    private readonly otherBytes: () => number,
  ) {
    super();
  }

  /**
   * Opens the store. Makes the directory if there is none, and takes over its content.
   *
   * @throws ContentFolderUnusable, ContentDiskFull
   */
  static async open(directory: string, options: DiskContentStoreOptions = {}): Promise<DiskContentStore> {
    const { maxBytes = 4 * 2 ** 30, log = silentLog, now = () => new Date(), otherBytes = () => 0 } = options;
    const store = new DiskContentStore(directory, maxBytes, log, now, otherBytes);
    try {
      await makeFolder(store.#aside, 0o700);
      await makeFolder(store.#held, 0o700);
      await store.#takeOver();
    } catch (error) {
      throw unusableFolder(directory, error);
    }
    return store;
  }

  async get(digest: Digest): Promise<Uint8Array | undefined> {
    if (!isDigest(digest)) return undefined;
    const bytes = await readFile(this.#path(digest)).catch(noFile);
    if (bytes === undefined) {
      this.#forget(digest);
      return undefined;
    }
    if (digestOf(bytes) !== digest) {
      this.log.warn({ digest, bytes: bytes.length }, 'dropped a damaged blob from the content store');
      await this.#remove(digest);
      return undefined;
    }
    await this.#touch(digest, bytes.length);
    return bytes;
  }

  async holds(digest: Digest): Promise<boolean> {
    return isDigest(digest) && (await stat(this.#path(digest)).catch(noFile)) !== undefined;
  }

  async put(bytes: Uint8Array): Promise<Digest> {
    const digest = digestOf(bytes);
    this.#requireFits(bytes.length);
    if ((await this.get(digest)) !== undefined) return digest;
    await this.#take(digest, bytes.length, (aside) => writeFile(aside, bytes, { mode: 0o600, flag: 'wx' }));
    return digest;
  }

  async putFile(path: string): Promise<Digest> {
    const digest = await digestOfFile(path);
    const { size } = await stat(path);
    this.#requireFits(size);
    const held = await this.open(digest);
    await held?.close();
    if (held === undefined) await this.#take(digest, size, (aside) => moveFile(path, aside));
    else await rm(path);
    return digest;
  }

  async open(digest: Digest): Promise<OpenContent | undefined> {
    if (!isDigest(digest)) return undefined;
    const file = await open(this.#path(digest), 'r').catch(noFile);
    if (file === undefined) {
      this.#forget(digest);
      return undefined;
    }
    const { size, ino, birthtimeMs } = await file.stat();
    const identity = `${ino}/${size}/${birthtimeMs}`;
    if (this.#verified.get(digest) !== identity && !(await this.#verify(digest))) {
      await file.close();
      return undefined;
    }
    this.#verified.set(digest, identity);
    await this.#touch(digest, size);
    const read = async (from: number, length: number) => {
      const buffer = Buffer.allocUnsafe(Math.max(0, Math.min(length, size - from)));
      const { bytesRead } = await file.read(buffer, 0, buffer.length, from);
      return buffer.subarray(0, bytesRead);
    };
    return { size, read, close: () => file.close() };
  }

  async #verify(digest: Digest): Promise<boolean> {
    if ((await digestOfFile(this.#path(digest)).catch(noFile)) === digest) return true;
    this.log.warn({ digest }, 'dropped a damaged blob from the content store');
    await this.#remove(digest);
    return false;
  }

  #requireFits(bytes: number): void {
    if (bytes <= this.maxBytes) return;
    throw new ContentStoreFull(`a blob of ${bytes} bytes does not fit into a content store of ${this.maxBytes} bytes`);
  }

  async #take(digest: Digest, bytes: number, fill: Fill): Promise<void> {
    await this.#reserve(bytes);
    let touched: Promise<void>;
    try {
      await this.makeRoom();
      await this.#write(digest, fill).catch((error: unknown) => this.#onWriteFailure(error, { digest, bytes, fill }));
      touched = this.#touch(digest, bytes);
    } finally {
      this.#incoming -= bytes;
      for (const go of this.#written.splice(0)) go();
    }
    await touched;
  }

  /** Counts bytes before they are written. A write that does not fit next to other writes waits for them. */
  async #reserve(bytes: number): Promise<void> {
    while (this.#incoming > 0 && this.#incoming + bytes + this.otherBytes() > this.maxBytes) {
      await new Promise<void>((resolve) => this.#written.push(resolve));
    }
    this.#incoming += bytes;
  }

  get #aside(): string {
    return join(this.directory, 'incoming');
  }

  get #held(): string {
    return join(this.directory, 'sha256');
  }

  #path(digest: Digest): string {
    return join(this.#held, digest.slice('sha256:'.length));
  }

  async #takeOver(): Promise<void> {
    for (const name of await readdir(this.#aside)) await this.#sweep(join(this.#aside, name));
    for (const name of (await readdir(this.#held)).toSorted(byCodeUnit)) {
      const digest = `sha256:${name}`;
      const stats: Stats | undefined = await stat(join(this.#held, name)).catch(noFile);
      if (!isDigest(digest) || stats === undefined) continue;
      this.#blobs.set(digest, { digest, bytes: stats.size, usedMs: stats.mtimeMs });
      this.#total += stats.size;
    }
    await this.makeRoom();
  }

  /**
   * Removes half-written files of a killed process. Younger files may belong to another process in the same
   * directory.
   */
  async #sweep(file: string): Promise<void> {
    const stats: Stats | undefined = await stat(file).catch(noFile);
    if (stats !== undefined && this.now().getTime() - stats.mtimeMs > ABANDONED_AFTER_MS)
      await rm(file, { force: true });
  }

  async #write(digest: Digest, fill: Fill): Promise<void> {
    const aside = join(this.#aside, randomUUID());
    try {
      await fill(aside);
      const file = await open(aside, 'r+');
      await file.sync().finally(() => file.close());
      await rename(aside, this.#path(digest));
    } catch (error) {
      await rm(aside, { force: true });
      throw error;
    }
    const directory = await open(this.#held, 'r');
    await directory.sync().finally(() => directory.close());
  }

  /**
   * Handles a full disk. Others may need it, so the store gives back half of its bytes and tries once more.
   */
  async #onWriteFailure(error: unknown, { digest, bytes, fill }: Taken): Promise<void> {
    if (codeOf(error) !== 'ENOSPC') throw error;
    this.log.warn({ heldBytes: this.#total }, 'the disk is full; dropping the older half of the content store');
    await this.#evictDownTo(this.#total / 2);
    await this.#write(digest, fill).catch((second: unknown) => {
      if (codeOf(second) !== 'ENOSPC') throw second;
      throw new ContentStoreFull(`the disk of the content store is full: ${bytes} bytes did not fit`);
    });
  }

  /** Drops the least recently used blobs if the bytes that count exceed the limit. */
  async makeRoom(): Promise<void> {
    const other = this.otherBytes() + this.#incoming;
    if (this.#total + other > this.maxBytes) await this.#evictDownTo(this.maxBytes * KEPT_AFTER_EVICTION - other);
  }

  async #evictDownTo(bytes: number): Promise<void> {
    const oldestFirst = [...this.#blobs.values()].toSorted(
      (a, b) => a.usedMs - b.usedMs || byCodeUnit(a.digest, b.digest),
    );
    for (const { digest } of oldestFirst) {
      if (this.#total <= bytes) return;
      await this.#remove(digest);
    }
  }

  async #touch(digest: Digest, bytes: number): Promise<void> {
    const now = this.now();
    const known = this.#blobs.get(digest);
    if (known === undefined) {
      this.#blobs.set(digest, { digest, bytes, usedMs: now.getTime() });
      this.#total += bytes;
    } else {
      known.usedMs = now.getTime();
    }
    await utimes(this.#path(digest), now, now).catch(noFile);
  }

  async #remove(digest: Digest): Promise<void> {
    this.#forget(digest);
    await rm(this.#path(digest), { force: true });
  }

  #forget(digest: Digest): void {
    this.#total -= this.#blobs.get(digest)?.bytes ?? 0;
    this.#blobs.delete(digest);
    this.#verified.delete(digest);
  }
}

const unusableFolder = (folder: string, error: unknown): Error =>
  isDiskFailure(error)
    ? new ContentDiskFull(folder, fileReason(error))
    : new ContentFolderUnusable(folder, fileReason(error));

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined);

/** Moves a file, also from another file system: a rename cannot cross file systems. */
async function moveFile(from: string, to: string): Promise<void> {
  await rename(from, to).catch(async (error: unknown) => {
    if (codeOf(error) !== 'EXDEV') throw error;
    await copyFile(from, to);
    await rm(from);
  });
}

function noFile(error: unknown): undefined {
  if (codeOf(error) !== 'ENOENT') throw error;
}
