import { afterEach, describe, expect, it } from 'vitest';
import { type ScriptedRequest, startScriptedServer } from '#testing/control-plane/scripted-server';
import { PATIENCE, pause } from '#testing/patience';
import { fixedCredentials } from './credentials.js';
import { HttpTransport } from './http-transport.js';

const IDLE_MS = 50;
const endings: Array<() => Promise<unknown>> = [];

afterEach(async () => {
  for (const end of endings.splice(0).toReversed()) await end();
});

async function connected(protocol: 'h2' | 'http/1.1') {
  const answer = ({ path }: ScriptedRequest) =>
    path === '/watch' ? { body: 'event\n', open: true } : { body: 'fine' };
  const server = await startScriptedServer({ protocol, answer });
  endings.push(() => server.stop());
  const credentials = fixedCredentials({ headers: {}, tls: { ca: server.ca } });
  const transport = new HttpTransport({ credentials, server: server.url, idleMs: IDLE_MS });
  endings.push(() => transport.close());
  return { transport, server };
}

const get = (path: string) => ({ method: 'GET', path }) as const;

describe.each(['h2', 'http/1.1'] as const)('connections over %s that nothing uses', (protocol) => {
  it('are closed, and the next request opens new ones', async () => {
    const { transport, server } = await connected(protocol);
    expect((await transport.request(get('/'))).text).toBe('fine');
    await expect.poll(() => server.openConnections(), PATIENCE).toBe(0);
    expect((await transport.request(get('/'))).text).toBe('fine');
    expect(server.openConnections()).toBe(1);
  });

  it('stay open as long as there is a watch', async () => {
    const { transport, server } = await connected(protocol);
    const { body } = await transport.stream(get('/watch'));
    await transport.request(get('/'));
    await pause(4 * IDLE_MS);
    expect(server.openConnections()).toBeGreaterThan(0);
    body.destroy();
    await expect.poll(() => server.openConnections(), PATIENCE).toBe(0);
  });
});
