import { StringDecoder } from 'node:string_decoder';
import type { AnswerLease } from './answer-bytes.js';
import { TransportError } from './transport.error.js';

/** etcd holds objects of at most 1.5 MiB; several times that is no longer a watch event. */
const LONGEST_LINE = 16 * 1024 * 1024;

/**
 * Lines up to this length are not counted among the bytes that are read at a time: watches
 * are many and rest for long.
 */
const SHORT_LINE = 256 * 1024;

/**
 * The lines of a body, each without its end; what follows the last line end is dropped, being half an
 * event. A line that grows long is counted in a lease until it ends, so that many watches do not hold
 * long lines at the same time.
 */
export async function* watchLines(
  body: AsyncIterable<Buffer>,
  lease?: () => AnswerLease,
  signal?: AbortSignal,
): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8');
  const line = new GrowingLine(lease, signal);
  try {
    for await (const chunk of body) {
      const [first = '', ...more] = decoder.write(chunk).split('\n');
      let last = first;
      for (const next of more) {
        yield line.end(last);
        last = next;
      }
      await line.grow(last);
    }
  } finally {
    line.end('');
  }
}

/** The line whose end has not come yet. */
class GrowingLine {
  #parts: string[] = [];
  #length = 0;
  #leased: AnswerLease | undefined;

  constructor(
    private readonly lease: (() => AnswerLease) | undefined,
    private readonly signal: AbortSignal | undefined,
  ) {}

  async grow(part: string): Promise<void> {
    if (part === '') return;
    this.#parts.push(part);
    this.#length += part.length;
    if (this.#length > LONGEST_LINE) throw new TransportError('too-large', 'one watch event is larger than 16 MiB');
    if (this.#length <= SHORT_LINE || this.lease === undefined) return;
    const grown = this.#leased === undefined ? this.#length : part.length;
    this.#leased ??= this.lease();
    await this.#leased.grow(grown, this.signal);
  }

  /** The whole line with its last part; the next one begins. */
  end(part: string): string {
    const whole = this.#parts.length === 0 ? part : this.#parts.join('') + part;
    this.#parts = [];
    this.#length = 0;
    this.#leased?.release();
    this.#leased = undefined;
    return whole;
  }
}
