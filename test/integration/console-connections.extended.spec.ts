import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { SystemClock } from '#platform/clock/system-clock';
import { proofKeysText, publicProofKeys } from '#platform/console/proof/proof-keys';
import { RedisQuestionReceiver } from '#platform/console/redis-question-channel';
import { HubKey } from '#platform/keys/hub-key';
import { findRedis } from '#platform/redis/local/find-redis';
import { silentLog } from '#platform/telemetry/log.port';
import { RedisViewWriter } from '#platform/view/redis-view-writer';
import { freePorts } from '#testing/control-plane/free-ports';
import { PATIENCE } from '#testing/patience';
import { ServiceProcess } from '../../apps/cli/src/commands/demo/environment/service-process.js';
import { API_ROUTES } from '../../apps/console/src/console.service.js';
import { ISSUED_SECRET, TestIssuer } from '../../apps/console/src/sign-in/test-issuer.fixture.js';
import * as hostile from './console-support/hostile-addresses.js';

const HOST = 'console.example.com';
const RECORDER = new URL('./console-support/record-connections.mjs', import.meta.url).href;
/** Headers that proxies and browsers fill with addresses. */
const ADDRESS_HEADERS = [
  ...['forwarded', 'x-forwarded-host', 'x-forwarded-for', 'x-forwarded-proto', 'x-forwarded-server', 'x-real-ip'],
  ...['x-original-url', 'x-rewrite-url', 'referer', 'origin', 'via', 'destination', 'last-event-id'],
];

let folder = '';
/** No request may reach it: every hostile address leads here, or to a name that does not exist. */
let canary: Server;
let visits = 0;
let addresses: readonly string[] = [];
let redis: Awaited<ReturnType<typeof findRedis>>;
let connection: Redis;
let poller: RedisQuestionReceiver;
let questions = 0;
let issuer: TestIssuer;
let port = 0;
let service: ServiceProcess;
const recorded = () => join(folder, 'connections');
const portOf = (url: string) => new URL(url).port;
const digestOf = (at: number) => `sha256:${String(at).repeat(64)}`;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flotilla-connections-'));
  canary = createServer((socket) => {
    visits += 1;
    socket.destroy();
  });
  canary.listen(0, '127.0.0.1');
  await once(canary, 'listening');
  const at = `127.0.0.1:${(canary.address() as AddressInfo).port}`;
  addresses = [`http://${at}/x`, `//${at}/x`, 'https://elsewhere.invalid/x', `http://elsewhere.invalid@${at}/x`];
  redis = await findRedis({ log: () => undefined, preferExisting: false });
  issuer = await TestIssuer.start();
  [port = 0] = await freePorts(1);
  connection = new Redis(redis.url);
  await fill();
  service = new ServiceProcess('console', 'console', await settings(), join(folder, 'log'));
  service.start();
  await vi.waitFor(() => ask('/auth/ways'), PATIENCE);
});
afterAll(async () => {
  await service?.stop();
  await poller?.stop();
  connection?.disconnect();
  await Promise.all([issuer?.stop(), redis?.stop(), new Promise((done) => canary.close(done))]);
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

async function settings(): Promise<Record<string, string>> {
  const file = async (name: string, text: string) => {
    await writeFile(join(folder, name), text, { mode: 0o600 });
    return join(folder, name);
  };
  return {
    CONNECTIONS_FILE: recorded(),
    NODE_OPTIONS: `--import=${RECORDER}`,
    FLOTILLA_REDIS_URL: redis.url,
    FLOTILLA_CONSOLE_PORT: String(port),
    FLOTILLA_CONSOLE_HEALTH_PORT: '0',
    FLOTILLA_CONSOLE_EXTERNAL_URL: `https://${HOST}`,
    FLOTILLA_CONSOLE_KEY_FILE: await file('key', 'k'.repeat(43)),
    FLOTILLA_CONSOLE_OIDC_ISSUER: issuer.url,
    FLOTILLA_CONSOLE_OIDC_CLIENT_ID: 'flotilla',
    FLOTILLA_CONSOLE_OIDC_CLIENT_SECRET_FILE: await file('secret', ISSUED_SECRET),
    FLOTILLA_CONSOLE_SESSION_KEY_FILE: await file('session-key', 's'.repeat(40)),
    FLOTILLA_CONSOLE_PROOF_KEYS_FILE: await file('proof-keys', proofKeysText(publicProofKeys(HubKey.random()))),
    FLOTILLA_CONSOLE_POLICY_FILE: await file(
      'policy.yaml',
      'grants: [{ groups: [sre], role: admin, clusters: ["*"] }]\n',
    ),
  };
}

/** Writes the data of pollers to Redis, and starts a poller that answers questions. */
async function fill(): Promise<void> {
  const writer = new RedisViewWriter(connection, 'flotilla');
  for (const [at, address] of addresses.entries())
    await writer.write({ cluster: address, changed: hostile.hostileRows(address, digestOf(at)), removed: [] });
  await writer.writeRollouts(addresses.map(hostile.hostileRollout));
  const silent = { clock: new SystemClock(), log: silentLog };
  poller = new RedisQuestionReceiver({ redis: connection, prefix: 'flotilla', ...silent });
  poller.follow(({ question }) => {
    questions += 1;
    void poller.answer(question, hostile.hostileAnswer(question.cluster, question));
  });
}

type Answer = Readonly<{ status: number; text: string; location: string; cookies: readonly string[] }>;
type Asked = Readonly<{ headers?: Readonly<Record<string, string>>; body?: unknown }>;

/** Asks as a proxy does. Asks once more if the console says to wait. */
async function ask(path: string, { headers = {}, body }: Asked = {}): Promise<Answer> {
  const method = body === undefined ? 'GET' : 'POST';
  const sent = request({ port, path, method, headers: { host: HOST, ...headers } });
  sent.end(body === undefined ? undefined : JSON.stringify(body));
  const [answer] = await once(sent, 'response');
  let text = '';
  for await (const piece of answer) text += String(piece);
  if (answer.statusCode === 429) return ask(path, { headers, body });
  const cookies = (answer.headers['set-cookie'] ?? []).map((one: string) => one.split(';')[0]);
  return { status: answer.statusCode, text, location: answer.headers.location ?? '', cookies };
}
const KEY = { authorization: `Bearer ${'k'.repeat(43)}`, 'content-type': 'application/json' };
const get = (path: string, headers = {}) => ask(path, { headers: { ...KEY, ...headers } });

/** Paths of the console's API, with an address in place of every text. */
function pathsWith(address: string, id: string): readonly string[] {
  const part = encodeURIComponent(address);
  const query = (...names: readonly string[]) => names.map((name) => `${name}=${part}`).join('&');
  return API_ROUTES.filter(({ method }) => method === 'GET').flatMap(({ path }) => {
    const real = path.replace(':id', path.startsWith('/catalogs') ? id : part).replace(':package', hostile.PACKAGE);
    const asked = path.endsWith('/graph') ? query('from', 'cluster') : query('q', 'cluster', 'package', 'cause', 'by');
    return [`/api/v1${real}`, `/api/v1${real}?${path === '/search' ? query('q') : asked}`];
  });
}

/** To the issuer and back. */
async function signIn(to: string): Promise<Answer> {
  const begun = await ask(`/auth/login?to=${encodeURIComponent(to)}`);
  const back = await fetch(begun.location, { redirect: 'manual' });
  const { pathname, search } = new URL(back.headers.get('location') ?? '');
  return ask(pathname + search, { headers: { cookie: begun.cookies.join('; ') } });
}

describe('what people and catalogs write', () => {
  it('becomes no address in lists, pages of packages, graphs and icons', async () => {
    for (const [at, address] of addresses.entries()) {
      const id = String(at).repeat(16);
      const answers = [];
      for (const path of pathsWith(address, id)) answers.push(await get(path));
      expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThan(20);
      const detail = await get(`/api/v1/catalogs/${id}/packages/${hostile.PACKAGE}`);
      expect([detail.status, detail.text]).toEqual([200, expect.stringContaining(address)]);
      const icon = await ask(`/icons/${id}/${hostile.PACKAGE}/${hostile.iconHash(address)}`, { headers: KEY });
      expect([icon.status, icon.text]).toEqual([200, expect.stringContaining(address)]);
    }
  });

  it('becomes no address in questions and actions', async () => {
    for (const address of addresses) {
      const about = { cluster: address, kind: 'Subscription', namespace: 'lamps', name: 'lamp' };
      for (const question of ['explain', 'object', 'events'])
        await ask(`/api/v1/questions/${question}`, { headers: KEY, body: about });
      const review = await ask('/api/v1/questions/review', { headers: KEY, body: { hash: hostile.HASH } });
      expect([review.status, review.text]).toEqual([200, expect.stringContaining(address)]);
      const target = { cluster: address, namespace: 'lamps', name: 'install-1' };
      const action = { verb: 'approve', planHash: hostile.HASH, comment: address, targets: [target] };
      const headers = { ...KEY, 'idempotency-key': randomUUID() };
      expect((await ask('/api/v1/actions', { headers, body: action })).status).toBe(202);
    }
    expect(questions).toBeGreaterThan(addresses.length * 5);
  });

  it('becomes no address as the host, and in what proxies add', async () => {
    for (const address of addresses) {
      const headers = Object.fromEntries(ADDRESS_HEADERS.map((name) => [name, address]));
      expect((await get('/api/v1/fleet', headers)).status).toBe(200);
      expect((await ask('/auth/ways', { headers })).status).toBe(200);
      expect((await get('/api/v1/fleet', { host: address })).status).toBe(421);
      // As to a forward proxy: the whole address is in the first line.
      const socket = connect(port, '127.0.0.1');
      socket.write(`GET ${address} HTTP/1.1\r\nHost: ${HOST}\r\nConnection: close\r\n\r\n`);
      let text = '';
      for await (const piece of socket) text += String(piece);
      expect(text).toMatch(/^HTTP\/1\.1 \d{3}/);
    }
  });

  it('becomes no address in a sign-in, whose way back stays in the console', async () => {
    for (const address of addresses) {
      expect(await signIn(address)).toMatchObject({ status: 302, location: '/' });
      const part = encodeURIComponent(address);
      const query = `code=${part}&state=${part}&iss=${part}&redirect_uri=${part}&error_uri=${part}`;
      expect((await ask(`/auth/callback?${query}`)).status).toBe(403);
    }
    // The name of a person, too.
    issuer.account = {
      sub: addresses[0] ?? '',
      email: addresses[0],
      email_verified: true,
      groups: ['sre', ...addresses],
      picture: addresses[0],
    };
    const { cookies } = await signIn('/changes');
    const me = await ask('/api/v1/me', { headers: { cookie: cookies.join('; ') } });
    expect(me.text).toContain(addresses[0]);
  });

  it('is asked for by no part of the console, which spoke with Redis and with the issuer alone', async () => {
    const lines = new Set((await readFile(recorded(), 'utf8')).trim().split('\n'));
    expect([...lines].toSorted()).toEqual(
      [redis.url, issuer.url].map((url) => `${new URL(url).hostname}:${portOf(url)}`).toSorted(),
    );
    expect(visits).toBe(0);
  });
});

describe('the tokens of a person who acts and asks', () => {
  /** Every value in Redis, as it is. */
  async function inRedis(): Promise<string> {
    const texts: string[] = [];
    for (const key of await connection.keys('*')) {
      texts.push(key, ((await connection.dumpBuffer(key)) ?? Buffer.alloc(0)).toString('latin1'));
      texts.push((await connection.getBuffer(key).catch(() => null))?.toString('latin1') ?? '');
      texts.push(JSON.stringify(await connection.hgetall(key).catch(() => ({}))));
      texts.push(JSON.stringify(await connection.xrange(key, '-', '+').catch(() => [])));
    }
    return texts.join('\n');
  }

  it('lie in clear neither in Redis nor in the log of the console', async () => {
    issuer.account = { sub: 'u1', email: 'jane@example.com', email_verified: true, groups: ['sre'], nick: 'PLANTED' };
    const cookie = (await signIn('/operators')).cookies.join('; ');
    const { csrf } = JSON.parse((await ask('/api/v1/me', { headers: { cookie } })).text);
    const headers = { cookie, 'content-type': 'application/json', origin: `https://${HOST}`, 'x-csrf-token': csrf };
    const [cluster = ''] = addresses;
    const about = { cluster, kind: 'Subscription', namespace: 'lamps', name: 'lamp' };
    await connection.del(...(await connection.keys('flotilla:console:answer:*')));
    expect((await ask('/api/v1/questions/object', { headers, body: about })).status).toBe(200);
    const targets = [{ cluster, namespace: 'lamps', name: 'install-1' }];
    const action = { verb: 'approve', planHash: hostile.HASH, targets };
    const sent = await ask('/api/v1/actions', {
      headers: { ...headers, 'idempotency-key': randomUUID() },
      body: action,
    });
    expect(sent.status).toBe(202);
    const held = `${await inRedis()}\n${await readFile(join(folder, 'log'), 'utf8')}`;
    expect(held, 'the session').toContain('"token":"eyJ');
    expect(held, 'the proof').toContain('"proof","eyJ');
    const secrets = issuer.issued.flatMap((token) => [token, ...token.split('.').slice(1)]);
    expect(secrets.length).toBeGreaterThan(4);
    expect(secrets.filter((secret) => held.includes(secret))).toEqual([]);
    expect(held).not.toContain('PLANTED');
  });
});

describe('the record of connections', () => {
  it.each([
    ['fetch', 'await fetch(to).catch(() => 0)', 'HOST'],
    ['http', "(await import('node:http')).get(to).on('error', () => 0)", 'HOST'],
    [
      'a socket',
      "(await import('node:net')).connect(Number(new URL(to).port), '127.0.0.1').on('error', () => 0)",
      'HOST',
    ],
    [
      'TLS',
      "(await import('node:tls')).connect({ host: '127.0.0.1', port: new URL(to).port }).on('error', () => 0)",
      'HOST',
    ],
    ['a name', "(await import('node:dns')).lookup('elsewhere.invalid', () => 0)", 'dns elsewhere.invalid'],
    ['a name in fetch', "await fetch('http://elsewhere.invalid/').catch(() => 0)", 'elsewhere.invalid:80'],
    [
      'another program',
      "(await import('node:child_process')).spawnSync('true'); (await import('node:child_process')).spawn('true')",
      'runs true',
    ],
  ])('has %s', async (name, code, wanted) => {
    const file = join(folder, `of ${name}`);
    const env = { ...process.env, CONNECTIONS_FILE: file };
    const program = `const to = ${JSON.stringify(addresses[0])}; ${code}`;
    await promisify(execFile)(process.execPath, ['--import', RECORDER, '--input-type=module', '-e', program], { env });
    const host = new URL(addresses[0] ?? '').host;
    expect((await readFile(file, 'utf8')).split('\n')).toContain(wanted.replace('HOST', host));
  });
});
