import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { byCodeUnit } from '#core/kernel/canonical/canonical-json';
import type { Digest } from '#platform/content/content-store.port';
import { isDigest } from '#platform/content/digest';
import { READ_VERSION } from './read-catalog.js';

/** Text that is a digest. */
export const DigestText = z.custom<Digest>((value) => typeof value === 'string' && isDigest(value));

/** Result of reading a catalog image: names of contents in the content store, or why there are none. */
const ContentDescriptor = z.strictObject({
  v: z.literal(READ_VERSION),
  image: DigestText,
  read: z.union([
    z.strictObject({ unreadable: z.string() }),
    z.strictObject({ content: DigestText, problems: z.array(z.string()) }),
    z.strictObject({ content: DigestText, records: DigestText, model: DigestText }),
  ]),
});
export type ContentDescriptor = z.infer<typeof ContentDescriptor>;

/** More images than a poller ever holds at the same time. */
const KEPT = 500;

/**
 * Descriptors by image digest, one small file each: a restarted poller neither pulls nor parses content that
 * it has read before. Losing them is harmless.
 */
export class ContentDescriptors {
  constructor(private readonly directory: string) {}

  /** Undefined for an image that was not read, or was read by an incompatible release. */
  async get(image: Digest): Promise<ContentDescriptor | undefined> {
    const text = await readFile(this.#path(image), 'utf8').catch(() => undefined);
    if (text === undefined) return undefined;
    const parsed = ContentDescriptor.safeParse(parsedJson(text));
    return parsed.success && parsed.data.image === image ? parsed.data : undefined;
  }

  async put(descriptor: ContentDescriptor): Promise<void> {
    await mkdir(this.directory, { recursive: true, mode: 0o700 });
    const aside = join(this.directory, `.${randomUUID()}`);
    await writeFile(aside, JSON.stringify(descriptor), { mode: 0o600 });
    await rename(aside, this.#path(descriptor.image));
    await this.#prune();
  }

  #path(image: Digest): string {
    return join(this.directory, `${image.slice('sha256:'.length)}.json`);
  }

  async #prune(): Promise<void> {
    const names = await readdir(this.directory);
    if (names.length <= KEPT) return;
    const dated = await Promise.all(
      names.map(async (name) => ({
        name,
        ms: (await stat(join(this.directory, name)).catch(() => undefined))?.mtimeMs ?? 0,
      })),
    );
    const oldestFirst = dated.toSorted((a, b) => a.ms - b.ms || byCodeUnit(a.name, b.name));
    for (const { name } of oldestFirst.slice(0, names.length - KEPT))
      await rm(join(this.directory, name), { force: true });
  }
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
