import { Readable } from 'node:stream';
import { createGunzip, createZstdDecompress } from 'node:zlib';
import { zstdFrames } from './zstd-frames.js';

/** The compression of a layer. Names of compressions that no container runtime reads are for the error. */
type Compression = 'none' | 'gzip' | 'zstd' | 'bzip2' | 'xz';

const HEAD_BYTES = 4;
const MAGIC: readonly (readonly [Compression, readonly number[]])[] = [
  ['gzip', [0x1f, 0x8b, 0x08]],
  ['zstd', [0x28, 0xb5, 0x2f, 0xfd]],
  ['bzip2', [0x42, 0x5a, 0x68]],
  ['xz', [0xfd, 0x37, 0x7a, 0x58]],
];

/**
 * The bytes of a layer, unpacked. As in container runtimes its first bytes say how it is packed: media types
 * are often wrong about that. Throws an Error.
 */
export async function* unpackedLayer(packed: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const { head, all } = await withHead(packed);
  const compression = compressionOf(head);
  if (compression === 'none') yield* all;
  else if (compression === 'gzip') yield* piped(all, createGunzip());
  else if (compression === 'zstd') yield* piped(zstdFrames(all), createZstdDecompress());
  else throw new Error(`it is packed with ${compression}, not with gzip or zstd`);
}

function compressionOf(head: Uint8Array): Compression {
  // A zstd stream may begin with a frame to skip, as eStargz and zstd:chunked have it.
  if (((head[0] ?? 0) & 0xf0) === 0x50 && head[1] === 0x2a && head[2] === 0x4d && head[3] === 0x18) return 'zstd';
  return MAGIC.find(([, magic]) => magic.every((byte, at) => head[at] === byte))?.[0] ?? 'none';
}

/** The first bytes of a stream, and the whole of it. */
async function withHead(
  packed: AsyncIterable<Uint8Array>,
): Promise<Readonly<{ head: Uint8Array; all: AsyncGenerator<Uint8Array> }>> {
  const chunks = packed[Symbol.asyncIterator]();
  let head: Uint8Array = new Uint8Array();
  while (head.length < HEAD_BYTES) {
    const next = await chunks.next();
    if (next.done === true) break;
    head = head.length === 0 ? next.value : Buffer.concat([head, next.value]);
  }
  return { head, all: rejoined(head, chunks) };
}

async function* rejoined(head: Uint8Array, chunks: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    if (head.length > 0) yield head;
    for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) yield next.value;
  } finally {
    await chunks.return?.();
  }
}

function piped(
  chunks: AsyncIterable<Uint8Array>,
  unpacker: ReturnType<typeof createGunzip>,
): AsyncIterable<Uint8Array> {
  const source = Readable.from(chunks);
  source.on('error', (error) => unpacker.destroy(error));
  unpacker.on('error', (error) => source.destroy(error));
  unpacker.on('close', () => source.destroy());
  return source.pipe(unpacker);
}
