import { describe, expect, it } from 'vitest';
import { pause } from '#testing/patience';
import { PullStandstill, unlessItStandsStill } from './standstill.js';

const error = () => new PullStandstill('r.test/a:v1', 'it stands still');
const LIMIT = 60;

async function* chunks(count: number, pauseMs = 0): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < count; at += 1) {
    if (pauseMs > 0) await pause(pauseMs);
    yield new Uint8Array(1);
  }
}
async function* stuckAfter(count: number): AsyncGenerator<Uint8Array> {
  yield* chunks(count);
  await new Promise(() => undefined);
}
async function lengthOf(bytes: AsyncIterable<Uint8Array>): Promise<number> {
  let length = 0;
  for await (const chunk of bytes) length += chunk.length;
  return length;
}

describe('a layer that is read', () => {
  it('may take longer than the limit while its chunks come', async () => {
    const reading = { bytes: chunks(20, LIMIT / 6), read: lengthOf, limitMs: LIMIT * 20, error };
    expect(await unlessItStandsStill(reading)).toBe(20);
  });

  it.each([0, 3])('fails if no chunk comes behind %i of them', async (count) => {
    const reading = { bytes: stuckAfter(count), read: lengthOf, limitMs: LIMIT, error };
    await expect(unlessItStandsStill(reading)).rejects.toThrow('it stands still');
  });

  it('fails if its reader asks for nothing any more', async () => {
    const read = async (bytes: AsyncIterable<Uint8Array>) => {
      for await (const _ of bytes) await new Promise(() => undefined);
    };
    await expect(unlessItStandsStill({ bytes: chunks(3), read, limitMs: LIMIT, error })).rejects.toThrow(
      expect.objectContaining({ failure: 'Unreachable', retry: 'backoff' }),
    );
  });

  it('gives the error of its reader', async () => {
    const read = () => Promise.reject(new Error('no archive'));
    await expect(unlessItStandsStill({ bytes: chunks(1), read, limitMs: LIMIT, error })).rejects.toThrow('no archive');
  });
});
