import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { isFromPeer, peerAuthorization } from '../http/http-access.js';
import { HubKey } from '../keys/hub-key.js';
import { peerName } from './peer-name.js';
import { PeerRequests } from './peer-requests.js';
import { PeerUnreachable } from './peer-unreachable.error.js';
import { Peers } from './peers.js';

const PATH = '/content/sha256:ab';
const key = HubKey.random();
const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

/** A poller that answers; `asked` has what it was asked. */
async function poller(answer: (response: ServerResponse) => void) {
  const asked: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    asked.push(request);
    answer(response);
  }).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
  return { url, name: peerName(url, url, key), asked };
}
const having = (content: string) => poller((response) => response.writeHead(200, { etag: '"a"' }).end(content));
const without = () => poller((response) => response.writeHead(404).end('not held'));
async function dead() {
  const one = await without();
  await new Promise((resolve) => servers.pop()?.close(resolve));
  return one;
}

function peersOf(others: readonly string[], owner?: string) {
  const ownership = { otherOwnerOf: () => owner, others: () => others };
  return new Peers({ ownership, key, requests: new PeerRequests(undefined), has: (cluster) => cluster === 'east' });
}
const request = { method: 'GET', target: `${PATH}?x=1`, headers: {}, path: PATH };

describe('content that another poller has', () => {
  it('is that of the first that has it, which is asked first from then on', async () => {
    const [first, second] = [await without(), await having('blob')];
    const peers = peersOf([first.name, second.name]);
    for (const _ of [1, 2]) {
      const answer = await peers.withContent(request);
      expect(answer).toMatchObject({ status: 200, headers: { etag: '"a"' } });
      expect(answer && (await text(answer.body))).toBe('blob');
    }
    expect([first.asked.length, second.asked.length]).toEqual([1, 2]);
  });

  it('is none where no poller has it', async () => {
    expect(await peersOf([(await without()).name]).withContent(request)).toBeUndefined();
  });

  it('is not known to be none while a poller does not answer', async () => {
    const others = [(await dead()).name, (await without()).name];
    await expect(peersOf(others).withContent(request)).rejects.toThrow(PeerUnreachable);
  });

  it('is found where one does not answer and another has it', async () => {
    const others = [(await dead()).name, (await having('blob')).name];
    expect(await peersOf(others).withContent(request)).toMatchObject({ status: 200 });
  });

  it('is not looked for where another poller asks: no request goes around', async () => {
    const other = await having('blob');
    const headers = { authorization: peerAuthorization(key, PATH) };
    expect(await peersOf([other.name]).withContent({ ...request, headers })).toBeUndefined();
    expect(other.asked).toEqual([]);
  });

  it('is asked of at most 32 pollers', async () => {
    const other = await without();
    const others = Array.from({ length: 50 }, (_, at) => peerName(`${at}`, `${other.url}/${at}`, key));
    await peersOf(others).withContent(request);
    expect(other.asked).toHaveLength(32);
  });
});

describe('a cluster that another poller works for', () => {
  it('is asked there, with a code for that one path and without the token of the client', async () => {
    const owner = await having('{}');
    const headers = { authorization: 'Bearer token-of-a-client-1234', accept: 'application/json', cookie: 'c' };
    const answer = await peersOf([], owner.name).ofCluster('east', { ...request, headers });
    expect(answer && (await text(answer.body))).toBe('{}');
    const [asked] = owner.asked;
    expect(asked?.url).toBe(`${PATH}?x=1`);
    expect(asked?.headers).toMatchObject({ accept: 'application/json' });
    expect(asked?.headers).not.toHaveProperty('cookie');
    const { authorization } = asked?.headers ?? {};
    expect([isFromPeer(key, PATH, authorization), isFromPeer(key, `${PATH}c`, authorization)]).toEqual([true, false]);
  });

  it.each([
    { because: 'the hub does not have the cluster', cluster: 'north', change: {} },
    {
      because: 'another poller asks',
      cluster: 'east',
      change: { headers: { authorization: peerAuthorization(key, PATH) } },
    },
  ])('is not asked where $because', async ({ cluster, change }) => {
    const owner = await having('{}');
    expect(await peersOf([], owner.name).ofCluster(cluster, { ...request, ...change })).toBeUndefined();
    expect(owner.asked).toEqual([]);
  });

  it('is not asked at an address that the hub’s key did not sign', async () => {
    const owner = await having('{}');
    const forged = peerName('id', owner.url, HubKey.random());
    expect(await peersOf([], forged).ofCluster('east', request)).toBeUndefined();
    expect(owner.asked).toEqual([]);
  });

  it('is an error that says where, while the poller does not answer', async () => {
    const owner = await dead();
    const failure = peersOf([], owner.name).ofCluster('east', request);
    await expect(failure).rejects.toThrow(`the poller at ${owner.url} does not answer for this one`);
  });

  it('an answer that breaks off is broken off for the client, too', async () => {
    const owner = await poller((response) => {
      response.writeHead(200).write('{"half');
      setImmediate(() => response.destroy());
    });
    const answer = await peersOf([], owner.name).ofCluster('east', request);
    await expect(text(answer?.body ?? Readable.from([]))).rejects.toThrow();
  });
});
