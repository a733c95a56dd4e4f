import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FileSink } from './file-sink.js';
import { UnpackDirectory, UnpackFailed } from './unpack-directory.js';

let top: string;
let target: string;
let disk: number[];
beforeEach(async () => {
  top = await mkdtemp(join(tmpdir(), 'unpack-directory-'));
  target = join(top, 'image');
  disk = [];
});
afterEach(() => rm(top, { recursive: true, force: true, maxRetries: 5 }));

const body = (...parts: string[]) => ReadableStream.from(parts.map((part) => Buffer.from(part)));
type Files = Readonly<Record<string, string>>;

/** Keeps the texts and names them all. */
const keepAll =
  (texts: Files) =>
  async <C>(sink: FileSink<C>) => {
    const kept: { path: string; size: number; content: C }[] = [];
    for (const [path, text] of Object.entries(texts)) {
      kept.push({ path, size: text.length, content: await sink.keep(body(text), text.length) });
    }
    return kept;
  };
const directory = () => new UnpackDirectory(target, (bytes) => void disk.push(bytes));
const asItIs = (path: string) => path;
const text = (path: string) => readFile(join(target, path), 'utf8');

describe('UnpackDirectory', () => {
  it('puts files where they belong and says how much it was', async () => {
    const place = (path: string) => path.replace('configs/', '');
    const unpacked = await directory().fill(keepAll({ 'configs/a/b.yaml': 'one', 'configs/c': 'three' }), place);
    expect(unpacked).toEqual({ bytes: 8, files: 2 });
    expect(await text('a/b.yaml')).toBe('one');
    expect(await text('c')).toBe('three');
    expect(await readdir(top)).toEqual(['image']);
  });

  it('makes an empty directory of an image without wanted files', async () => {
    expect(await directory().fill(async () => [], asItIs)).toEqual({ bytes: 0, files: 0 });
    expect(await readdir(target)).toEqual([]);
  });

  it('fills a directory that is there and empty', async () => {
    await mkdir(target);
    await directory().fill(keepAll({ a: 'x' }), asItIs);
    expect(await readdir(target)).toEqual(['a']);
  });

  it('gives a second name of a file no second place on the disk, and counts it', async () => {
    const unpacked = await directory().fill(async (sink) => {
      const content = await sink.keep(body('shared'), 6);
      return [
        { path: 'a', size: 6, content },
        { path: 'd/b', size: 6, content },
        { path: 'd/c', size: 6, content },
      ];
    }, asItIs);
    expect(unpacked).toEqual({ bytes: 18, files: 3 });
    const inodes = await Promise.all(['a', 'd/b', 'd/c'].map(async (path) => (await stat(join(target, path))).ino));
    expect(new Set(inodes).size).toBe(1);
    expect(disk).toEqual([6]);
  });

  it('lets no other user read the files', async () => {
    await directory().fill(keepAll({ 'd/a': 'x' }), asItIs);
    const modes = await Promise.all(
      ['.', 'd', 'd/a'].map(async (path) => (await stat(join(target, path))).mode & 0o077),
    );
    expect(modes).toEqual([0, 0, 0]);
  });

  it('reports bytes before they are written, and below 0 when they are gone again', async () => {
    await directory().fill(async (sink) => {
      await sink.keep(body('four', 'five5'), 9);
      await sink.clear();
      return keepAll({ a: 'xy' })(sink);
    }, asItIs);
    expect(disk).toEqual([4, 5, -9, 2]);
    expect(await readdir(target)).toEqual(['a']);
  });

  it.each([
    {
      because: 'the pull fails',
      fails: async () => Promise.reject(new Error('the pull failed')),
      says: 'the pull failed',
    },
    {
      because: 'the body breaks off',
      fails: async (sink: FileSink<unknown>) => {
        await sink.keep(new ReadableStream({ pull: (controller) => controller.error(new Error('broken off')) }), 3);
        return [];
      },
      says: 'broken off',
    },
  ])('leaves nothing behind where $because', async ({ fails, says }) => {
    await expect(directory().fill(fails, asItIs)).rejects.toThrow(says);
    expect(await readdir(top)).toEqual([]);
  });

  it('leaves nothing behind, and writes nothing, where the caller has no room', async () => {
    const noRoom = new UnpackDirectory(target, () => {
      throw new Error('no room');
    });
    await expect(noRoom.fill(keepAll({ a: 'x' }), asItIs)).rejects.toThrow('no room');
    expect(await readdir(top)).toEqual([]);
  });

  it('touches nothing of a directory that is not empty', async () => {
    await mkdir(target);
    await writeFile(join(target, 'mine'), 'x');
    await expect(directory().fill(keepAll({ a: 'x' }), asItIs)).rejects.toThrow(
      `cannot unpack an image into ${target}: the directory is not empty`,
    );
    expect(await readdir(target)).toEqual(['mine']);
    expect(await readdir(top)).toEqual(['image']);
  });

  it('says which directory the disk refused, to be tried again', async () => {
    await writeFile(target, 'a file is in the way');
    const filled = directory().fill(keepAll({ a: 'x' }), asItIs);
    await expect(filled).rejects.toThrow(
      expect.objectContaining({ code: 'UnpackFailed', directory: target, retry: 'backoff' }),
    );
    await expect(filled).rejects.toBeInstanceOf(UnpackFailed);
    expect(await readFile(target, 'utf8')).toBe('a file is in the way');
  });

  it('refuses two files at places of which one lies below the other', async () => {
    await expect(directory().fill(keepAll({ a: 'x', 'a/b': 'y' }), asItIs)).rejects.toThrow(UnpackFailed);
    expect(await readdir(top)).toEqual([]);
  });

  it('is not hindered by what a crashed process left', async () => {
    await mkdir(`${target}.11111111-1111-4111-8111-111111111111.partial/staging`, { recursive: true });
    await directory().fill(keepAll({ a: 'x' }), asItIs);
    expect(await text('a')).toBe('x');
  });
});
