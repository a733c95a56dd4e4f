import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pingRedis } from '#platform/redis/redis-connection';
import { servingCertificate } from '#testing/cluster/server/certificates';
import { needing, programs } from '#testing/report/needs';
import { expectReadiness, startRedisService } from './redis-support/redis-service.js';
import { MASTER, type SentinelRedis, startSentinelRedis } from './redis-support/sentinel-redis.js';

const there = await programs({ program: 'redis-server', debian: 'redis-server' });

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flotilla-sentinel-'));
});
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

describe('Redis behind Sentinels', needing(there), () => {
  let redis: SentinelRedis;
  beforeAll(async () => {
    redis = await startSentinelRedis();
  });
  afterAll(() => redis?.stop());

  const urlWith = (query: string, hosts = redis.hosts, master = MASTER) =>
    `redis+sentinel://:${redis.password}@${hosts}/${master}${query}`;

  it('is found though the first Sentinel of the URL is away, with the passwords of files', async (test) => {
    const file = async (name: string, text: string) => {
      await writeFile(join(folder, name), text);
      return join(folder, name);
    };
    const service = startRedisService(test, folder, {
      FLOTILLA_REDIS_URL: `redis+sentinel://127.0.0.1:1,${redis.hosts}/${MASTER}`,
      FLOTILLA_REDIS_PASSWORD_FILE: await file('password', redis.password),
      FLOTILLA_REDIS_SENTINEL_PASSWORD_FILE: await file('sentinel', redis.sentinelPassword),
    });
    await expectReadiness(service, { status: 200, redis: 'takes writes' });
  });

  it.for([
    {
      because: 'a wrong password of the Sentinels',
      query: '?sentinel_password=SECRET',
      says: /sentinel 127.*WRONGPASS.*: check FLOTILLA_REDIS_SENTINEL_USER and/,
    },
    {
      because: 'no password of the Sentinels',
      query: '',
      says: /sentinel 127.*NOAUTH.*: check FLOTILLA_REDIS_SENTINEL_USER and/,
    },
    {
      because: 'a master that they do not know',
      master: 'another',
      says: /^the Sentinel at 127.0.0.1:\d+ knows no master of this name: check the name/,
    },
    {
      because: 'Sentinels that are away',
      hosts: '127.0.0.1:1',
      says: /sentinel 127.0.0.1:1 .*ECONNREFUSED.*: check that Redis runs there/,
    },
  ])('is not used with $because: one line says why, and what to do', async ({ query, hosts, master, says }, test) => {
    const url = urlWith(query ?? `?sentinel_password=${redis.sentinelPassword}`, hosts, master);
    const service = startRedisService(test, folder, { FLOTILLA_REDIS_URL: url });
    await expectReadiness(service, { status: 503, redis: expect.stringMatching(says) });
    const failure = await pingRedis(url, 2_000).catch((error: unknown) => error);
    expect(String(failure)).toMatch(/Redis at redis\+sentinel:\/\/127\S+ does not answer: .*FLOTILLA_REDIS/);
    const said = `${String(failure)}\n${await service.tail(100)}`;
    for (const secret of ['SECRET', redis.password, redis.sentinelPassword]) expect(said).not.toContain(secret);
  });
});

describe('Redis behind Sentinels, with TLS', needing(there), () => {
  let redis: SentinelRedis;
  let ca = '';
  beforeAll(async () => {
    const { caPem, certPem, keyPem } = await servingCertificate();
    const file = async (name: string, text: string) => {
      await writeFile(join(folder, name), text, { mode: 0o600 });
      return join(folder, name);
    };
    ca = await file('ca.pem', caPem);
    const files = [`tls-cert-file ${await file('cert.pem', certPem)}`, `tls-key-file ${await file('key.pem', keyPem)}`];
    const lines = ['port 0', 'tls-port PORT', 'tls-auth-clients no', 'tls-replication yes', `tls-ca-cert-file ${ca}`];
    redis = await startSentinelRedis({ lines: [...lines, ...files], client: { tls: { ca: caPem } } });
  });
  afterAll(() => redis?.stop());

  const url = () =>
    `rediss+sentinel://:${redis.password}@${redis.hosts}/${MASTER}?sentinel_password=${redis.sentinelPassword}`;

  it('is used by a service that trusts its authority', async (test) => {
    const service = startRedisService(test, folder, { FLOTILLA_REDIS_URL: url(), FLOTILLA_REDIS_CA_FILE: ca });
    await expectReadiness(service, { status: 200, redis: 'takes writes' });
  });

  it('is not used by one that does not', async (test) => {
    const service = startRedisService(test, folder, { FLOTILLA_REDIS_URL: url() });
    const redisDetail = expect.stringMatching(/sentinel .*certificate.*: set FLOTILLA_REDIS_CA_FILE to its authority/);
    await expectReadiness(service, { status: 503, redis: redisDetail });
  });
});
