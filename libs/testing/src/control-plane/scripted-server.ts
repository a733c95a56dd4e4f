import { once } from 'node:events';
import http from 'node:http';
import http2 from 'node:http2';
import https from 'node:https';
import type { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { TLSSocket } from 'node:tls';
import { servingCertificate } from '../cluster/server/certificates.js';

export type ScriptedRequest = Readonly<{
  method: string;
  path: string;
  headers: http.IncomingHttpHeaders;
  body: string;
  /** Common name of the client's certificate, if it has shown one. */
  client: string | undefined;
  /** 1 for the first connection that was made, and so on. */
  connection: number;
  /** The session of an HTTP/2 request. */
  session: http2.Http2Session | undefined;
  /** Refuses an HTTP/2 request before it is processed, or breaks the connection of another. */
  refuse(): void;
  /** Breaks the connection. */
  sever(): void;
}>;

export type ScriptedAnswer = Readonly<{
  status?: number;
  headers?: Record<string, string>;
  body?: string | Buffer;
  /** Leaves the answer open after the body. */
  open?: boolean;
}>;

export type ScriptedServerOptions = Readonly<{
  protocol: 'h2' | 'http/1.1' | 'plain http';
  /** Answers a request; undefined: never. */
  answer: (request: ScriptedRequest) => ScriptedAnswer | undefined | Promise<ScriptedAnswer | undefined>;
  settings?: http2.Settings;
  /** Asks clients for a certificate. */
  clientAuthority?: string;
}>;

export type ScriptedServer = Readonly<{
  url: URL;
  port: number;
  ca: string;
  /** How many there were. */
  connections(): number;
  openConnections(): number;
  stop(): Promise<void>;
}>;

/** Starts an HTTP server with answers that a test decides, for rare behaviour of well-behaved API servers. */
export async function startScriptedServer(options: ScriptedServerOptions): Promise<ScriptedServer> {
  const { caPem, certPem, keyPem } = await servingCertificate();
  const clients = options.clientAuthority
    ? { requestCert: true, rejectUnauthorized: false, ca: options.clientAuthority }
    : {};
  const sockets: Socket[] = [];
  const handle = (request: http2.Http2ServerRequest | http.IncomingMessage, response: Response) => {
    void respond(options, sockets, request, response);
  };
  const identity = { key: keyPem, cert: certPem, ...clients };
  const server = create(options, identity, handle);
  server.on(options.protocol === 'plain http' ? 'connection' : 'secureConnection', (socket: Socket) => {
    sockets.push(socket);
    socket.on('error', () => undefined);
  });
  server.on('sessionError', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: new URL(`${options.protocol === 'plain http' ? 'http' : 'https'}://127.0.0.1:${port}`),
    port,
    ca: caPem,
    connections: () => sockets.length,
    openConnections: () => sockets.filter(({ destroyed }) => !destroyed).length,
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      const closed = once(server, 'close');
      server.close();
      await closed;
    },
  };
}

type Response = http2.Http2ServerResponse | http.ServerResponse;

function create(
  options: ScriptedServerOptions,
  identity: https.ServerOptions,
  handle: (request: http2.Http2ServerRequest | http.IncomingMessage, response: Response) => void,
) {
  if (options.protocol === 'plain http') return http.createServer(handle);
  if (options.protocol === 'http/1.1') return https.createServer(identity, handle);
  return http2.createSecureServer({ ...identity, ...(options.settings ? { settings: options.settings } : {}) }, handle);
}

async function respond(
  options: ScriptedServerOptions,
  sockets: readonly Socket[],
  request: http2.Http2ServerRequest | http.IncomingMessage,
  response: Response,
): Promise<void> {
  const stream = 'stream' in request ? request.stream : undefined;
  stream?.on('error', () => undefined);
  // The socket of an HTTP/2 session is a proxy for the real one; both know the port they talk to.
  const socket = sockets.find(({ remotePort }) => remotePort === request.socket.remotePort);
  const answer = await options.answer({
    method: request.method ?? '',
    path: request.url ?? '',
    headers: request.headers,
    body: await textOf(request),
    client: socket === undefined ? undefined : commonName(socket),
    connection: socket === undefined ? 0 : sockets.indexOf(socket) + 1,
    session: stream?.session,
    refuse: () => (stream ? stream.close(http2.constants.NGHTTP2_REFUSED_STREAM) : socket?.destroy()),
    sever: () => socket?.destroy(),
  });
  if (answer === undefined || response.writableEnded || stream?.destroyed) return;
  const body = answer.body ?? '';
  const headers = { 'content-type': 'application/json', ...answer.headers };
  response.statusCode = answer.status ?? 200;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  const writable: Writable = response;
  if (answer.open === true) writable.write(body);
  else writable.end(body);
}

async function textOf(request: http2.Http2ServerRequest | http.IncomingMessage): Promise<string> {
  const body: Readable = request;
  return text(body);
}

function commonName(socket: Socket): string | undefined {
  if (!(socket instanceof TLSSocket)) return undefined;
  const name = socket.getPeerCertificate().subject?.CN;
  return Array.isArray(name) ? name[0] : name;
}
