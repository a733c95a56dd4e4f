import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openCatalogFile, openCatalogTree } from './catalog-tree.js';
import { FileTreeError } from './file-tree.error.js';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'catalog-tree-'));
});
afterEach(() => rmSync(root, { recursive: true, maxRetries: 5 }));

const write = (path: string, content: string | Uint8Array) => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content);
};

/** The files' bytes, each chunk copied before the next is asked for. */
async function contents(): Promise<Record<string, string>> {
  const files = await openCatalogTree(root);
  const read = files.map(({ path, chunks }) => [path, Buffer.concat(Array.from(chunks(), (one) => Buffer.from(one)))]);
  return Object.fromEntries(read.map(([path, bytes]) => [path, String(bytes)]));
}

describe('openCatalogTree', () => {
  it('gives the files that .indexignore leaves, whatever their names', async () => {
    write('.indexignore', 'dangling\n*.txt\n');
    write('a/b.yaml', 'b');
    write('.hidden', 'h');
    write('notes.txt', 'n');
    symlinkSync('nowhere', join(root, 'dangling'));
    expect(await contents()).toEqual({ '.indexignore': 'dangling\n*.txt\n', 'a/b.yaml': 'b', '.hidden': 'h' });
  });

  it('gives a file of any size, also through a link, also twice', async () => {
    const large = 'chunks of a file '.repeat(60_000);
    write('real/large', large);
    symlinkSync('real/large', join(root, 'link'));
    expect(await contents()).toEqual({ link: large, 'real/large': large });
    expect(await contents()).toEqual({ link: large, 'real/large': large });
  });

  it.each([
    { link: '/etc/hostname', says: 'leads out of the directory', because: 'the target is outside' },
    { link: 'sub', says: 'read link: is a directory', because: 'it leads to a directory' },
    { link: 'nowhere', says: 'open link: no such file or directory', because: 'it dangles' },
  ])('refuses a link before anything is read: $because', async ({ link, says }) => {
    write('sub/a', 'a');
    symlinkSync(link, join(root, 'link'));
    const opening = openCatalogTree(root);
    await expect(opening).rejects.toThrow(FileTreeError);
    await expect(opening).rejects.toThrow(says);
  });

  it('says which file cannot be read any more', async () => {
    write('a', 'a');
    const [file] = await openCatalogTree(root);
    rmSync(join(root, 'a'));
    expect(() => [...(file?.chunks() ?? [])]).toThrow('open a: no such file or directory');
  });
});

describe('openCatalogFile', () => {
  it('names the file as the caller names it', () => {
    write('a', 'text');
    const { path, chunks } = openCatalogFile('my/catalog.yaml', join(root, 'a'));
    expect([path, ...[...chunks()].map(String)]).toEqual(['my/catalog.yaml', 'text']);
  });
});
