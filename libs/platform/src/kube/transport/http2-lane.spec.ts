import { once } from 'node:events';
import http2 from 'node:http2';
import net from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
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
  return { lane: new Http2Lane(session, { pingIntervalMs: 60_000, pingTimeoutMs: 60_000 }, listener), session, ended };
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
