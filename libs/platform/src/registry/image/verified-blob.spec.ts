import { describe, expect, it } from 'vitest';
import { digestOf } from '../../content/digest.js';
import type { Descriptor, Refuse } from '../client/image-manifest.js';
import { RegistryError } from '../client/registry-client.port.js';
import { collected } from './blob-source.js';
import { UnpackFailed } from './layers/unpack-directory.js';
import { type Consume, readVerified } from './verified-blob.js';

const refuse: Refuse = (failure, message) => new RegistryError(failure, 'r.test/a:v1', message);
const BYTES = Buffer.from('all of the blob');

/** The parts of a blob; counts how many were read, and whether the end of the reading was announced. */
function source(parts: readonly (string | Error)[]) {
  const seen = { read: 0, returned: 0 };
  const chunks: AsyncIterator<Uint8Array> = {
    next: async () => {
      const part = parts[seen.read++];
      if (part instanceof Error) throw part;
      return part === undefined ? { done: true, value: undefined } : { done: false, value: Buffer.from(part) };
    },
    return: async () => {
      seen.returned += 1;
      return { done: true, value: undefined };
    },
  };
  return { chunks, seen };
}
const PARTS = ['all ', 'of the ', 'blob'];
const descriptor = (more: Partial<Descriptor> = {}): Descriptor => ({
  mediaType: 'x',
  digest: digestOf(BYTES),
  size: BYTES.length,
  ...more,
});

async function read<T>(parts: readonly (string | Error)[], consume: Consume<T>, blob = descriptor()) {
  const { chunks, seen } = source(parts);
  const outcome = await readVerified(blob, chunks, consume, refuse).then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  return { ...outcome, ...seen };
}
const failure = (kind: string, says: string) =>
  expect.objectContaining({ failure: kind, message: expect.stringContaining(says) });
const text: Consume<string> = async (bytes) => Buffer.from(await collected(bytes)).toString();

describe('readVerified', () => {
  it('gives what the consumer made of the bytes', async () => {
    expect(await read(PARTS, text)).toEqual({ value: 'all of the blob', read: 4, returned: 1 });
  });

  it('checks an empty blob', async () => {
    const empty = descriptor({ digest: digestOf(new Uint8Array()), size: 0 });
    expect(await read([], text, empty)).toMatchObject({ value: '' });
  });

  it.each([
    {
      because: 'other bytes',
      parts: ['all of the bloB'],
      says: `came with digest ${digestOf(Buffer.from('all of the bloB')).slice(0, 19)}…: push the image again`,
    },
    { because: 'too few', parts: ['all of'], says: 'ended after 6 of 15 bytes: push the image again' },
    { because: 'none', parts: [], says: 'ended after 0 of 15 bytes' },
    { because: 'too many', parts: [...PARTS, '!'], says: 'is longer than the 15 bytes of the manifest' },
  ])('fails for $because, also for a consumer that reads nothing', async ({ parts, says }) => {
    for (const consume of [text, async () => 'not interested']) {
      expect(await read(parts, consume)).toMatchObject({ error: failure('DigestMismatch', says), returned: 1 });
    }
  });

  it('fails where the manifest has another size than the right bytes', async () => {
    const { error } = { error: undefined, ...(await read(PARTS, text, descriptor({ size: 20 }))) };
    expect(error).toEqual(failure('DigestMismatch', 'ended after 15 of 20 bytes'));
  });

  it('shows a consumer no end of bytes that are wrong', async () => {
    let ended = false;
    await read(['all of the bloB'], async (bytes) => {
      for await (const chunk of bytes) expect(chunk).toBeDefined();
      ended = true;
    });
    expect(ended).toBe(false);
  });

  it('reads to the end what the consumer leaves', async () => {
    const first: Consume<string> = async (bytes) =>
      Buffer.from((await bytes.getReader().read()).value ?? []).toString();
    expect(await read(PARTS, first)).toEqual({ value: 'all ', read: 4, returned: 1 });
  });

  it('gives what the consumer found wrong with bytes that have the right digest', async () => {
    const found = await read(PARTS, () => Promise.reject(refuse('Malformed', 'no archive')));
    expect(found).toMatchObject({ error: failure('Malformed', 'no archive'), read: 4 });
  });

  it('gives the wrong digest before what the consumer found wrong', async () => {
    const found = await read(['wrong'], () => Promise.reject(refuse('Malformed', 'no archive')));
    expect(found).toMatchObject({ error: failure('DigestMismatch', 'ended after 5 of 15 bytes') });
  });

  it.each([
    { because: 'what is too large', error: refuse('TooLarge', 'a bomb') },
    { because: 'what our own disk refuses', error: new UnpackFailed('/x', new Error('no space left')) },
  ])('reads no further after $because', async ({ error }) => {
    expect(await read(PARTS, () => Promise.reject(error))).toEqual({ error, read: 0, returned: 1 });
  });

  it('gives a line that breaks to the consumer and to the caller', async () => {
    const broken = refuse('Unreachable', 'connection reset');
    let seen: unknown;
    const found = await read(['all ', broken], async (bytes) => {
      seen = await collected(bytes).catch((error: unknown) => error);
      return 'made of half of it';
    });
    expect(seen).toBe(broken);
    expect(found).toMatchObject({ error: broken, returned: 1 });
  });

  it('reads one part after the other where the consumer still asks when the rest is read', async () => {
    const found = await read(PARTS, async (bytes) => {
      const reader = bytes.getReader();
      void reader.read();
      void reader.read();
      return 'done';
    });
    expect(found).toEqual({ value: 'done', read: 4, returned: 1 });
  });
});
