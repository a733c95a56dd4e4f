import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest';
import { findExecutable } from '#platform/debian/executable';
import { BullmqJobQueue } from '#platform/queue/bullmq-job-queue';
import { solvedContract } from '#platform/queue/queues';
import { findRedis } from '#platform/redis/local/find-redis';
import { openRedis } from '#platform/redis/redis-connection';
import { silentLog } from '#platform/telemetry/log.port';
import { servingCertificate } from '#testing/cluster/server/certificates';
import { clientCertificate } from '#testing/control-plane/client-certificate';
import { PATIENCE } from '#testing/patience';
import { ServiceProcess } from '../../apps/cli/src/commands/demo/environment/service-process.js';
import { type ShippedRedis, startShippedRedis } from './redis-support/shipped-redis.js';

const hasRedis = findExecutable('redis-server', process.env['PATH'] ?? '') !== undefined;
if (!hasRedis) console.log('not tried: Redis with TLS needs a redis-server on PATH');

describe.runIf(hasRedis)('Redis with TLS', () => {
  let folder = '';
  let redis: ShippedRedis;
  let strict: ShippedRedis;
  let files: Readonly<{ ca: string; cert: string; key: string; other: string }>;
  let ca = '';

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'flotilla-tls-'));
    const [serving, client] = [await servingCertificate(), await clientCertificate('flotilla')];
    const served = { cert: serving.certPem, key: serving.keyPem };
    ca = serving.caPem;
    redis = await startShippedRedis({ tls: served, client: { ca } });
    const own = { ca, cert: client.certPem, key: client.keyPem };
    strict = await startShippedRedis({ tls: { ...served, clientsCa: client.caPem }, client: own });
    const file = async (name: string, text: string) => {
      await writeFile(join(folder, name), text);
      return join(folder, name);
    };
    files = {
      ca: await file('ca.pem', ca),
      cert: await file('client.pem', client.certPem),
      key: await file('client.key', client.keyPem),
      other: await file('other.pem', client.caPem),
    };
  });
  afterAll(async () => {
    await redis?.stop();
    await strict?.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  function start({ onTestFinished }: TestContext, settings: Record<string, string>): ServiceProcess {
    const common = { FLOTILLA_RESOLVER_WORKER_PORT: '0', FLOTILLA_CONTENT_DIR: join(folder, 'content') };
    const log = join(folder, `log-${Math.random()}`);
    const service = new ServiceProcess('resolver-worker', 'resolver-worker', { ...common, ...settings }, log);
    onTestFinished(() => service.stop('SIGKILL'));
    service.start();
    return service;
  }
  async function readiness(service: ServiceProcess) {
    const response = await fetch(`${await service.url()}/readyz`);
    const { details } = (await response.json()) as { details: Record<string, { detail: string }> };
    return { status: response.status, redis: details['redis']?.detail };
  }

  it('is used by a service that trusts its authority', async (test) => {
    const service = start(test, { FLOTILLA_REDIS_URL: redis.urlOf('resolver'), FLOTILLA_REDIS_CA_FILE: files.ca });
    await expect.poll(() => service.url(), PATIENCE).toBeDefined();
    await expect.poll(() => readiness(service), PATIENCE).toEqual({ status: 200, redis: 'takes writes' });
  });

  it('is used by a service that trusts its authority by NODE_EXTRA_CA_CERTS', async (test) => {
    const service = start(test, { FLOTILLA_REDIS_URL: redis.urlOf('resolver'), NODE_EXTRA_CA_CERTS: files.ca });
    await expect.poll(() => service.url(), PATIENCE).toBeDefined();
    await expect.poll(() => readiness(service), PATIENCE).toEqual({ status: 200, redis: 'takes writes' });
  });

  it.for([
    { because: 'no authority', settings: () => ({}) },
    { because: 'another authority', settings: () => ({ FLOTILLA_REDIS_CA_FILE: files.other }) },
  ])('is not used by a service with $because, whose health names the setting', async ({ settings }, test) => {
    const service = start(test, { FLOTILLA_REDIS_URL: redis.urlOf('resolver'), ...settings() });
    await expect.poll(() => service.url(), PATIENCE).toBeDefined();
    await expect
      .poll(() => readiness(service), PATIENCE)
      .toEqual({
        status: 503,
        redis: expect.stringMatching(/certificate.*: set FLOTILLA_REDIS_CA_FILE to its authority/),
      });
  });

  it('that asks for a client certificate gets the one that is set', async (test) => {
    const settings = { FLOTILLA_REDIS_URL: strict.urlOf('resolver'), FLOTILLA_REDIS_CA_FILE: files.ca };
    const client = { FLOTILLA_REDIS_CERT_FILE: files.cert, FLOTILLA_REDIS_KEY_FILE: files.key };
    const service = start(test, { ...settings, ...client });
    await expect.poll(() => service.url(), PATIENCE).toBeDefined();
    await expect.poll(() => readiness(service), PATIENCE).toEqual({ status: 200, redis: 'takes writes' });
  });

  it('carries jobs, whose workers have connections of their own', async ({ onTestFinished }) => {
    const connection = openRedis(redis.urlOf('applier'), silentLog, { ca });
    const queue = new BullmqJobQueue(solvedContract, { redis: connection.redis });
    onTestFinished(async () => {
      await queue.close({ deadlineMs: 0 });
      connection.redis.disconnect();
    });
    const done: string[] = [];
    await queue.process(async ({ problem }) => void done.push(problem), { concurrency: 1 });
    await queue.add({ v: 1, problem: 'a'.repeat(64) });
    await expect.poll(() => done, PATIENCE).toEqual(['a'.repeat(64)]);
  });

  it.each([
    { because: 'a URL without TLS', env: () => ({ FLOTILLA_REDIS_CA_FILE: files.ca }), says: /write rediss:\/\// },
    {
      because: 'a certificate without its key',
      env: () => ({ FLOTILLA_REDIS_CERT_FILE: files.cert }),
      says: /FLOTILLA_REDIS_CERT_FILE and FLOTILLA_REDIS_KEY_FILE belong together/,
    },
    {
      because: 'a file that is not there',
      env: () => ({ FLOTILLA_REDIS_CA_FILE: `${files.ca}.gone` }),
      says: /no such file or directory: check FLOTILLA_REDIS_CA_FILE/,
    },
    {
      because: 'a file that holds something else',
      env: () => ({ FLOTILLA_REDIS_CA_FILE: redis.passwordFileOf('poller') }),
      says: /holds no PEM text: check FLOTILLA_REDIS_CA_FILE/,
    },
  ])('is not looked for with $because', async ({ env, says }) => {
    const given = { REDIS_URL: `redis://${redis.address}`, ...env() };
    await expect(findRedis({ log: () => undefined, env: given })).rejects.toThrow(says);
  });
});
