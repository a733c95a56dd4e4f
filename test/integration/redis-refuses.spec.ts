import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findExecutable } from '#platform/debian/executable';
import { startLocalRedis } from '#platform/redis/local/local-redis';
import { pingRedis } from '#platform/redis/redis-connection';
import { PATIENCE } from '#testing/patience';
import { needing, programs } from '#testing/report/needs';
import { type ServiceName, ServiceProcess } from '../../apps/cli/src/commands/demo/environment/service-process.js';

const there = await programs({ program: 'redis-server', debian: 'redis-server' });
const BINARY = findExecutable('redis-server', process.env['PATH'] ?? '') ?? '';
const DENIED = 'DENIED Redis is running in protected mode because no password is set. More words.';

const cleanUp: (() => Promise<unknown> | unknown)[] = [];
let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flotilla-refused-'));
});
afterEach(async () => {
  for (const step of cleanUp.splice(0).toReversed()) await step();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

/** A server on the port that answers as a Redis in protected mode: one error line, then it hangs up. */
async function startDenying(): Promise<{ port: number; server: Server; stop: () => Promise<unknown> }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined));
    socket.end(`-${DENIED}\r\n`);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const stop = () => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => server.close(resolve));
  };
  cleanUp.push(stop);
  return { port: typeof address === 'object' && address !== null ? address.port : 0, server, stop };
}

function startService(service: ServiceName, redisUrl: string): ServiceProcess {
  const settings = {
    FLOTILLA_REDIS_URL: redisUrl,
    FLOTILLA_RESOLVER_WORKER_PORT: '0',
    FLOTILLA_CONTENT_DIR: join(folder, 'content'),
  };
  const process = new ServiceProcess(service, service, settings, join(folder, `${service}.log`));
  cleanUp.push(() => process.stop('SIGKILL'));
  process.start();
  return process;
}

async function readiness(service: ServiceProcess) {
  const response = await fetch(`${await service.url()}/readyz`);
  const { details } = (await response.json()) as { details: Record<string, { status: string; detail: string }> };
  return { status: response.status, redis: details['redis'] };
}

describe('a Redis that turns connections away', () => {
  it('is named with its own words by the health port, which is open before Redis answers, and by the log', async () => {
    const denying = await startDenying();
    const service = startService('resolver-worker', `redis://:later@127.0.0.1:${denying.port}`);
    await expect.poll(() => service.url(), PATIENCE).toBeDefined();
    expect((await fetch(`${await service.url()}/livez`)).status).toBe(200);
    await expect
      .poll(() => readiness(service), PATIENCE)
      .toEqual({ status: 503, redis: { status: 'down', detail: DENIED } });
    const line = { level: 'warn', redis: `redis://127.0.0.1:${denying.port}`, error: DENIED };
    await expect.poll(() => service.logged(), PATIENCE).toContainEqual(expect.objectContaining(line));
  });

  it('is used as soon as it takes them', needing(there), async () => {
    const denying = await startDenying();
    const service = startService('resolver-worker', `redis://:later@127.0.0.1:${denying.port}`);
    await expect.poll(() => service.url(), PATIENCE).toBeDefined();
    await expect.poll(() => readiness(service), PATIENCE).toMatchObject({ redis: { detail: DENIED } });
    await denying.stop();
    const redis = await startLocalRedis(BINARY, { port: denying.port, password: 'later' });
    cleanUp.push(() => redis.stop());
    await expect.poll(() => readiness(service), PATIENCE).toMatchObject({ status: 200, redis: { status: 'up' } });
  });

  it('does not keep the service from ending in order', async () => {
    const denying = await startDenying();
    const service = startService('resolver-worker', `redis://127.0.0.1:${denying.port}`);
    await expect.poll(() => service.url(), PATIENCE).toBeDefined();
    await service.stop('SIGTERM');
    expect((await service.logged()).at(-1)).toMatchObject({ msg: 'resolver-worker has ended' });
  });

  it('is named with its own words by the command that is given its address', async () => {
    const denying = await startDenying();
    await expect(pingRedis(`redis://127.0.0.1:${denying.port}`)).rejects.toThrow(`does not answer: ${DENIED}`);
  });
});

describe('a Redis that wants a password', () => {
  it.each([
    { login: '', says: /NOAUTH/ },
    { login: ':wrong@', says: /WRONGPASS/ },
  ])('and gets "$login" is named with its own words', needing(there), async ({ login, says }) => {
    const redis = await startLocalRedis(BINARY);
    cleanUp.push(() => redis.stop());
    const service = startService('resolver-worker', `redis://${login}127.0.0.1:${new URL(redis.url).port}`);
    await expect.poll(() => service.url(), PATIENCE).toBeDefined();
    const detail = expect.stringMatching(says);
    await expect.poll(() => readiness(service), PATIENCE).toEqual({ status: 503, redis: { status: 'down', detail } });
    const line = expect.objectContaining({ level: 'warn', error: detail });
    await expect.poll(() => service.logged(), PATIENCE).toContainEqual(line);
  });
});
