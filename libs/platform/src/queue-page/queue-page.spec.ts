import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { SystemClock } from '../clock/system-clock.js';
import { HttpAccess } from '../http/http-access.js';
import { TokenList } from '../http/token-list.js';
import type { Hub } from '../hub/hub.js';
import { hubModule } from '../hub/hub.module.js';
import { HubKey } from '../keys/hub-key.js';
import { memoryQueues } from '../queue/queues.js';
import { startService } from '../service/run-service.js';
import { silentLog } from '../telemetry/log.port.js';
import { Metrics } from '../telemetry/metrics/metrics.js';
import { queuePageModule } from './queue-page.module.js';
import { renderQueues } from './render-queues.js';

const TOKEN = 'a-token-of-the-team-0123456789';
const cleanUp: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const step of cleanUp.splice(0).toReversed()) await step();
});

/** A service with the page; with `tokens` it asks for one of them. */
async function serving({ tokens, key }: Readonly<{ tokens?: string; key?: HubKey }>) {
  const queues = memoryQueues();
  const folder = await mkdtemp(join(tmpdir(), 'flotilla-queues-'));
  cleanUp.push(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  const file = join(folder, 'tokens');
  await writeFile(file, tokens ?? '');
  const asked = { areas: new Set(['health' as const]), tokens: new TokenList(file, silentLog) };
  const access = tokens === undefined ? HttpAccess.open() : new HttpAccess(asked);
  const store = { check: { name: 'redis', check: async () => ({ up: true, detail: '' }) } };
  const hub = { queues, access, key, clock: new SystemClock(), log: silentLog, store } as unknown as Hub;
  const service = await startService({
    name: 'things',
    imports: [hubModule(hub), queuePageModule()],
    health: { registry: new Metrics({ processMetrics: false }).registry, access },
    bindAddress: '127.0.0.1',
    port: 0,
    log: silentLog,
    shutdownTimeoutMs: 1_000,
  });
  cleanUp.push(() => service.stop());
  const get = (authorization?: string) =>
    fetch(`${service.url}/queues`, authorization === undefined ? {} : { headers: { authorization } });
  return { queues, get };
}

const basic = (password: string) => `Basic ${Buffer.from(`anyone:${password}`).toString('base64')}`;

describe('the queue page', () => {
  it('shows the counts and jobs of all queues', async () => {
    const { queues, get } = await serving({ key: HubKey.random() });
    await queues.apply.add({ v: 1, cluster: 'east', namespace: 'shop' });
    await queues.observe.add({ v: 1, cluster: 'east', extension: 'lamp' }, { delayMs: 60_000 });
    const html = await (await get()).text();
    expect(html).toMatch(/<td>apply<\/td><td class="n">1</);
    expect(html).toMatch(/<td>waiting<\/td><td>east\/shop<\/td><td>\d+ s ago/);
    expect(html).toMatch(/<td>delayed<\/td><td>east\/extension:lamp<\/td><td>in \d+ s/);
  });

  it('of a resolver shows those that it may read alone', async () => {
    const { get } = await serving({});
    const html = await (await get()).text();
    expect([...html.matchAll(/<h2>(\w+)/g)].map(([, name]) => name)).toEqual(['resolve', 'solved']);
  });

  it.each([
    ['nothing', undefined, 401],
    ['another token', 'Bearer another-token-0123456789', 401],
    ['another password', basic('another-token-0123456789'), 401],
    ['a password that is none', 'Basic !!', 401],
    ['the token', `Bearer ${TOKEN}`, 200],
    ['the token as a password, as browsers send it', basic(TOKEN), 200],
  ])('answers to %s, where health asks for a token, with its status', async (_, authorization, status) => {
    const { get } = await serving({ tokens: `team ${TOKEN} /queues\n` });
    const response = await get(authorization);
    expect(response.status).toBe(status);
    const asks = response.headers.get('www-authenticate');
    expect(asks).toBe(status === 401 ? 'Basic realm="flotilla", charset="UTF-8"' : null);
  });

  it('is for tokens of this path alone', async () => {
    const { get } = await serving({ tokens: `team ${TOKEN} /metrics\n` });
    expect((await get(basic(TOKEN))).status).toBe(403);
  });

  it('can load and run nothing, and its style is the one that its policy names', async () => {
    const { get } = await serving({});
    const response = await get();
    const html = await response.text();
    const style = /<style>([^<]*)<\/style>/.exec(html)?.[1] ?? '';
    const hash = createHash('sha256').update(style).digest('base64');
    const policy = response.headers.get('content-security-policy');
    expect(policy).toContain(`default-src 'none'; style-src 'sha256-${hash}'`);
    expect(policy).toContain("frame-ancestors 'none'");
    expect(html).not.toMatch(/<script|https?:|style=|\son\w+=/i);
    expect(response.headers.get('cache-control')).toBe('no-store');
  });

  it('shows names and errors as text, without control characters and credentials', () => {
    const job = { state: 'failed', key: '<b>&"\'\u001b[31m', atMs: 0, reason: 'https://me:secret@host/ <i>' } as const;
    const counts = { waiting: 0, active: 0, delayed: 0, completed: 0, failed: 1, 'set-aside': 0 };
    const html = renderQueues([{ name: 'apply', counts, jobs: [job] }], new Date(5_000));
    expect(html).toContain('<td>&lt;b&gt;&amp;&quot;&#39;\\x1b[31m</td><td>5 s ago</td>');
    expect(html).toContain('https://***@host/ &lt;i&gt;');
    expect(html).not.toContain('secret');
  });

  it('says which queues Redis did not answer about', () => {
    const html = renderQueues([{ name: 'apply', counts: undefined, jobs: undefined }], new Date());
    expect(html).toContain('Redis did not answer in time.');
    expect(html).toContain('<td class="n">?</td>');
  });
});
