import { describe, expect, it } from 'vitest';
import { DecodedValues } from './decoded-values.js';
import { encodeValue } from './value-codec.js';

const MOST = 1_000_000;
const encoded = (text: string) => encodeValue('a value', text, MOST);

describe('DecodedValues', () => {
  it('gives the text of the bytes, also where other bytes were there under the key before', async () => {
    const values = new DecodedValues();
    for (const text of ['first', 'second', 'x'.repeat(5_000), 'y'.repeat(5_000), 'first', '']) {
      for (const bytes of [await encoded(text), await encoded(text)])
        expect(await values.decode('key', bytes, MOST)).toBe(text);
    }
  });

  it('keeps values of different keys apart', async () => {
    const values = new DecodedValues();
    const texts = Array.from({ length: 1_200 }, (_, n) => `${n}`.repeat(400));
    const bytes = await Promise.all(texts.map(encoded));
    for (const _ of [1, 2])
      for (const [n, one] of bytes.entries()) expect(await values.decode(`key-${n}`, one, MOST)).toBe(texts[n]);
  });

  it('finds damaged bytes damaged each time, and takes the right ones after them', async () => {
    const values = new DecodedValues();
    const right = await encoded('z'.repeat(5_000));
    const damaged = Buffer.from(right).fill(0xff, 1, 20);
    expect(await values.decode('key', damaged, MOST)).toBeUndefined();
    expect(await values.decode('key', damaged, MOST)).toBeUndefined();
    expect(await values.decode('key', right, MOST)).toBe('z'.repeat(5_000));
    expect(await values.decode('key', damaged, MOST)).toBeUndefined();
    expect(await values.decode('key', right, MOST)).toBe('z'.repeat(5_000));
  });

  it('refuses what unpacks to more than allowed', async () => {
    const values = new DecodedValues();
    expect(await values.decode('key', await encoded('a'.repeat(30_000)), 10_000)).toBeUndefined();
  });

  it('decompresses the same bytes once', async () => {
    const values = new DecodedValues();
    const bytes = await encoded('b'.repeat(5_000));
    await values.decode('key', bytes, MOST);
    // The answer no longer takes a turn of the thread pool: it is there before the next macrotask.
    let answered = false;
    void values.decode('key', Buffer.from(bytes), MOST).then(() => {
      answered = true;
    });
    for (let turns = 0; turns < 10; turns += 1) await Promise.resolve();
    expect(answered).toBe(true);
  });
});
