import { closeSync, mkdtempSync, openSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FileShelf } from './file-shelf.js';

const pieces = [0, 1, 7, 300, 5_000, 2].map((length, at) => Buffer.alloc(length, 97 + at));

describe('pieces that are set aside', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'shelf-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, maxRetries: 5 }));

  it.each([0, 310, 1_000_000])('come back in any order, with %d bytes of memory', (held) => {
    const shelf = new FileShelf(held);
    const numbers = pieces.map((piece) => shelf.put(piece));
    for (const at of [3, 0, 5, 4, 1, 2, 4]) {
      const kept = Buffer.from(shelf.get(numbers[at] ?? -1));
      expect(kept.equals(pieces[at] ?? Buffer.alloc(0))).toBe(true);
    }
    shelf.close();
  });

  it('need no file while they are small', () => {
    const shelf = new FileShelf(6_000, () => {
      throw new Error('a file was opened');
    });
    for (const piece of pieces) shelf.put(piece);
    expect(shelf.get(4)).toHaveLength(5_000);
  });

  it('leave no file behind', () => {
    const before = process.env['TMPDIR'];
    process.env['TMPDIR'] = folder;
    try {
      const shelf = new FileShelf(0);
      shelf.put(Buffer.from('text'));
      expect(readdirSync(folder)).toEqual([]);
      shelf.close();
    } finally {
      if (before === undefined) delete process.env['TMPDIR'];
      else process.env['TMPDIR'] = before;
    }
  });

  it('are kept in memory where the file cannot be written', () => {
    const file = openSync(join(folder, 'closed'), 'wx+');
    closeSync(file);
    const shelf = new FileShelf(0, () => openSync(join(folder, 'closed'), 'r'));
    const numbers = pieces.map((piece) => shelf.put(piece));
    expect(Buffer.from(shelf.get(numbers[3] ?? -1)).equals(pieces[3] ?? Buffer.alloc(0))).toBe(true);
  });
});
