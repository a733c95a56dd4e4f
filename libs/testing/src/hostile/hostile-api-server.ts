import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createSecureServer, type Http2ServerRequest } from 'node:http2';
import { request as httpsRequest } from 'node:https';
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from 'node:net';
import { servingCertificate } from '../cluster/server/certificates.js';
import type { Attack, AttackedRequest } from './attacks.js';

export type HostileApiServer = Readonly<{
  port: number;
  /** PEM of the authority of its certificate. */
  ca: string;
  /** From now on: this attack, or none. Connections that are open end. */
  attack(attack: Attack | undefined): void;
  stop(): Promise<void>;
}>;

/** Headers of HTTP/1.1 for one connection. HTTP/2 does not know them. */
const OF_CONNECTION = new Set(['connection', 'keep-alive', 'transfer-encoding', 'upgrade', 'host', 'http2-settings']);

/** Starts an API server that passes every request on to a simulated cluster, until an attack is chosen. */
export async function startHostileApiServer(simulated: URL): Promise<HostileApiServer> {
  const { caPem: ca, certPem: cert, keyPem: key } = await servingCertificate();
  let current: Attack | undefined;
  const server = createSecureServer({ cert, key, allowHTTP1: true }, (incoming, outgoing) => {
    outgoing.on('error', () => undefined);
    incoming.on('error', () => undefined);
    const response = outgoing as unknown as ServerResponse;
    const target = targetOf(incoming);
    if (current?.answer?.(target, response) === true) incoming.resume();
    else forward(simulated, incoming, response);
  });
  server.on('sessionError', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const inner = portOf(server.address());
  const sockets = new Set<Socket>();
  // In front of TLS: attacks on the handshake never reach the server.
  const front = createTcpServer((socket) => {
    const both = [socket];
    sockets.add(socket.on('error', () => undefined).on('close', () => sockets.delete(socket)));
    if (current?.connect?.(socket) === true) return;
    const upstream = connect(inner, '127.0.0.1').on('error', () => undefined);
    both.push(upstream);
    const closeBoth = () => {
      for (const one of both) one.destroy();
    };
    for (const one of both) one.on('close', closeBoth);
    socket.pipe(upstream).pipe(socket);
  });
  front.listen(0, '127.0.0.1');
  await once(front, 'listening');
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: portOf(front.address()),
    ca,
    attack: (attack) => {
      current = attack;
      cut();
    },
    stop: async () => {
      front.close();
      server.close();
      cut();
    },
  };
}

function targetOf(incoming: IncomingMessage | Http2ServerRequest): AttackedRequest {
  const url = new URL(incoming.url ?? '/', 'https://localhost');
  return {
    method: incoming.method ?? 'GET',
    path: url.pathname.replace(/^\/clusters\/[^/]+/, ''),
    query: url.searchParams,
  };
}

function forward(simulated: URL, incoming: IncomingMessage | Http2ServerRequest, response: ServerResponse): void {
  const headers = Object.entries(incoming.headers).filter(
    ([name]) => !name.startsWith(':') && !OF_CONNECTION.has(name),
  );
  const onward = httpsRequest(
    new URL(incoming.url ?? '/', simulated),
    { method: incoming.method, headers: Object.fromEntries(headers), rejectUnauthorized: false, agent: false },
    (answer) => {
      const known = Object.entries(answer.headers).filter(([name]) => !OF_CONNECTION.has(name));
      response.writeHead(answer.statusCode ?? 502, Object.fromEntries(known));
      answer.on('error', () => response.destroy());
      answer.pipe(response);
    },
  );
  onward.on('error', () => response.destroy());
  response.on('close', () => onward.destroy());
  incoming.pipe(onward);
}

const portOf = (address: AddressInfo | string | null): number =>
  typeof address === 'object' && address !== null ? address.port : 0;
