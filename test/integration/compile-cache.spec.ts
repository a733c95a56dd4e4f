import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { PATIENCE_MS } from '#testing/patience';

const run = promisify(execFile);

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flotilla-compile-'));
});
afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

const version = async (more: Readonly<Record<string, string>>): Promise<string> => {
  const { NODE_COMPILE_CACHE: _cache, NODE_DISABLE_COMPILE_CACHE: _off, ...environment } = process.env;
  const { stdout } = await run(join(PROJECT_ROOT, 'bin/flotilla'), ['version', '--client'], {
    env: { ...environment, ...more },
    timeout: PATIENCE_MS,
  });
  return stdout;
};
const kept = async (): Promise<readonly string[]> => readdir(join(folder, 'flotilla/compile')).catch(() => []);

describe('the command of a checkout', () => {
  it.each([
    ['examples/../bin/flotilla', 'examples'],
    ['bin/flotilla', 'bin'],
  ])('starts as %s of a folder that links to its %s', async (path, linked) => {
    await symlink(join(PROJECT_ROOT, linked), join(folder, linked));
    // As a shell starts it: join() would remove the two dots.
    const { stdout } = await run(`${folder}/${path}`, ['version', '--client'], { timeout: PATIENCE_MS });
    expect(stdout).toMatch(/^flotilla \d/);
  });
});

describe('the cache of compiled code', () => {
  it("is kept in the user's cache directory", async () => {
    expect(await version({ XDG_CACHE_HOME: folder })).toMatch(/^flotilla \d/);
    expect(await kept()).not.toEqual([]);
  });

  it('is not used where its folder cannot be made', async () => {
    expect(await version({ XDG_CACHE_HOME: '/proc/nosuch' })).toMatch(/^flotilla \d/);
  });

  it('is off with NODE_DISABLE_COMPILE_CACHE', async () => {
    expect(await version({ XDG_CACHE_HOME: folder, NODE_DISABLE_COMPILE_CACHE: '1' })).toMatch(/^flotilla \d/);
    expect(await kept()).toEqual([]);
  });
});
