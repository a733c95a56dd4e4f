import { deflateRawSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { ValueTooLarge } from './problem-store.port.js';
import { decodeValue, encodeValue, parseJson, sha256Hex } from './value-codec.js';

const LIMIT = 100_000;
const deflated = (text: string) => Buffer.concat([Buffer.of(1), deflateRawSync(text)]);

describe('encodeValue and decodeValue', () => {
  it.each([
    { because: 'nothing', text: '' },
    { because: 'a short text', text: '{"a":1}' },
    { because: 'the longest text that is not compressed', text: 'x'.repeat(1023) },
    { because: 'the shortest one that is', text: 'x'.repeat(1024) },
    { because: 'a text as long as is allowed', text: 'x'.repeat(LIMIT) },
    { because: 'letters of several bytes', text: 'é€𝄞'.repeat(500) },
  ])('give back $because', async ({ text }) => {
    expect(await decodeValue(await encodeValue('problem', text, LIMIT), LIMIT)).toBe(text);
  });

  it('compress what is long', async () => {
    expect((await encodeValue('problem', 'x'.repeat(50_000), LIMIT)).length).toBeLessThan(1000);
  });

  it.each([
    { text: 'x'.repeat(11), bytes: 11 },
    { text: 'é'.repeat(6), bytes: 12 },
  ])('refuse more bytes than are allowed: $bytes', async ({ text, bytes }) => {
    const encoded = encodeValue('solution', text, 10);
    await expect(encoded).rejects.toThrow(`solution has ${bytes} bytes, more than the 10 that are allowed`);
    await expect(encoded).rejects.toBeInstanceOf(ValueTooLarge);
  });

  it.each([
    { because: 'no bytes', bytes: Buffer.of() },
    { because: 'another way to encode', bytes: Buffer.from('\x02text') },
    { because: 'JSON as it is', bytes: Buffer.from('{"a":1}') },
    { because: 'what cannot be unpacked', bytes: Buffer.from('\x01no such stream') },
    { because: 'a stream that is cut short', bytes: deflated('x'.repeat(5000)).subarray(0, -3) },
    { because: 'more than is allowed, compressed', bytes: deflated('x'.repeat(LIMIT + 1)) },
  ])('give nothing for $because', async ({ bytes }) => {
    expect(await decodeValue(bytes, LIMIT)).toBeUndefined();
  });

  it('give nothing for more than is allowed that is not compressed', async () => {
    const written = await encodeValue('problem', 'eleven text', 11);
    expect([await decodeValue(written, 11), await decodeValue(written, 10)]).toEqual(['eleven text', undefined]);
  });
});

describe('parseJson', () => {
  it.each([
    { text: '{"a":[1]}', value: { a: [1] } },
    { text: 'null', value: null },
    { text: '{', value: undefined },
    { text: '', value: undefined },
    { text: null, value: undefined },
    { text: undefined, value: undefined },
  ])('$text', ({ text, value }) => {
    expect(parseJson(text)).toEqual(value);
  });
});

describe('sha256Hex', () => {
  it('is the same for a text and for its bytes', () => {
    const empty = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
    expect([sha256Hex(''), sha256Hex(new Uint8Array()), sha256Hex('a') === empty]).toEqual([empty, empty, false]);
  });
});
