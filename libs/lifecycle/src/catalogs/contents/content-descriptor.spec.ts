import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Digest } from '#platform/content/content-store.port';
import { ContentDescriptors } from './content-descriptor.js';
import { READ_VERSION } from './read-catalog.js';
import { WorkFolder } from './work-folder.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flotilla-descriptors-'));
});
afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

const digest = (digit: string): Digest => `sha256:${digit.repeat(64)}`;
const described = (image: Digest) => ({ v: READ_VERSION, image, read: { unreadable: 'no blobs' } }) as const;

describe('what is remembered of images that were read', () => {
  it('is found by another process, as it was', async () => {
    await new ContentDescriptors(folder).put(described(digest('a')));
    expect(await new ContentDescriptors(folder).get(digest('a'))).toEqual(described(digest('a')));
    expect(await readdir(folder)).toEqual([`${'a'.repeat(64)}.json`]);
  });

  it.each<[what: string, text: string]>([
    ['is no JSON', '{'],
    ['is of another release', JSON.stringify({ ...described(digest('a')), v: READ_VERSION + 1 })],
    ['is of another image', JSON.stringify(described(digest('b')))],
    [
      'names a content that is no digest',
      JSON.stringify({ ...described(digest('a')), read: { content: '../x', problems: [] } }),
    ],
    ['has more than is known', JSON.stringify({ ...described(digest('a')), more: 1 })],
  ])('counts as nothing where it %s', async (_, text) => {
    await writeFile(join(folder, `${'a'.repeat(64)}.json`), text);
    expect(await new ContentDescriptors(folder).get(digest('a'))).toBeUndefined();
  });

  it('is nothing before the first image, and the folder need not be there', async () => {
    const descriptors = new ContentDescriptors(join(folder, 'deeper'));
    expect(await descriptors.get(digest('a'))).toBeUndefined();
    await descriptors.put(described(digest('a')));
    expect(await descriptors.get(digest('a'))).toBeDefined();
  });

  it('are the newest 500 images', async () => {
    const names = Array.from({ length: 501 }, (_, at) => `${String(at).padStart(64, '0')}.json`);
    await Promise.all(names.map((name) => writeFile(join(folder, name), '')));
    const [oldest = '', second = ''] = [names[300], names[7]];
    await utimes(join(folder, oldest), 1, 1);
    await utimes(join(folder, second), 2, 2);
    await new ContentDescriptors(folder).put(described(digest('a')));
    const left = await readdir(folder);
    expect(left).toHaveLength(500);
    expect([left.includes(oldest), left.includes(second), left.includes(`${'a'.repeat(64)}.json`)]).toEqual([
      false,
      false,
      true,
    ]);
  });
});

describe('the folder of work in progress', () => {
  const leave = (name: string) => mkdir(join(folder, name));

  it('gives each piece of work an empty folder of its own', async () => {
    const work = new WorkFolder(join(folder, 'work'));
    const [one, two] = await Promise.all([work.begin(), work.begin()]);
    expect(one).not.toBe(two);
    expect([await readdir(one), await readdir(two)]).toEqual([[], []]);
  });

  it.each<[kept: boolean, what: string, name: string, ageMs: number]>([
    [false, 'what an earlier run of this process number left', `${process.pid}-earlier-x`, 0],
    [false, 'what a process that is gone left', '999999999-run-x', 0],
    [false, 'what has no process in its name', 'other', 0],
    [true, 'what a process that runs has', `${process.ppid}-run-x`, 0],
    [false, 'what a process that runs has had for over an hour', `${process.ppid}-run-x`, 61 * 60_000],
  ])('keeps: %s, %s', async (kept, _, name, ageMs) => {
    await leave(name);
    const seconds = (Date.now() - ageMs) / 1_000;
    await utimes(join(folder, name), seconds, seconds);
    const work = new WorkFolder(folder);
    const own = await work.begin();
    await work.sweep();
    const left = await readdir(folder);
    expect([left.includes(name), left.some((one) => own.endsWith(one))]).toEqual([kept, true]);
  });

  it('sweeps once, before the first piece of work', async () => {
    const work = new WorkFolder(folder);
    await work.begin();
    await leave('other');
    await work.begin();
    expect(await readdir(folder)).toContain('other');
  });
});
