import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findExecutable } from '#platform/debian/executable';
import { findDocker, REDIS_IMAGE, startDockerRedis } from '#platform/redis/local/docker-redis';
import { findRedis } from '#platform/redis/local/find-redis';
import type { LocalRedis } from '#platform/redis/local/local-redis';
import { pingRedis } from '#platform/redis/redis-connection';
import { withoutCredentials } from '#platform/redis/redis-url';
import { freePorts } from '#testing/control-plane/free-ports';
import { PATIENCE } from '#testing/patience';
import { runChild } from './redis-support/run-child.js';

const PATH = process.env['PATH'] ?? '';
const realRedis = findExecutable('redis-server', PATH);

let folder = '';
const started: LocalRedis[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flotilla-docker-'));
});
afterEach(async () => {
  for (const redis of started.splice(0)) await redis.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

const answers = (url: string) =>
  pingRedis(url, 500).then(
    () => 'up',
    () => 'down',
  );

/** A `docker` command that runs the real redis-server of this machine in place of a container. */
async function fakeDocker(server: string): Promise<void> {
  const [port] = await freePorts(1);
  const script = `#!/bin/sh
echo "$@" >> ${folder}/asked
case "$1" in
version) echo 28.0.0 ;;
run) printf '%s\\n' "requirepass $FLOTILLA_REDIS_PASSWORD" 'bind 127.0.0.1' 'port ${port}' 'save ""' 'daemonize yes' 'pidfile ${folder}/pid' | ${server} - >/dev/null ;;
port) echo 127.0.0.1:${port} ;;
rm) read -r pid < ${folder}/pid && kill "$pid" ;;
esac
`;
  await writeFile(join(folder, 'docker'), script, { mode: 0o755 });
}

describe('Redis by the docker command', () => {
  it('is published on loopback alone, with a password that no argument shows, and stop() removes it', async () => {
    if (realRedis === undefined) return console.log('not tried: no redis-server on PATH');
    await fakeDocker(realRedis);
    const lines: string[] = [];
    const redis = await findRedis({ log: (line) => lines.push(line), env: { PATH: folder } });
    started.push(redis);
    const { password } = new URL(redis.url);
    await pingRedis(redis.url);
    await expect(pingRedis(withoutCredentials(redis.url))).rejects.toThrow(/NOAUTH/);
    const asked = await readFile(join(folder, 'asked'), 'utf8');
    expect(asked).toContain(' --publish 127.0.0.1::6379 ');
    expect(asked).toContain(' --cap-drop ALL ');
    expect(password.length).toBeGreaterThan(10);
    expect([asked, ...lines].join('\n')).not.toContain(password);
    expect(lines.at(-1)).toMatch(/^redis: a Docker container \(redis:\/\/127\.0\.0\.1:\d+\)$/);
    await redis.stop();
    await expect.poll(() => answers(redis.url), PATIENCE).toBe('down');
  });

  it('is removed when the process that started it is killed with SIGKILL', async () => {
    if (realRedis === undefined) return console.log('not tried: no redis-server on PATH');
    await fakeDocker(realRedis);
    for (const tool of ['sh', 'cat', 'sleep']) {
      await symlink(findExecutable(tool, PATH) ?? '', join(folder, tool));
    }
    const env = { ...process.env, PATH: folder };
    const child = runChild(new URL('./redis-support/find-redis.child.ts', import.meta.url), [], env);
    const url = await child.line('url ');
    await pingRedis(url);
    child.process.kill('SIGKILL');
    await expect.poll(() => answers(url), PATIENCE).toBe('down');
  });

  it('says why it is of no use, in one line', async () => {
    expect(await findDocker({ PATH: folder })).toBe('no docker command is on PATH');
    await writeFile(join(folder, 'docker'), '#!/bin/sh\necho "Cannot connect to the daemon." >&2\nexit 1\n', {
      mode: 0o755,
    });
    expect(await findDocker({ PATH: folder })).toBe('no Docker engine answers: Cannot connect to the daemon.');
  });

  it('in an engine: loopback alone, with a password', async () => {
    const docker = await findDocker(process.env);
    if (typeof docker === 'string') return console.log(`not tried: ${docker}`);
    const image = await promisify(execFile)(docker.command, ['image', 'inspect', REDIS_IMAGE]).catch(() => undefined);
    if (image === undefined) return console.log(`not tried: the Docker engine does not hold ${REDIS_IMAGE}`);
    const redis = await startDockerRedis(docker);
    started.push(redis);
    await pingRedis(redis.url);
    await expect(pingRedis(withoutCredentials(redis.url))).rejects.toThrow(/NOAUTH/);
    const elsewhere = Object.values(networkInterfaces()).flatMap((addresses = []) =>
      addresses.filter(({ family, internal }) => family === 'IPv4' && !internal).map(({ address }) => address),
    );
    for (const address of elsewhere) {
      expect(await answers(redis.url.replace('127.0.0.1', address)), address).toBe('down');
    }
    await redis.stop();
    await expect.poll(() => answers(redis.url), PATIENCE).toBe('down');
  });
});
