import { once } from 'node:events';
import http2 from 'node:http2';
import net from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { PATIENCE } from '#testing/patience';
import { Http2Lane } from './http2-lane.js';

const endings: (() => void)[] = [];

afterEach(() => {
  for (const end of endings.splice(0)) end();
});

/** A lane on a connection that is open already, as the transport makes it. */
async function laneOnOpenConnection() {
  const server = http2.createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const socket = net.connect(typeof address === 'object' && address !== null ? address.port : 0, '127.0.0.1');
  await once(socket, 'connect');
  endings.push(
    () => socket.destroy(),
    () => server.close(),
  );
  const session = http2.connect('http://127.0.0.1', { createConnection: () => socket });
  const ended: string[] = [];
  const listener = { onOpen: () => undefined, onRoom: () => undefined, onEnd: () => ended.push('ended') };
  return {
    lane: new Http2Lane(session, socket, { pingIntervalMs: 60_000, pingTimeoutMs: 60_000 }, listener),
    session,
    ended,
  };
}

describe('a lane', () => {
  it('that is destroyed before it has its connection ends, and no other one with it', async () => {
    const { lane, session, ended } = await laneOnOpenConnection();
    lane.destroy();
    // As the runtime does: it emits one tick late, and does not take the event back.
    session.emit('connect', session, session.socket);
    await expect.poll(() => ended).toEqual(['ended']);
    expect(lane.open).toBe(false);
  });
});

const frame = (type: number, stream: number, payload: Buffer, flags = 0): Buffer => {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
};
const SETTINGS = frame(4, 0, Buffer.alloc(0));
const OK = frame(1, 1, Buffer.from([0x88]), 4);
/** Of the first request, by its flags. */
const HEADERS = [0x05, 0x25].map((flags) => Buffer.from([1, flags, 0, 0, 0, 1]));
const PADDED = 8;
const padded = Buffer.concat([Buffer.from([200]), Buffer.from('x'), Buffer.alloc(200)]);

/** A server that answers the first request, if there is one, and then sends a frame again and again. */
async function laneToFlood(flood: Buffer, begins: 'at once' | 'with the answer' = 'at once') {
  const server = net.createServer((socket) => {
    socket.on('error', () => undefined);
    socket.write(SETTINGS);
    // Slow enough for the limits that the library has.
    const many = Buffer.concat(Array.from({ length: Math.ceil(8_192 / flood.length) }, () => flood));
    const begin = () => {
      const sending = setInterval(() => socket.write(many), 5);
      socket.once('close', () => clearInterval(sending));
    };
    if (begins === 'at once') begin();
    socket.on('data', (data) => {
      if (!HEADERS.some((head) => data.includes(head))) return;
      socket.write(OK);
      if (begins === 'with the answer') begin();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = net.connect((server.address() as net.AddressInfo).port, '127.0.0.1');
  await once(socket, 'connect');
  endings.push(
    () => socket.destroy(),
    () => server.close(),
  );
  const session = http2.connect('http://127.0.0.1', { createConnection: () => socket });
  const errors: string[] = [];
  session.on('error', (error) => errors.push(error.message));
  const listener = { onOpen: () => undefined, onRoom: () => undefined, onEnd: () => undefined };
  const ping = { pingIntervalMs: 60_000, pingTimeoutMs: 60_000 };
  return { lane: new Http2Lane(session, socket, ping, listener, 200), errors };
}

const send = (lane: Http2Lane, signal: AbortSignal) =>
  lane.send({ method: 'GET', path: '/api', headers: {}, signal, longLived: true });

describe('a server that sends frames without end that are no answers', () => {
  it.each([
    ['SETTINGS', SETTINGS],
    ['PING', frame(6, 0, Buffer.alloc(8))],
    ['ALTSVC', frame(10, 0, Buffer.concat([Buffer.from([0, 8]), Buffer.from('http://a'), Buffer.from('h2=":1"')]))],
    ['WINDOW_UPDATE', frame(8, 0, Buffer.from([0, 0, 0, 1]))],
    ['frames of no known type', frame(0xfa, 0, Buffer.alloc(100))],
  ])('loses its connection: %s, while nothing is asked of it', async (_, flood) => {
    const { lane, errors } = await laneToFlood(flood);
    await expect.poll(() => lane.open, PATIENCE).toBe(false);
    // The library ends it by itself if too many of its own frames wait to be sent.
    const said = /^(the server sent \d+ KiB of HTTP\/2 frames that are not answers in 0\.2 s|Flooding was detected.*)$/;
    await expect.poll(() => errors.join(), PATIENCE).toMatch(said);
  });

  it('loses it while a watch rests on the connection', async () => {
    const { lane } = await laneToFlood(frame(8, 0, Buffer.from([0, 0, 0, 1])));
    const watch = await send(lane, new AbortController().signal);
    const failed = once(watch.body, 'error');
    expect(String((await failed)[0])).toMatch(/frames that are not answers/);
  });

  it('loses it when it pads an answer that was given up', async () => {
    // Data of a stream that is not open yet would be an error of the protocol.
    const { lane } = await laneToFlood(frame(0, 1, padded, PADDED), 'with the answer');
    const watch = await send(lane, new AbortController().signal);
    watch.body.on('error', () => undefined).destroy();
    await expect.poll(() => lane.open, PATIENCE).toBe(false);
  });
});

it('a server that answers at length, or in small pieces, keeps its connection', async () => {
  const server = http2.createServer({}, (_, answer) => {
    for (let piece = 0; piece < 2_000; piece += 1) answer.write(Buffer.alloc(piece % 100));
    answer.end(Buffer.alloc(4 * 2 ** 20));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = net.connect((server.address() as net.AddressInfo).port, '127.0.0.1');
  await once(socket, 'connect');
  endings.push(
    () => socket.destroy(),
    () => server.close(),
  );
  const session = http2.connect('http://127.0.0.1', { createConnection: () => socket });
  const listener = { onOpen: () => undefined, onRoom: () => undefined, onEnd: () => undefined };
  const lane = new Http2Lane(session, socket, { pingIntervalMs: 60_000, pingTimeoutMs: 60_000 }, listener, 5);
  for (let request = 0; request < 5; request += 1) {
    const { body } = await send(lane, new AbortController().signal);
    for await (const _ of body);
  }
  expect(lane.open).toBe(true);
});
