import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PATIENCE } from '#testing/patience';

const MAIN = join(import.meta.dirname, '../../dist/programs/flotilla.js');

/** A cluster that does not answer. */
const KUBECONFIG = `apiVersion: v1
kind: Config
clusters: [{name: one, cluster: {server: 'http://127.0.0.1:1'}}]
users: [{name: one, user: {}}]
contexts: [{name: one, context: {cluster: one, user: one}}]
`;

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flotilla-full-'));
  await writeFile(join(folder, 'kubeconfig'), KUBECONFIG, { mode: 0o600 });
});
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

describe('a command whose standard output is on a full disk', () => {
  it.each([
    { verb: 'demo', args: ['demo'] },
    { verb: 'up', args: ['up', '--port', '0', '--kubeconfig', 'kubeconfig'] },
  ])('$verb ends with 3 and one line, and leaves neither files nor a Redis', async ({ verb, args }) => {
    const temporary = join(folder, verb);
    await mkdir(temporary);
    const env: NodeJS.ProcessEnv = {
      ...process.env,
      TMPDIR: temporary,
      FLOTILLA_CONTENT_DIR: join(folder, 'content'),
      FLOTILLA_CLUSTERS_FILE: join(folder, 'clusters.yaml'),
    };
    // A Redis of its own. It must be gone afterwards.
    delete env['REDIS_URL'];
    delete env['FLOTILLA_REDIS_URL'];
    const child = spawn(process.execPath, [MAIN, ...args], {
      cwd: folder,
      env,
      stdio: ['ignore', openSync('/dev/full', 'w'), 'pipe'],
    });
    let err = '';
    child.stderr?.on('data', (chunk: Buffer) => {
      err += chunk.toString();
    });
    const [code] = await once(child, 'close');
    expect({ code, err }).toEqual({
      code: 3,
      err: expect.stringContaining('error: write standard output: no space left on device\n'),
    });
    expect(err).not.toContain('    at ');
    await expect.poll(() => readdir(temporary), PATIENCE).toEqual([]);
  });
});
