import net from 'node:net';
import { proxyLogin } from './proxy-login.js';
import { TransportError } from './transport.error.js';

const VERSION = 5;
const NO_AUTHENTICATION = 0;
const USER_PASSWORD = 2;
const DOMAIN_NAME = 3;

/**
 * SOCKS5 CONNECT (RFC 1928), with user and password (RFC 1929) where the proxy URL has them. Names
 * are resolved by the proxy.
 */
export async function openSocksTunnel(
  proxy: URL,
  { host, port, signal }: Readonly<{ host: string; port: number; signal: AbortSignal }>,
  lookup?: net.LookupFunction,
): Promise<net.Socket> {
  const at = { host: proxy.hostname.replace(/^\[|\]$/g, ''), port: Number(proxy.port || 1080) };
  const socket = net.connect({ ...at, ...(lookup && { lookup }) });
  const refuse = (why: string) => new TransportError('unreachable', `the SOCKS proxy ${proxy.host} ${why}`);
  signal.addEventListener('abort', () => socket.destroy(refuse('does not answer')));
  try {
    const read = reader(socket);
    const method = proxy.username === '' ? NO_AUTHENTICATION : USER_PASSWORD;
    socket.write(Uint8Array.of(VERSION, 1, method));
    const [, chosen] = await read(2);
    if (chosen !== method) throw refuse('wants another way of authentication');
    if (method === USER_PASSWORD) await authenticate(socket, read, proxy, refuse);
    const name = Buffer.from(host);
    socket.write(
      Buffer.concat([
        Buffer.from([VERSION, 1, 0, DOMAIN_NAME, name.length]),
        name,
        Buffer.from([port >> 8, port & 255]),
      ]),
    );
    const [, reply, , addressType] = await read(4);
    if (reply !== 0) throw refuse(`cannot connect to ${host}:${port} (reply ${reply})`);
    await read(addressLength(addressType, addressType === DOMAIN_NAME ? (await read(1))[0] : 0) + 2);
    return socket;
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

async function authenticate(
  socket: net.Socket,
  read: (length: number) => Promise<Buffer>,
  proxy: URL,
  refuse: (why: string) => TransportError,
): Promise<void> {
  const login = proxyLogin(proxy);
  const [user, password] = [Buffer.from(login.user), Buffer.from(login.password)];
  socket.write(Buffer.concat([Buffer.from([1, user.length]), user, Buffer.from([password.length]), password]));
  if ((await read(2))[1] !== 0) throw refuse('refused the user and password of proxy-url');
}

function addressLength(type: number | undefined, nameLength: number | undefined): number {
  if (type === 1) return 4;
  if (type === 4) return 16;
  return nameLength ?? 0;
}

/** Reads exactly so many bytes; what comes later stays in the socket for its next owner. */
function reader(socket: net.Socket): (length: number) => Promise<Buffer> {
  return async (length) => {
    for (;;) {
      const bytes: unknown = socket.read(length);
      if (bytes instanceof Buffer && bytes.length === length) return bytes;
      if (bytes !== null || socket.readableEnded) throw new TransportError('unreachable', 'the SOCKS proxy hung up');
      await new Promise<void>((resolve, reject) => {
        const settle = (error?: Error) => {
          socket.off('readable', settle).off('end', settle).off('error', settle);
          if (error instanceof Error) reject(error);
          else resolve();
        };
        socket.once('readable', settle).once('end', settle).once('error', settle);
      });
    }
  };
}
