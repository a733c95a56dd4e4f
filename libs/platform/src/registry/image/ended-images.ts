import { createHash, randomBytes } from 'node:crypto';
import { readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import { clipMessage } from '#core/kernel/conditions/clip-message';
import type { Digest } from '../../content/content-store.port.js';
import { makeFolder } from '../../files/make-folder.js';
import type { HealthCheck } from '../../telemetry/health-check.js';
import { parseImageReference } from '../client/image-reference.js';
import { repositoryOf } from '../logins/access-key.js';
import { ReaderEnded } from './layers/layers-reader.port.js';

const MOST = 1_000;
const MOST_BYTES = 1_000;
const MAX_FILE_BYTES = 8 * 2 ** 20;
/** A source that failed asks again within six minutes. */
const ASKED_WITHIN_MS = 15 * 60_000;
/** Images that health names. */
const SHOWN = 5;

const Ended = z.object({ image: z.string(), repository: z.string(), message: z.string(), at: z.number() });
const EndedFile = z.object({ bounds: z.string(), images: z.record(z.string(), Ended) });

type EndedImage = z.infer<typeof Ended>;

/** An image by its reference, and the key by which it is remembered. */
export type LastingImage = Readonly<{ key: string; image: string }>;

/** Keys of logins end with the process, so an image is remembered by its repository. */
export const lastingImage = (image: string, digest: Digest): LastingImage => ({
  key: `${repository(image)} ${digest}`,
  image,
});

/**
 * Images that ended the thread that read them, by repository and digest: none of them is read again, also not
 * by the next process, until another version or other bounds are at work, or a user asks. A caller asks once
 * the repository has named the digest, with the caller's own login. In a file next to the content store. A
 * disk that takes no writes costs one more try.
 */
export class EndedImages {
  readonly #images: Map<string, EndedImage>;
  /** Time of the last question for an image; milliseconds. */
  readonly #asked = new Map<string, number>();
  #writing: Promise<void> = Promise.resolve();
  #isWriteDue = false;

  private constructor(
    private readonly file: string,
    private readonly bounds: string,
    private readonly now: () => number,
    known: Readonly<Record<string, EndedImage>>,
  ) {
    this.#images = new Map(Object.entries(known));
  }

  /**
   * Opens the file. `bounds`: version and limits of the process in one text. Images that ended under other
   * bounds are forgotten.
   */
  static async open(file: string, bounds: string, now: () => number = Date.now): Promise<EndedImages> {
    const hash = hashOf(bounds);
    return new EndedImages(file, hash, now, await knownIn(file, hash));
  }

  /** Images that were asked for lately. */
  get asked(): readonly EndedImage[] {
    const since = this.now() - ASKED_WITHIN_MS;
    return [...this.#images].flatMap(([key, image]) => ((this.#asked.get(key) ?? 0) >= since ? [image] : []));
  }

  /** The error of the image that ended its thread under this key. */
  find(key: string): ReaderEnded | undefined {
    const known = this.#images.get(hashOf(key));
    if (known === undefined) return undefined;
    this.#asked.set(hashOf(key), this.now());
    return noted(known);
  }

  /** Remembers the image. Returns the error that says so. */
  note(key: string, image: string, error: Error): ReaderEnded {
    const hash = hashOf(key);
    const message = clipMessage(error.message, MOST_BYTES);
    const ended: EndedImage = { image, repository: repository(image), message, at: this.now() };
    this.#images.delete(hash);
    this.#images.set(hash, ended);
    this.#asked.set(hash, this.now());
    const [oldest] = this.#images.keys();
    if (this.#images.size > MOST && oldest !== undefined) this.#remove(oldest);
    this.#write();
    return noted(ended);
  }

  /** Forgets the image: it was read well. */
  forget(key: string): void {
    if (!this.#images.has(hashOf(key))) return;
    this.#remove(hashOf(key));
    this.#write();
  }

  /** Has images of the repository of `image` read once more that ended their threads before that time. */
  tryAgain(image: string, before: number): void {
    const asked = repository(image);
    const old = [...this.#images].filter(([, one]) => one.repository === asked && one.at < before);
    for (const [hash] of old) this.#remove(hash);
    if (old.length > 0) this.#write();
  }

  /** Degraded while images are asked for that are not read again. */
  get check(): HealthCheck {
    return { name: 'images', check: async () => this.#health() };
  }

  /** Resolves once the file has all known images. */
  written(): Promise<void> {
    return this.#writing;
  }

  #health() {
    const { asked } = this;
    if (asked.length === 0) return { up: true, detail: 'no image crashed the thread that read it' };
    const shown = asked
      .slice(0, SHOWN)
      .map(({ image, at, message }) => `${image} (${new Date(at).toISOString()}: ${message})`);
    const more = asked.length > SHOWN ? ` and ${asked.length - SHOWN} more` : '';
    const said =
      asked.length === 1
        ? '1 image crashed the thread that read it, and is not read again'
        : `${asked.length} images crashed the threads that read them, and are not read again`;
    const detail = `${said}: ${shown.join(', ')}${more}`;
    return { up: true, degraded: true, detail };
  }

  #remove(hash: string): void {
    this.#images.delete(hash);
    this.#asked.delete(hash);
  }

  #write(): void {
    // One write says all that was noted until it begins.
    if (this.#isWriteDue) return;
    this.#isWriteDue = true;
    const write = async () => {
      this.#isWriteDue = false;
      const draft = `${this.file}.${randomBytes(6).toString('hex')}`;
      try {
        await makeFolder(dirname(this.file), 0o700);
        const text = JSON.stringify({ bounds: this.bounds, images: Object.fromEntries(this.#images) });
        await writeFile(draft, text, { mode: 0o600 });
        await rename(draft, this.file);
      } finally {
        await rm(draft, { force: true });
      }
    };
    this.#writing = this.#writing.then(write).catch(() => undefined);
  }
}

const ADVICE = 'this digest is not read again: push another image; for the image of a catalog, use "flotilla retry"';

function noted({ image, message }: EndedImage): ReaderEnded {
  const error = new ReaderEnded(image, `${message}; ${ADVICE}`);
  error.isNoted = true;
  return error;
}

/** Empty for a file that is missing or damaged, or of other bounds. */
async function knownIn(file: string, bounds: string): Promise<Readonly<Record<string, EndedImage>>> {
  try {
    if ((await stat(file)).size > MAX_FILE_BYTES) return {};
    const read = EndedFile.parse(JSON.parse(await readFile(file, 'utf8')));
    return read.bounds === bounds ? read.images : {};
  } catch {
    return {};
  }
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

function repository(image: string): string {
  try {
    return repositoryOf(parseImageReference(image));
  } catch {
    return image;
  }
}
