import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FileTreeError } from './file-tree.error.js';
import { TREE_LIMITS } from './list-tree.js';
import { readCatalogTree, readTree } from './read-tree.js';

let top: string;
let root: string;
beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), 'read-tree-'));
  root = join(top, 'catalog');
  mkdirSync(root);
});
afterEach(() => rmSync(top, { recursive: true, maxRetries: 5 }));

const write = (path: string, text: string) => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
};
const texts = async (files: ReturnType<typeof readTree>) =>
  Object.fromEntries((await files).map(({ path, bytes }) => [path, new TextDecoder().decode(bytes)]));

describe('readTree', () => {
  it('gives every file, hidden ones too, with paths relative to the root', async () => {
    write('a/b/c.yaml', 'c');
    write('.hidden', 'h');
    write('a.json', 'a');
    expect(await texts(readTree(root))).toEqual({ '.hidden': 'h', 'a.json': 'a', 'a/b/c.yaml': 'c' });
  });

  it('takes a link for the file it leads to, also a second time', async () => {
    write('real/a.yaml', 'a');
    symlinkSync('real/a.yaml', join(root, 'link.yaml'));
    expect(await texts(readTree(root))).toEqual({ 'link.yaml': 'a', 'real/a.yaml': 'a' });
  });

  it.each([
    { link: '../secret', says: 'leads out of the directory', because: 'the target is outside' },
    { link: '../catalog-2/x', says: 'leads out of the directory', because: 'a common prefix of names is no root' },
    { link: 'sub', says: 'read link: is a directory', because: 'links to directories are not walked into' },
    { link: 'nowhere', says: 'open link: no such file or directory', because: 'it dangles' },
    { link: 'link', says: 'open link: too many levels of symbolic links', because: 'it names itself' },
  ])('refuses a link to $link: $because', async ({ link, says }) => {
    writeFileSync(join(top, 'secret'), 's');
    mkdirSync(join(top, 'catalog-2'));
    writeFileSync(join(top, 'catalog-2/x'), 'x');
    mkdirSync(join(root, 'sub'));
    symlinkSync(link, join(root, 'link'));
    const reading = readTree(root);
    await expect(reading).rejects.toThrow(FileTreeError);
    await expect(reading).rejects.toThrow(says);
  });

  it('refuses a pipe instead of waiting for it', async () => {
    execFileSync('mkfifo', [join(root, 'pipe')]);
    await expect(readTree(root)).rejects.toThrow('read pipe: not a regular file');
  });

  it.each([
    { limits: { files: 2 }, says: 'too many files' },
    { limits: { bytes: 5 }, says: 'too large' },
    { limits: { depth: 1 }, says: 'nested too deeply' },
  ])('stops at the limit $limits', async ({ limits, says }) => {
    write('a', '123');
    write('b', '456');
    write('c/d/e', '');
    await expect(readTree(root, { ...TREE_LIMITS, ...limits })).rejects.toThrow(says);
  });

  it('says what is wrong with the root', async () => {
    await expect(readTree(join(top, 'none'))).rejects.toThrow(`stat ${join(top, 'none')}: no such file or directory`);
    write('file', '');
    await expect(readTree(join(root, 'file'))).rejects.toThrow(`"${join(root, 'file')}" is not a directory`);
  });
});

describe('readCatalogTree', () => {
  it('does not open what is ignored', async () => {
    write('.indexignore', 'dangling\n*.txt\n');
    write('a.yaml', 'a');
    write('notes.txt', 'n');
    symlinkSync('nowhere', join(root, 'dangling'));
    expect(await texts(readCatalogTree(root))).toEqual({ '.indexignore': 'dangling\n*.txt\n', 'a.yaml': 'a' });
  });
});
