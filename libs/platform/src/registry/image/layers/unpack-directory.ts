import { randomUUID } from 'node:crypto';
import { link, mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { FlotillaError, type Retry } from '#core/kernel/errors/flotilla.error';
import type { FileSink } from './file-sink.js';
import type { TreeFile } from './image-tree.js';

/** The disk would not take an image's files: full, read-only, or something else is in the way. */
export class UnpackFailed extends FlotillaError {
  readonly code = 'UnpackFailed';
  readonly retry: Retry = 'backoff';
  readonly why: string;
  constructor(
    readonly directory: string,
    cause: unknown,
  ) {
    const why = cause instanceof Error ? cause.message : String(cause);
    super(`cannot unpack an image into ${directory}: ${why}`);
    this.why = why;
  }
}

/** A file of the image under a name of our own; `at` moves when the file gets its place. */
type Staged = { at: string; placed: boolean };

/** A name next to the directory for the work in progress. */
export const partialOf = (directory: string): string => `${directory}.${randomUUID()}.partial`;

/** Returns the path of a wanted file relative to the directory, `/` between. */
type UnpackPath = (path: string) => string;

/**
 * A directory that appears whole or not at all. Files stream into a sibling, `<directory>.<uuid>.partial`,
 * under numbers: no name of the image reaches the disk before the whole image has been checked. Only regular
 * files and directories are ever made, so nothing in it can lead out of it. After a crash `*.partial`
 * siblings may be deleted.
 */
export class UnpackDirectory implements FileSink<Staged> {
  #count = 0;

  #written = 0;

  constructor(
    private readonly directory: string,
    private readonly onDisk: (bytes: number) => void = () => undefined,
    private readonly partial = partialOf(directory),
  ) {}

  /**
   * Runs `unpack` and publishes the files that it kept. After any failure, the directory and its sibling are
   * removed.
   */
  async fill(
    unpack: (sink: FileSink<Staged>) => Promise<readonly TreeFile<Staged>[]>,
    place: UnpackPath,
  ): Promise<{ bytes: number; files: number }> {
    try {
      await this.#onDisk(() => this.#begin());
      const files = await unpack(this);
      await this.#onDisk(() => this.#publish(files, place));
      return { bytes: files.reduce((sum, { size }) => sum + size, 0), files: files.length };
    } finally {
      // The earlier error says more than the failure to tidy up.
      await rm(this.partial, { recursive: true, force: true }).catch(() => undefined);
    }
  }

  readonly keep = async (body: AsyncIterable<Uint8Array>): Promise<Staged> => {
    const at = join(this.#staging, String(this.#count++));
    const file = await this.#onDisk(() => open(at, 'wx', 0o600));
    try {
      for await (const chunk of body) {
        this.#note(chunk.length);
        await this.#onDisk(() => file.writeFile(chunk));
      }
    } finally {
      await file.close();
    }
    return { at, placed: false };
  };

  readonly clear = async (): Promise<void> => {
    await this.#onDisk(async () => {
      await rm(this.#staging, { recursive: true, force: true });
      await mkdir(this.#staging, { mode: 0o700 });
    });
    this.#note(-this.#written);
  };

  #note(bytes: number): void {
    this.onDisk(bytes);
    this.#written += bytes;
  }

  get #staging(): string {
    return join(this.partial, 'staging');
  }

  async #begin(): Promise<void> {
    const held = await readdir(this.directory).catch(absent);
    if (held !== undefined && held.length > 0) throw new Error('the directory is not empty');
    await mkdir(this.#staging, { recursive: true, mode: 0o700 });
  }

  async #publish(files: readonly TreeFile<Staged>[], place: UnpackPath): Promise<void> {
    const tree = join(this.partial, 'tree');
    await mkdir(tree, { mode: 0o700 });
    const made = new Set([tree]);
    for (const { path, content } of files) {
      const target = join(tree, place(path));
      const parent = dirname(target);
      if (!made.has(parent)) await mkdir(parent, { recursive: true, mode: 0o700 });
      made.add(parent);
      await putAt(content, target);
    }
    await rename(tree, this.directory);
  }

  async #onDisk<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw new UnpackFailed(this.directory, error);
    }
  }
}

/** Further names of a file are hard links: many names of a large file cost no disk. */
async function putAt(file: Staged, target: string): Promise<void> {
  if (file.placed) return link(file.at, target);
  await rename(file.at, target);
  file.at = target;
  file.placed = true;
}

function absent(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return;
  throw error;
}
