import { afterEach, describe, expect, it } from 'vitest';
import { startScriptedServer } from '#testing/control-plane/scripted-server';
import { aWhile, PATIENCE, pause } from '#testing/patience';
import { type ConnectionNeed, ConnectionNeeds } from './connection-needs.js';
import { fixedCredentials } from './credentials.js';
import { DialTurns } from './dial-turns.js';
import { HttpTransport } from './http-transport.js';

const NEVER = 3_600_000;

/** Connections that are under way until the test says that they are open. */
function dials(turns: DialTurns) {
  const begun: string[] = [];
  const opened = new Map<string, () => void>();
  const waiting = (name: string, needs: Pick<ConnectionNeeds, 'nearest'>, signal = new AbortController().signal) =>
    turns.run({ needs, signal }, () => {
      begun.push(name);
      return new Promise<void>((resolve) => opened.set(name, resolve));
    });
  return { begun, waiting, open: (name: string) => opened.get(name)?.() };
}

/** Needs as those of a cluster for which nothing but this waits. */
function needing(need: ConnectionNeed): ConnectionNeeds {
  const needs = new ConnectionNeeds();
  void needs.during(need, () => new Promise(() => undefined));
  return needs;
}

describe('connections are opened', () => {
  it('so many at a time, and the next when one is open', async () => {
    const { begun, waiting, open } = dials(new DialTurns(2, NEVER));
    for (const name of ['a', 'b', 'c']) void waiting(name, needing('watch'));
    await aWhile();
    expect(begun).toEqual(['a', 'b']);
    open('b');
    await expect.poll(() => begun, PATIENCE).toEqual(['a', 'b', 'c']);
  });

  it('for a pass before a read, and for a read before a watch', async () => {
    const { begun, waiting, open } = dials(new DialTurns(1, NEVER));
    void waiting('first', needing('watch'));
    void waiting('watched', needing('watch'));
    void waiting('read', needing('read'));
    void waiting('passed', needing('pass'));
    for (const [at, name] of ['first', 'passed', 'read', 'watched'].entries()) {
      await expect.poll(() => begun.at(at), PATIENCE).toBe(name);
      open(name);
    }
  });

  it('sooner where a write comes to need what waits for a watch already', async () => {
    const { begun, waiting, open } = dials(new DialTurns(1, NEVER));
    const needs = needing('watch');
    void waiting('first', needing('read'));
    void waiting('other', needing('watch'));
    void waiting('hurried', needs);
    void needs.during('pass', () => new Promise(() => undefined));
    await aWhile();
    open('first');
    await expect.poll(() => begun, PATIENCE).toEqual(['first', 'hurried']);
  });

  it('beside clusters that do not answer', async () => {
    const { begun, waiting } = dials(new DialTurns(2, 20));
    for (const name of ['dead 1', 'dead 2', 'alive']) void waiting(name, needing('watch'));
    await expect.poll(() => begun, PATIENCE).toEqual(['dead 1', 'dead 2', 'alive']);
  });

  it('no more for a client that was closed', async () => {
    const { begun, waiting, open } = dials(new DialTurns(1, NEVER));
    const closing = new AbortController();
    void waiting('first', needing('watch'));
    const closed = waiting('closed', needing('watch'), closing.signal);
    void waiting('last', needing('watch'));
    await aWhile();
    closing.abort();
    await expect(closed).rejects.toMatchObject({ failure: 'closed' });
    open('first');
    await expect.poll(() => begun, PATIENCE).toEqual(['first', 'last']);
  });
});

/** Clients of one server whose connections are opened one after the other, the first one of `hold`. */
async function clients() {
  const server = await startScriptedServer({ protocol: 'h2', answer: ({ path }) => ({ body: path }) });
  endings.push(() => server.stop());
  const turns = new DialTurns(1, NEVER);
  const credentials = fixedCredentials({ headers: {}, tls: { ca: server.ca } });
  const client = () => {
    const transport = new HttpTransport({ server: server.url, credentials, turns, connectTimeoutMs: TIMEOUT_MS });
    endings.push(() => transport.close());
    return transport;
  };
  const { waiting, open } = dials(turns);
  void waiting('held', needing('pass'));
  return { client, release: () => open('held') };
}

const TIMEOUT_MS = 2_000;
const endings: Array<() => Promise<unknown>> = [];
afterEach(async () => {
  for (const end of endings.splice(0).toReversed()) await end();
});

const get = (client: HttpTransport) => client.request({ method: 'GET', path: '/get' });
const listed = (client: HttpTransport) => client.request({ method: 'GET', path: '/list', background: true });
const watch = (client: HttpTransport) => client.stream({ method: 'GET', path: '/watch' });
const write = (client: HttpTransport) => client.request({ method: 'POST', path: '/write', body: '{}' });
const inPass = (client: HttpTransport) => client.hurried(() => client.request({ method: 'GET', path: '/pass' }));

describe('a client', () => {
  it('does not count the wait for its turn as the time of a handshake', async () => {
    const { client, release } = await clients();
    const answer = get(client());
    await pause(TIMEOUT_MS + 500);
    release();
    await expect(answer).resolves.toMatchObject({ text: '/get' });
  });

  it.each([
    ['a write before a read', get, write],
    ['a read of a pass before another read', get, inPass],
    ['a read before the list of a watch', listed, get],
    ['a read before a watch', watch, get],
  ])('is connected for %s of another cluster', async (_what, later, sooner) => {
    const { client, release } = await clients();
    const answered: unknown[] = [];
    const all = [later, sooner].map((ask) => ask(client()).then(() => answered.push(ask)));
    await aWhile();
    release();
    await Promise.all(all);
    expect(answered).toEqual([sooner, later]);
  });
});
