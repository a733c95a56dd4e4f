import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findExecutable } from './executable.js';
import { installDebianPackage } from './install-package.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flotilla-path-'));
  await writeFile(join(folder, 'tool'), '');
  await chmod(join(folder, 'tool'), 0o755);
  await writeFile(join(folder, 'text'), '', { mode: 0o644 });
});
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

describe('an executable', () => {
  it.each<[name: string, isFound: boolean, path: () => string]>([
    ['tool', true, () => folder],
    ['tool', true, () => ['', '/nowhere', folder].join(delimiter)],
    ['tool', false, () => '/nowhere'],
    ['tool', false, () => ''],
    ['none', false, () => folder],
    ['text', false, () => folder],
    ['bin/flotilla', false, () => ''],
  ])('%s is found on the PATH: %s', (name, isFound, path) => {
    expect(findExecutable(name, path())).toBe(isFound ? join(folder, name) : undefined);
  });
});

describe('a package of Debian', () => {
  it.each([
    [{ isRoot: false, isDebian: true }, 'not root, so skopeo cannot be installed with apt-get'],
    [{ isRoot: true, isDebian: false }, 'not a Debian system, so there is no apt-get to install skopeo with'],
    [{ isRoot: true, isDebian: true }, 'not a Debian system, so there is no apt-get to install skopeo with'],
  ])('is not installed on %j without apt-get, which is said', async (machine, because) => {
    const lines: string[] = [];
    const answer = await installDebianPackage('skopeo', { PATH: folder }, (line) => void lines.push(line), machine);
    expect([answer, lines]).toEqual([{ because, available: false }, []]);
  });
});
