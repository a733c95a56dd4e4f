import { once } from 'node:events';
import net from 'node:net';

/** A port before a server: a test can disturb the network there. */
export type TcpProxy = Readonly<{
  port: number;
  /** Breaks every open connection; new ones are let through. */
  cut(): void;
  /**
   * From now on nothing passes in either direction, though connections stay open and new ones are accepted.
   */
  stall(): void;
  /** Stops all traffic of the open connections, though they stay open; new connections are let through. */
  lose(): void;
  /** Breaks every open connection, and new ones at once, as a server that is not there. */
  refuse(): void;
  /** Ends `stall` and `refuse`. */
  resume(): void;
  /** How many connections were made so far. */
  connections(): number;
  stop(): Promise<void>;
}>;

/**
 * Starts a proxy. `passes`: called for each piece on its way to the server; if it returns false, the piece is
 * lost. `listenAt`: the address to listen at; loopback by default.
 */
export async function startTcpProxy(
  target: Readonly<{ host: string; port: number }>,
  passes: (piece: Buffer) => boolean = () => true,
  listenAt = '127.0.0.1',
): Promise<TcpProxy> {
  const sockets = new Set<net.Socket>();
  let stalled = false;
  let refusing = false;
  let count = 0;
  const keep = (socket: net.Socket) => {
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
    if (stalled) socket.pause();
  };
  const server = net.createServer((near) => {
    count += 1;
    if (refusing) {
      near.on('error', () => undefined).destroy();
      return;
    }
    const far = net.connect(target);
    keep(near);
    keep(far);
    join(near, far, passes);
    join(far, near);
  });
  server.listen(0, listenAt);
  await once(server, 'listening');
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: portOf(server),
    cut,
    stall: () => {
      stalled = true;
      for (const socket of sockets) socket.pause();
    },
    lose: () => {
      for (const socket of sockets) socket.removeAllListeners('data');
    },
    refuse: () => {
      refusing = true;
      cut();
    },
    resume: () => {
      stalled = false;
      refusing = false;
      for (const socket of sockets) socket.resume();
    },
    connections: () => count,
    stop: async () => {
      cut();
      await once(server.close(), 'close');
    },
  };
}

function portOf(server: net.Server): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** Joins two sockets like pipe(), but pipe() would resume a paused source by itself. */
function join(from: net.Socket, to: net.Socket, passes: (piece: Buffer) => boolean = () => true): void {
  from.on('data', (piece) => {
    if (passes(piece)) to.write(piece);
  });
  from.on('close', () => to.destroy());
}
