import { execFile, spawn } from 'node:child_process';
import { chmod, copyFile, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { PATIENCE } from '#testing/patience';
import { needing } from '#testing/report/needs';
import { makeOneFiles } from '../../scripts/distribution/one-file/make-one-file.js';
import { TRIED_PLATFORM } from '../../scripts/distribution/one-file/node-binaries.js';

const run = promisify(execFile);
const VERSION = '1.2.3-test';
const EXAMPLES = join(PROJECT_ROOT, 'examples');

let work = '';
const here = `${process.platform}-${process.arch}` === TRIED_PLATFORM;
const platform = { isThere: here, what: `a machine of ${TRIED_PLATFORM}` };

beforeAll(async () => {
  if (!here) return;
  work = await mkdtemp(join(tmpdir(), 'flotilla-one-file-'));
  await mkdir(join(work, 'build'));
  const build = { root: PROJECT_ROOT, work: join(work, 'build'), version: VERSION, commit: undefined };
  const [made] = await makeOneFiles(build, [TRIED_PLATFORM]);
  if (made === undefined || !('made' in made)) throw new Error(`not made: ${made?.missing}`);
  const archive = join(work, made.made.name);
  await writeFile(archive, made.made.content);
  await run('tar', ['-xzf', archive, '-C', work]);
});
afterAll(() => rm(work || join(tmpdir(), 'flotilla-none'), { recursive: true, force: true, maxRetries: 5 }));

/** Makes an empty folder with only the file, an empty home, and an empty PATH, without Node. */
async function emptyFolder() {
  const folder = await mkdtemp(join(work, 'empty-'));
  const [file, home, path] = [join(folder, 'flotilla'), join(folder, 'home'), join(folder, 'path')];
  await copyFile(join(work, `flotilla-${VERSION}-${TRIED_PLATFORM}/flotilla`), file);
  await chmod(file, 0o755);
  for (const name of [home, path]) await mkdir(name);
  const env: Record<string, string> = { HOME: home, PATH: path };
  const command = async (args: readonly string[], more: Record<string, string> = {}, name = file) =>
    (await run(name, args, { cwd: folder, env: { ...env, ...more } })).stdout;
  return { file, folder, home, env, command };
}

describe('the command as one file, in an empty folder without Node', needing(platform), () => {
  it('helps, validates a catalog and plans, and is unpacked once', async () => {
    const { command, home, folder, file } = await emptyFolder();
    // Two that are started at once unpack it beside each other.
    const [help, version] = await Promise.all([command(['--help']), command(['version', '--client'])]);
    expect(help).toContain('flotilla catalog validate');
    expect(version).toMatch(/^flotilla \d+\.\d+\.\d+/);
    await command(['catalog', 'validate', join(EXAMPLES, 'catalogs/v2')]);
    const catalog = `olm/flotilla-samples=${join(EXAMPLES, 'catalogs/v1')}`;
    const manifest = join(EXAMPLES, 'manifests/3-subscription-automatic.yaml');
    expect(await command(['plan', '--catalog', catalog, '-f', manifest])).toContain('harbor-operator.v1.0.0');
    await symlink(file, join(folder, 'kubectl_complete-flotilla'));
    expect(await command(['cata'], {}, join(folder, 'kubectl_complete-flotilla'))).toMatch(/^catalog\t/);
    const unpacked = await readdir(join(home, '.cache/flotilla/command'));
    expect(unpacked).toEqual([expect.stringMatching(/^1\.2\.3-test-[0-9a-f]{16}$/)]);
  });

  it('serves a catalog over gRPC, whose definitions are files', async () => {
    const { file, env } = await emptyFolder();
    const args = ['catalog', 'serve', join(EXAMPLES, 'catalogs/v2'), '--grpc', '--port', '0'];
    const child = spawn(file, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (said += data));
    try {
      await vi.waitFor(() => expect(said).toMatch(/127\.0\.0\.1:\d+/), PATIENCE);
    } finally {
      child.kill();
    }
  });

  it('plays the demo, whose hub is a process of its own with threads', async () => {
    const { file, env } = await emptyFolder();
    const child = spawn(file, ['demo'], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    const ended = new Promise((resolve) => child.once('exit', resolve));
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (said += data));
    try {
      await vi.waitFor(() => expect(said).toMatch(/AtLatestKnown harbor-operator\.v1\.0\.0/), PATIENCE);
    } finally {
      child.kill('SIGINT');
      await ended;
    }
  });

  it('works with a home that cannot be written, and leaves nothing behind', async () => {
    const { command, folder } = await emptyFolder();
    const temporary = join(folder, 'temporary');
    await mkdir(temporary);
    const more = { HOME: '/dev/null', TMPDIR: temporary };
    expect(await command(['version', '--client'], more)).toMatch(/^flotilla /);
    expect(await readdir(temporary)).toEqual([]);
  });

  it('says in one line what it needs where nothing can be written', async () => {
    const { command } = await emptyFolder();
    const failed = command(['version'], { HOME: '/dev/null', TMPDIR: '/dev/null' });
    await expect(failed).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^error: flotilla could not unpack itself .*: set XDG_CACHE_HOME [^\n]*\n$/),
    });
  });
});
