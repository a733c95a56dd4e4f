import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PATIENCE_MS } from '#testing/patience';
import type { OutboundPolicy } from '../../outbound/outbound-policy.js';
import { MessageSender } from './message-sender.js';

const LOOPBACK: OutboundPolicy = { addresses: ['loopback'], registryHosts: [], grpcHosts: [] };
const PUBLIC: OutboundPolicy = { ...LOOPBACK, addresses: ['public'] };

describe('messages to a receiver', () => {
  let server: Server;
  let host: string;
  let answer: (response: ServerResponse) => void;
  beforeEach(async () => {
    server = createServer((request, response) => {
      request.resume();
      answer(response);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterEach(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  const send = (options: Partial<ConstructorParameters<typeof MessageSender>[0]> = {}) =>
    new MessageSender({ hosts: [host], policy: LOOPBACK, timeoutMs: PATIENCE_MS, ...options }).send({
      ...{ url: `http://${host}/hush-path`, headers: { 'content-type': 'application/json' }, body: '{}' },
    });

  it.each([
    ['any success', 204, {}, {}],
    ['an error', 500, {}, { failure: 'HOST answers 500', afterMs: undefined }],
    ['a wrong address', 404, {}, { failure: 'HOST answers 404: check the Secret of the receiver', afterMs: undefined }],
    [
      'a message that is too long',
      413,
      {},
      { failure: 'HOST answers 413: the message is too long: shorten spec.template', afterMs: undefined },
    ],
    ['too many messages', 429, { 'retry-after': '30' }, { failure: 'HOST answers 429', afterMs: 30_000 }],
    ['a pause that is no number', 503, { 'retry-after': 'soon' }, { failure: 'HOST answers 503', afterMs: undefined }],
  ])('get %s', async (_what, status, headers, outcome) => {
    answer = (response) => response.writeHead(status, headers).end('x'.repeat(100_000));
    expect(JSON.parse(JSON.stringify(await send()).replaceAll(host, 'HOST'))).toEqual(
      JSON.parse(JSON.stringify(outcome)),
    );
  });

  it.each([
    ['follow no redirect', (response: ServerResponse) => response.writeHead(302, { location: 'http://other/' }).end()],
    ['survive a lost connection', (response: ServerResponse) => response.destroy()],
  ])('%s, and name the host alone', async (_what, answers) => {
    answer = answers;
    const { failure } = await send();
    expect(failure).toContain(host);
    expect(failure).not.toContain('hush');
  });

  it('go to no address with a password, and do not name it', async () => {
    answer = () => expect.unreachable();
    const sender = new MessageSender({ hosts: [host], policy: LOOPBACK, timeoutMs: PATIENCE_MS });
    const { failure } = await sender.send({ url: `http://hush:hush@${host}/`, headers: {}, body: '{}' });
    expect(failure).toBe('its address has a user name or a password: correct the Secret of the receiver');
  });

  it('do not wait for ever', async () => {
    answer = () => undefined;
    expect((await send({ timeoutMs: 200 })).failure).toBe(`${host} gave no answer within 0.2 s`);
  });

  it('go to no host and no address that the hub does not allow', async () => {
    answer = () => expect.unreachable();
    const setting = /is not allowed by the hub \(FLOTILLA_NOTIFICATION_HOSTS\): /;
    expect((await send({ hosts: [] })).failure).toMatch(setting);
    expect((await send({ hosts: ['other.example'] })).failure).toMatch(setting);
    expect((await send({ policy: PUBLIC })).failure).toMatch(
      /is not allowed by the hub \(FLOTILLA_OUTBOUND_ADDRESSES\)/,
    );
  });
});
