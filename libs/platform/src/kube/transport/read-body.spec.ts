import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { readBody } from './read-body.js';
import type { Exchange } from './wire.js';

const LIMIT = 1_000;

const exchangeOf = (body: Readable, headers: Exchange['headers'] = {}): Exchange => ({
  ...{ status: 200, headers, body },
  whole: () => true,
  cancel: () => undefined,
});
const bodyOf = (...chunks: readonly string[]): Readable => {
  const body = new Readable({ read: () => undefined });
  for (const chunk of chunks) body.push(Buffer.from(chunk));
  return body;
};

describe('readBody', () => {
  it('has all of an answer whose connection was closed before it was given out', async () => {
    const body = bodyOf('the whole ', 'answer');
    const text = readBody(exchangeOf(body, { 'content-length': '16' }), { limit: LIMIT });
    body.destroy();
    expect(await text).toBe('the whole answer');
  });

  it('has all of an answer that was closed before it was asked for', async () => {
    const body = bodyOf('the whole answer');
    const closed = new Promise((resolve) => body.once('close', resolve));
    body.destroy();
    await closed;
    expect(await readBody(exchangeOf(body), { limit: LIMIT })).toBe('the whole answer');
  });

  it('fails where less came than was announced', async () => {
    const body = bodyOf('half of');
    const text = readBody(exchangeOf(body, { 'content-length': '16' }), { limit: LIMIT });
    body.destroy();
    await expect(text).rejects.toMatchObject({ message: 'the connection broke in the middle of the answer' });
  });
});
