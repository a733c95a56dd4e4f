import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeFolder } from './make-folder.js';

const failure = (code: string) => Object.assign(new Error(code), { code });

describe('makeFolder', () => {
  let place = '';
  beforeEach(async () => {
    place = await mkdtemp(join(tmpdir(), 'flotilla-folder-'));
  });
  afterEach(() => rm(place, { recursive: true, force: true, maxRetries: 5 }));

  it('makes parents with the mode that is asked for', async () => {
    await makeFolder(join(place, 'a', 'b'), 0o700);
    await makeFolder(join(place, 'a', 'b'), 0o700);
    expect((await stat(join(place, 'a'))).mode & 0o777).toBe(0o700);
  });

  /** As Node and the system do on a disk that is mounted read-only. */
  const readOnly = (asked: string[]) => async (path: string, options: { recursive?: boolean }) => {
    asked.push(path);
    throw failure(options.recursive === true ? 'ENOENT' : 'EROFS');
  };

  it.each([['a'], ['a/b/c']])('says that a disk is read-only, and not that %s is missing', async (path) => {
    const asked: string[] = [];
    await expect(makeFolder(join(place, path), undefined, readOnly(asked))).rejects.toThrow('EROFS');
    expect(asked).toEqual([join(place, path), join(place, 'a')]);
  });

  it('reports every other failure as it is', async () => {
    const refuse = () => Promise.reject(failure('EACCES'));
    await expect(makeFolder(join(place, 'a'), undefined, refuse)).rejects.toThrow('EACCES');
    const missing = () => Promise.reject(failure('ENOENT'));
    await expect(makeFolder(join(place, 'a'), undefined, missing)).rejects.toThrow('ENOENT');
  });
});
