import { readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MetasIndex } from '#core/catalog/metas/metas-index';
import type { Digest, OpenContent } from '../content/content-store.port.js';
import { digestOf } from '../content/digest.js';
import { makeFolder } from '../files/make-folder.js';
import { indexLines } from './index-lines.js';

const UNUSED_MS = 7 * 24 * 3_600_000;
const SUFFIX = '.index';

/**
 * Indexes of contents as files, so that a process that restarts opens them instead of reading whole catalogs.
 */
export class MetasIndexFiles {
  private constructor(private readonly directory: string) {}

  /** Opens the directory. Makes it if there is none, and drops files that no process has used for a week. */
  static async open(directory: string, now: Date): Promise<MetasIndexFiles> {
    await makeFolder(directory, 0o700);
    for (const name of await readdir(directory)) {
      const path = join(directory, name);
      const stats = await stat(path).catch(() => undefined);
      if (stats !== undefined && now.getTime() - stats.mtimeMs > UNUSED_MS) await rm(path, { force: true });
    }
    return new MetasIndexFiles(directory);
  }

  /** Returns the index that is kept for a content. If there is none, makes and keeps it. */
  async of(digest: Digest, content: OpenContent): Promise<MetasIndex> {
    const path = join(this.directory, `${digest.slice('sha256:'.length)}${SUFFIX}`);
    const kept = await read(path);
    if (kept?.size === content.size) {
      const now = new Date();
      await utimes(path, now, now).catch(() => undefined);
      return kept;
    }
    const made = await indexLines(content);
    await keep(path, made);
    return made;
  }
}

const SEAL_BYTES = 'sha256:'.length + 64;

/** Reads an index. Returns undefined if there is none, or it is not as it was written. */
async function read(path: string): Promise<MetasIndex | undefined> {
  const bytes = await readFile(path).catch(() => undefined);
  if (bytes === undefined) return undefined;
  const encoded = bytes.subarray(SEAL_BYTES);
  return digestOf(encoded) === bytes.toString('latin1', 0, SEAL_BYTES) ? MetasIndex.decode(encoded) : undefined;
}

/** Best effort: without it the next start makes the index again. */
async function keep(path: string, index: MetasIndex): Promise<void> {
  const aside = `${path}.${process.pid}`;
  try {
    const encoded = index.encode();
    await writeFile(aside, [digestOf(encoded), encoded], { mode: 0o600 });
    await rename(aside, path);
  } catch {
    await rm(aside, { force: true });
  }
}
