import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { array, assert, constantFrom, integer, option, property, record } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MetasIndex, MetasIndexBuilder } from './metas-index.js';

type Blob = Readonly<{ schema: string; package: string; name: string; bytes: number }>;
const indexOf = (blobs: readonly Blob[]): MetasIndex => {
  const builder = new MetasIndexBuilder();
  for (const { bytes, ...meta } of blobs) builder.add(meta, bytes);
  return builder.finish();
};
const words = constantFrom('', 'a', 'b', '__proto__', 'constructor');
const blob = record({ schema: words, package: words, name: words, bytes: integer({ min: 3, max: 9 }) });
const word = option(constantFrom('a', 'b', 'c', '__proto__', 'constructor'), { nil: undefined });
const query = record({ schema: word, package: word, name: word });

describe('the index of a catalog', () => {
  it('finds exactly the blobs that match all conditions, in file order, also once it was kept', () => {
    assert(
      property(array(blob, { maxLength: 30 }), query, (blobs, wanted) => {
        const all = Object.values(wanted).every((text) => text === undefined);
        const matches = (one: Blob) =>
          all ||
          (one.schema !== '' &&
            (['schema', 'package', 'name'] as const).every((key) => [undefined, one[key]].includes(wanted[key])));
        let at = 0;
        const bytes = blobs.flatMap((one) => {
          const positions = Array.from({ length: one.bytes }, (_, offset) => at + offset);
          at += one.bytes;
          return matches(one) ? positions : [];
        });
        const asked = Object.fromEntries(Object.entries(wanted).filter(([, text]) => text !== undefined));
        for (const index of [indexOf(blobs), MetasIndex.decode(indexOf(blobs).encode())]) {
          const found = index?.find(asked) ?? [];
          expect(found.flatMap(({ start, length }) => Array.from({ length }, (_, n) => start + n))).toEqual(bytes);
        }
      }),
    );
  });

  it('gives neighbours as one range', () => {
    const lamp = { schema: 'olm.bundle', package: 'lamp', name: 'x', bytes: 10 };
    const index = indexOf([lamp, lamp, { ...lamp, package: 'desk' }, lamp]);
    expect(index.find({ package: 'lamp' })).toEqual([
      { start: 0, length: 20 },
      { start: 30, length: 10 },
    ]);
    expect({ size: index.size, blobs: index.blobs }).toEqual({ size: 40, blobs: 4 });
  });

  it.each([
    { because: 'nothing', change: (_: Uint8Array) => new Uint8Array() },
    { because: 'cut short', change: (bytes: Uint8Array) => bytes.subarray(0, -1) },
    { because: 'too long', change: (bytes: Uint8Array) => Buffer.concat([bytes, Buffer.alloc(4)]) },
    {
      because: 'of another version',
      change: (bytes: Uint8Array) =>
        Buffer.from(Buffer.from(bytes).toString('latin1').replace('"v":1', '"v":2'), 'latin1'),
    },
  ])('reads no index that is damaged: $because', ({ change }) => {
    const encoded = indexOf([{ schema: 'a', package: 'b', name: 'c', bytes: 10 }]).encode();
    expect(MetasIndex.decode(change(encoded))).toBeUndefined();
  });
});

describe('the maker of an index', () => {
  it('keeps the names of blobs, not the documents that they were found in', () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const builder = new MetasIndexBuilder();
    collect();
    const before = process.memoryUsage().heapUsed;
    for (let number = 0; number < 100; number += 1) {
      const document = Buffer.alloc(200_000, `a long name of blob ${number} `).toString('latin1');
      builder.add({ schema: 'note', package: '', name: document.slice(0, 30) }, document.length);
    }
    collect();
    const kept = process.memoryUsage().heapUsed - before;
    expect(builder.finish().find({ name: 'a long name of blob 7 a long n' })).toHaveLength(1);
    expect(kept).toBeLessThan(5_000_000);
  });
});
