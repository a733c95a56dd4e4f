import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A proxy of SOCKS5 in this process that leads every host name to ports of this machine. */
export type SocksProxy = Readonly<{
  url: string;
  port: number;
  /** The servers that it was asked for: `host:port`. */
  log: readonly string[];
  stop: () => Promise<void>;
}>;

type SocksOptions = Readonly<{
  /** The ports that names lead to, by `host:port`. Default: the same port of this machine. */
  ports?: Readonly<Record<string, number>>;
  /** Receives the requests to the proxy. */
  log?: string[];
  /** The login that it wants, `user:password`. Default: none. */
  login?: string;
  /** The answer to each request in place of a connection, such as 2: not allowed by the rules. */
  reply?: number;
}>;

/** Plays the server's half of RFC 1928 and RFC 1929. */
export async function startSocksProxy({ ports = {}, log = [], login, reply }: SocksOptions = {}): Promise<SocksProxy> {
  const sockets = new Set<Socket>();
  const server = createServer(async (near) => {
    sockets.add(near);
    near.on('error', () => undefined);
    const next = async () => (await once(near, 'data'))[0] as Buffer;
    if (!(await admits(near, next, login))) return near.end();
    const request = await next();
    const target = `${hostOf(request)}:${request.readUInt16BE(request.length - 2)}`;
    log.push(target);
    near.write(Uint8Array.of(5, reply ?? 0, 0, 1, 0, 0, 0, 0, 0, 0));
    if (reply !== undefined) return near.end();
    const far = connect(ports[target] ?? request.readUInt16BE(request.length - 2), '127.0.0.1');
    sockets.add(far);
    far.on('error', () => near.destroy());
    near.pipe(far).pipe(near);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `socks5://127.0.0.1:${port}`,
    port,
    log,
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

function hostOf(request: Buffer): string {
  const type = request[3];
  if (type === 3) return request.subarray(5, 5 + (request[4] ?? 0)).toString();
  if (type === 1) return [...request.subarray(4, 8)].join('.');
  return Array.from({ length: 8 }, (_, group) => request.readUInt16BE(4 + group * 2).toString(16)).join(':');
}

/** Plays the choice of a method, and the login if one is wanted. */
async function admits(near: Socket, next: () => Promise<Buffer>, login: string | undefined): Promise<boolean> {
  const method = login === undefined ? 0 : 2;
  const offered = await next();
  const isOffered = offered.subarray(2).includes(method);
  near.write(Uint8Array.of(5, isOffered ? method : 255));
  if (!isOffered || login === undefined) return isOffered;
  const said = await next();
  const user = said.subarray(2, 2 + (said[1] ?? 0)).toString();
  const isRight = `${user}:${said.subarray(3 + user.length)}` === login;
  near.write(Uint8Array.of(1, isRight ? 0 : 1));
  return isRight;
}
