import { createHash } from 'node:crypto';
import { FlotillaError } from '#core/kernel/errors/flotilla.error';
import { type Descriptor, partName, type Refuse } from '../client/image-manifest.js';
import { RegistryError } from '../client/registry-client.port.js';
import { PullStandstill } from './standstill.js';

export type Consume<T> = (bytes: ReadableStream<Uint8Array>) => Promise<T>;

/**
 * Streams a blob into `consume` while hashing it, and gives the result once size and digest have
 * proved right. A wrong digest counts before whatever `consume` found wrong with the bytes, so the
 * rest is read even when it gives up; but a bomb need not be read to its end, and neither need
 * anything when our own disk is full.
 */
export async function readVerified<T>(
  blob: Descriptor,
  chunks: AsyncIterator<Uint8Array>,
  consume: Consume<T>,
  refuse: Refuse,
): Promise<T> {
  const verified = new VerifiedChunks(blob, chunks, refuse);
  try {
    const result = await consume(verified.stream());
    await verified.drain();
    return result;
  } catch (error) {
    if (isFinal(error)) throw error;
    await verified.drain();
    throw error;
  } finally {
    const ended = chunks.return?.();
    // A source that is stuck never ends.
    if (!verified.isWaiting) await ended;
    else ended?.catch(() => undefined);
  }
}

const isFinal = (error: unknown) =>
  error instanceof RegistryError
    ? error.failure === 'TooLarge' || error instanceof PullStandstill
    : error instanceof FlotillaError;

/** Enough of a digest to find it in the list of a registry, beside a whole one in one line. */
const SHORT_DIGEST = 'sha256:'.length + 12;

class VerifiedChunks {
  readonly #hash = createHash('sha256');
  #received = 0;
  #ended = false;
  #failure: unknown;
  #turn: Promise<Uint8Array | undefined> = Promise.resolve(undefined);
  /** True while the source has been asked for a chunk and has not answered. */
  isWaiting = false;

  constructor(
    private readonly blob: Descriptor,
    private readonly chunks: AsyncIterator<Uint8Array>,
    private readonly refuse: Refuse,
  ) {}

  /** Returns a stream for the consumer: it ends only if the digest is right, and fails if it is not. */
  stream(): ReadableStream<Uint8Array> {
    const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
      const chunk = await this.#next();
      if (chunk === undefined) controller.close();
      else controller.enqueue(chunk);
    };
    return new ReadableStream({ pull }, { highWaterMark: 0 });
  }

  /**
   * Reads the bytes that the consumer left. Throws the fault of the bytes, again if the consumer has seen it
   * already.
   */
  async drain(): Promise<void> {
    while ((await this.#next()) !== undefined);
  }

  /** One after the other: the consumer's stream may still be asking when it is drained. */
  #next(): Promise<Uint8Array | undefined> {
    this.#turn = this.#turn.catch(() => undefined).then(() => this.#read());
    return this.#turn;
  }

  async #read(): Promise<Uint8Array | undefined> {
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#ended) return undefined;
    try {
      this.isWaiting = true;
      const { done, value } = await this.chunks.next();
      this.isWaiting = false;
      if (!done) return this.#take(value);
      this.#ended = true;
      this.#verify();
      return undefined;
    } catch (error) {
      this.isWaiting = false;
      this.#failure = error;
      throw error;
    }
  }

  #take(chunk: Uint8Array): Uint8Array {
    const { size } = this.blob;
    this.#received += chunk.length;
    if (this.#received > size) {
      throw this.#mismatch(`is longer than the ${size} bytes of the manifest`);
    }
    this.#hash.update(chunk);
    return chunk;
  }

  #verify(): void {
    const { size, digest } = this.blob;
    const actual = `sha256:${this.#hash.digest('hex')}`;
    if (actual === digest && this.#received === size) return;
    const isShort = this.#received < size;
    throw this.#mismatch(
      isShort ? `ended after ${this.#received} of ${size} bytes` : `came with digest ${actual.slice(0, SHORT_DIGEST)}…`,
    );
  }

  #mismatch(how: string): RegistryError {
    return this.refuse('DigestMismatch', `${partName(this.blob)} ${how}: push the image again`);
  }
}
