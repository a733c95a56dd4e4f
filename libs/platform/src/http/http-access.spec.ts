import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Registry } from 'prom-client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Admission } from '#core/kernel/http-access/admission';
import { HTTP_AREAS } from '#core/kernel/http-access/http-area';
import { ManualClock } from '../clock/manual-clock.js';
import { HubKey } from '../keys/hub-key.js';
import type { KubeClient } from '../kube/client/kube-client.port.js';
import { type RunningService, startService } from '../service/run-service.js';
import { HealthIndicator } from '../telemetry/health-indicator.js';
import type { Log } from '../telemetry/log.port.js';
import { silentLog } from '../telemetry/log.port.js';
import { HttpAccess, hubAuthorization, isFromPeer, peerAuthorization } from './http-access.js';
import { TokenList } from './token-list.js';
import { TokenReviewer } from './token-reviewer.js';

const SCRAPER = 'scraper-token-0123456789';
const READER = 'reader-token-0123456789';

let folder: string;
let file: string;
let lines: string[];
const log: Log = {
  ...silentLog,
  info: (fields, message) => lines.push(JSON.stringify([fields, message])),
  warn: (fields, message) => lines.push(JSON.stringify([fields, message])),
  error: (fields, message) => lines.push(JSON.stringify([fields, message])),
};
beforeEach(async () => {
  lines = [];
  folder = await mkdtemp(join(tmpdir(), 'http-access-'));
  file = join(folder, 'tokens');
  await writeFile(file, `scraper ${SCRAPER} /metrics\nreader ${READER} /content/*,/healthz\n`);
});
afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

const statusOf = (admission: Admission): number => (admission.admitted ? 200 : admission.status);
const asker = (access: HttpAccess) => async (area: (typeof HTTP_AREAS)[number], path: string, token?: string) =>
  statusOf(await access.admit({ area, path, authorization: token && `Bearer ${token}` }));

describe('tokens of a file', () => {
  const all = () => asker(new HttpAccess({ areas: new Set(HTTP_AREAS), tokens: new TokenList(file, log) }));

  it('open the paths of their line and no others', async () => {
    const ask = all();
    expect(await ask('metrics', '/metrics')).toBe(401);
    expect(await ask('metrics', '/metrics', 'no-such-token-0123456789')).toBe(401);
    expect(await ask('metrics', '/metrics', SCRAPER.slice(0, -1))).toBe(401);
    expect(await ask('metrics', '/metrics', SCRAPER)).toBe(200);
    expect(await ask('content', '/content/sha256:ab', SCRAPER)).toBe(403);
    expect(await ask('content', '/content/sha256:ab', READER)).toBe(200);
  });

  it('are read again when the file changes: what left it is refused from the next request on', async () => {
    const ask = all();
    expect(await ask('metrics', '/metrics', SCRAPER)).toBe(200);
    const next = 'another-token-0123456789';
    await writeFile(`${file}.new`, `scraper ${next} /metrics\n`);
    await rename(`${file}.new`, file);
    expect(await Promise.all([ask('metrics', '/metrics', next), ask('metrics', '/metrics', next)])).toEqual([200, 200]);
    expect(await ask('metrics', '/metrics', SCRAPER)).toBe(401);
    await rm(file);
    expect(await ask('metrics', '/metrics', next)).toBe(401);
  });

  it('are in no log line', async () => {
    await writeFile(file, `scraper ${SCRAPER} /metrics\nreader ${READER} no-path\nshort abc *\n`);
    const ask = all();
    await ask('metrics', '/metrics', SCRAPER);
    expect(lines.join('\n')).toMatch(/line 2: .*line 3: /s);
    expect(lines.join('\n')).not.toMatch(new RegExp(`${SCRAPER}|${READER}|abc`));
  });
});

describe('the key of the hub', () => {
  it('opens the one path of its code, and content alone', async () => {
    const key = HubKey.random();
    const access = new HttpAccess({ areas: new Set(HTTP_AREAS), key });
    const admit = async (area: 'content' | 'metrics', path: string, authorization: string) =>
      statusOf(await access.admit({ area, path, authorization }));
    expect(await admit('content', '/content/a', hubAuthorization(key, '/content/a'))).toBe(200);
    expect(await admit('content', '/content/b', hubAuthorization(key, '/content/a'))).toBe(401);
    expect(await admit('metrics', '/metrics', hubAuthorization(key, '/metrics'))).toBe(401);
    expect(await admit('content', '/content/a', hubAuthorization(HubKey.random(), '/content/a'))).toBe(401);
    const minutesAgo = (minutes: number) => hubAuthorization(key, '/content/a', Date.now() - minutes * 60_000);
    expect(await admit('content', '/content/a', minutesAgo(3))).toBe(200);
    for (const old of [7, 60, -7]) expect(await admit('content', '/content/a', minutesAgo(old)), `${old}`).toBe(401);
    const [, , code = ''] = /^Bearer (\d+)\.(.+)$/.exec(minutesAgo(60)) ?? [];
    const [, minute = ''] = /^Bearer (\d+)\./.exec(minutesAgo(0)) ?? [];
    for (const forged of [`Bearer ${minute}.${code}`, `Bearer ${code}`, `Bearer .${code}`, `Bearer ${minute}.`])
      expect(await admit('content', '/content/a', forged), forged).toBe(401);
  });
});

describe('a request that a poller passes on to another one', () => {
  const key = HubKey.random();
  const access = new HttpAccess({ areas: new Set(HTTP_AREAS), key });
  const admit = async (area: (typeof HTTP_AREAS)[number], path: string, authorization: string) =>
    statusOf(await access.admit({ area, path, authorization }));

  it.each(['content', 'packages', 'catalogs'] as const)('is admitted to its path alone: %s', async (area) => {
    expect(await admit(area, '/a', peerAuthorization(key, '/a'))).toBe(200);
    expect(await admit(area, '/b', peerAuthorization(key, '/a'))).toBe(401);
    expect(await admit(area, '/a', peerAuthorization(HubKey.random(), '/a'))).toBe(401);
    expect(await admit(area, '/a', peerAuthorization(key, '/a', Date.now() - 7 * 60_000))).toBe(401);
  });

  it('opens no metrics and no details of health', async () => {
    expect(await admit('metrics', '/metrics', peerAuthorization(key, '/metrics'))).toBe(401);
    expect(await admit('health', '/healthz', peerAuthorization(key, '/healthz'))).toBe(401);
  });

  it('is not one of an applier', () => {
    expect(isFromPeer(key, '/content/a', hubAuthorization(key, '/content/a'))).toBe(false);
    expect(isFromPeer(key, '/content/a', peerAuthorization(key, '/content/a'))).toBe(true);
    expect(isFromPeer(key, '/content/a', undefined)).toBe(false);
  });
});

describe('a token that the API server reviews', () => {
  const apiServer = () => {
    const asked: string[] = [];
    const create = async ({ kind, spec }: { kind: string; spec: Record<string, unknown> }) => {
      asked.push(kind);
      if (spec['token'] === 'api-server-is-gone') throw new Error('gone');
      const user = { username: 'system:serviceaccount:monitoring:prometheus', groups: ['g'], uid: '1' };
      if (kind === 'TokenReview') {
        const authenticated = spec['token'] === SCRAPER;
        return { object: { status: authenticated ? { authenticated, user } : { authenticated } }, warnings: [] };
      }
      const { path, verb } = spec['nonResourceAttributes'] as { path: string; verb: string };
      const allowed = spec['user'] === user.username && verb === 'get' && path === '/metrics';
      return { object: { status: { allowed } }, warnings: [] };
    };
    return { asked, client: { create } as unknown as KubeClient };
  };

  it('opens what the user may get, and is reviewed once for half a minute', async () => {
    const { asked, client } = apiServer();
    const clock = new ManualClock(new Date(0));
    const reviewer = new TokenReviewer(client, clock, log);
    const ask = asker(new HttpAccess({ areas: new Set(HTTP_AREAS), reviewer }));
    expect(await Promise.all([1, 2, 3].map(() => ask('metrics', '/metrics', SCRAPER)))).toEqual([200, 200, 200]);
    expect(asked).toEqual(['TokenReview', 'SubjectAccessReview']);
    expect(await ask('content', '/content/a', SCRAPER)).toBe(403);
    expect(await ask('metrics', '/metrics', READER)).toBe(401);
    await clock.advance(31_000);
    asked.length = 0;
    expect(await ask('metrics', '/metrics', SCRAPER)).toBe(200);
    expect(asked).toEqual(['TokenReview', 'SubjectAccessReview']);
  });

  it('goes on opening while others send thousands of tokens that are not valid, and while those are reviewed', async () => {
    const { client } = apiServer();
    const stuck = {
      create: (object: { spec: { token?: string } }) =>
        object.spec.token?.startsWith('stuck') ? new Promise(() => undefined) : client.create(object as never),
    };
    const clock = new ManualClock(new Date(0));
    const reviewer = new TokenReviewer(stuck as unknown as KubeClient, clock, log);
    const ask = asker(new HttpAccess({ areas: new Set(HTTP_AREAS), reviewer }));
    expect(await ask('metrics', '/metrics', SCRAPER)).toBe(200);
    for (let at = 0; at < 3_000; at += 1) await ask('metrics', '/metrics', `invalid-${at}`);
    for (let at = 0; at < 20; at += 1) void ask('metrics', '/metrics', `stuck-${at}`);
    expect(await ask('metrics', '/metrics', READER)).toBe(503);
    expect(await ask('metrics', '/metrics', SCRAPER)).toBe(200);
    await clock.advance(31_000);
    expect(await ask('metrics', '/metrics', SCRAPER)).toBe(200);
  });

  it('is refused for now while the API server is away, and no token is in the log', async () => {
    const reviewer = new TokenReviewer(apiServer().client, new ManualClock(new Date(0)), log);
    expect(
      await asker(new HttpAccess({ areas: new Set(HTTP_AREAS), reviewer }))(
        'metrics',
        '/metrics',
        'api-server-is-gone',
      ),
    ).toBe(503);
    expect(lines.join('\n')).not.toContain('api-server-is-gone');
  });
});

describe('a service whose metrics and health ask for authentication', () => {
  const services: RunningService[] = [];
  afterEach(async () => {
    for (const service of services.splice(0)) await service.stop();
  });
  const start = async (metricsPort?: number) => {
    const access = new HttpAccess({ areas: new Set(['metrics', 'health']), tokens: new TokenList(file, log) });
    const detail = 'no sign of life from secret-cluster';
    const watches = new HealthIndicator({
      name: 'watches',
      check: async () => ({ up: true, degraded: true, detail, clusters: ['secret-cluster'] }),
    });
    const service = await startService({
      name: 'things',
      imports: [{ module: class {}, providers: [{ provide: HealthIndicator, useValue: watches }] }],
      health: { registry: new Registry(), access },
      bindAddress: '127.0.0.1',
      port: 0,
      ...(metricsPort === undefined ? {} : { metricsPort }),
      log,
      shutdownTimeoutMs: 1_000,
    });
    services.push(service);
    return service;
  };
  const get = async (url: string, token?: string) => {
    const response = await fetch(url, { headers: token === undefined ? {} : { authorization: `Bearer ${token}` } });
    return { status: response.status, text: await response.text(), asks: response.headers.get('www-authenticate') };
  };

  it('B5b: shows no metrics without a token, however the path is written', async () => {
    const { url } = await start();
    for (const path of ['/metrics', '/metrics?x', '/%6detrics', '/metric%73']) {
      expect(await get(`${url}${path}`), path).toMatchObject({ status: 401, asks: 'Bearer realm="flotilla"' });
    }
    expect(await get(`${url}/metrics`, SCRAPER)).toMatchObject({ status: 200 });
    expect(await get(`${url}/metrics`, READER)).toMatchObject({ status: 403 });
    expect(await get(`${url}/version`)).toMatchObject({ status: 401 });
  });

  it('B5e: answers no web page whose name was made to lead to loopback', async () => {
    const { url, metricsUrl } = await start(0);
    const asAnother = (address: string, host: string) =>
      new Promise<number | undefined>((resolve, reject) => {
        request(address, { headers: { host } }, (response) => resolve(response.resume().statusCode))
          .on('error', reject)
          .end();
      });
    const paths = [`${url}/livez`, `${url}/healthz`, `${url}/content/a`, metricsUrl];
    expect(await Promise.all(paths.map((path) => asAnother(path, 'evil.example')))).toEqual([421, 421, 421, 421]);
    expect(await asAnother(`${url}/livez`, 'localhost:8080')).toBe(200);
  });

  it('is alive and ready for every client, with names of clusters for those that may read them', async () => {
    const { url } = await start();
    expect(await get(`${url}/livez`)).toMatchObject({ status: 200, text: '{"status":"ok"}' });
    const open = await get(`${url}/healthz`);
    expect([open.status, open.text]).toEqual([200, expect.stringContaining('"watches":{"status":"degraded"}')]);
    expect(open.text).not.toContain('secret-cluster');
    expect((await get(`${url}/healthz`, READER)).text).toContain('secret-cluster');
    expect((await get(`${url}/readyz`, READER)).text).not.toContain('secret-cluster');
  });

  it('has them at a port of their own, where nothing else is, if the setting says so', async () => {
    const { url, metricsUrl } = await start(0);
    expect(new URL(metricsUrl).port).not.toBe(new URL(url).port);
    expect(await get(metricsUrl)).toMatchObject({ status: 401, asks: 'Bearer realm="flotilla"' });
    expect(await get(metricsUrl, SCRAPER)).toMatchObject({ status: 200 });
    expect(await get(new URL('/healthz', metricsUrl).href, READER)).toMatchObject({ status: 404 });
    expect(await get(`${url}/metrics`, SCRAPER)).toMatchObject({ status: 404 });
    expect((await fetch(metricsUrl, { method: 'POST' })).status).toBe(405);
  });
});
