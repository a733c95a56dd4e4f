import { createServer, request as httpRequest } from 'node:http';
import { connect, type Socket } from 'node:net';

/** An HTTP proxy in this process that leads every host name to ports of this machine. */
export type ForwardProxy = Readonly<{
  /** For HTTP_PROXY and HTTPS_PROXY. */
  url: string;
  /** Requests to the proxy: `CONNECT host:port`, or method and URL. */
  log: readonly string[];
  stop: () => Promise<void>;
}>;

/** Starts a proxy. `ports`: the ports that names lead to, by `host:port`. */
export async function startProxy(ports: Readonly<Record<string, number>>): Promise<ForwardProxy> {
  const log: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://none.example');
    log.push(`${request.method} ${url.href}`);
    const options = { host: '127.0.0.1', port: ports[url.host], path: url.pathname, method: request.method };
    const onwards = httpRequest({ ...options, headers: request.headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onwards.on('error', () => response.destroy());
    request.pipe(onwards);
  });
  server.on('connect', (request, client: Socket) => {
    log.push(`CONNECT ${request.url}`);
    const onwards = connect(ports[request.url ?? ''] ?? 1, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      client.pipe(onwards).pipe(client);
    });
    for (const socket of [client, onwards]) {
      sockets.add(socket);
      socket.on('error', () => client.destroy());
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = address !== null && typeof address === 'object' ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    log,
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
