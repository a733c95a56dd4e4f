import { connect } from 'node:net';

const CONNECTED_WITHIN_MS = 2_500;

/**
 * Returns the reason that nothing listens at an address of this machine. Returns undefined if a server
 * listens, or if that is not known. The code of a request takes ten times as long to load, and is not needed
 * without a hub.
 */
export function notListening(hub: string): Promise<string | undefined> {
  const { hostname, port } = new URL(hub);
  const socket = connect({ host: hostname.replace(/^\[(.*)\]$/, '$1'), port: Number(port) });
  return new Promise((resolve) => {
    const settle = (because?: string) => {
      socket.destroy();
      resolve(because);
    };
    socket.setTimeout(CONNECTED_WITHIN_MS, () => settle());
    socket.once('connect', () => settle());
    socket.once('error', ({ code, message }: NodeJS.ErrnoException) =>
      settle(code === 'ECONNREFUSED' ? message : undefined),
    );
  });
}
