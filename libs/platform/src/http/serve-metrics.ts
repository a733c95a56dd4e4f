import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Registry } from 'prom-client';
import { refusalHeaders } from '#core/kernel/http-access/admission';
import { HOST_REFUSAL, isHostAnswered } from '#core/kernel/http-access/host-rule';
import { HttpAccess } from './http-access.js';
import type { ServingTls } from './serving-tls.js';

type MetricsServerOptions = Readonly<{
  registry: Registry;
  access?: HttpAccess;
  bindAddress: string;
  /** Names of the service if it listens on loopback, in addition to `localhost`. */
  hosts: readonly string[];
  port: number;
  tls?: ServingTls;
}>;

type MetricsServer = Readonly<{ url: string; close(): Promise<void> }>;

/** Serves `/metrics` alone, at a port of its own. */
export async function serveMetrics(options: MetricsServerOptions): Promise<MetricsServer> {
  const { bindAddress, port, tls } = options;
  const listener = (request: IncomingMessage, response: ServerResponse) => {
    answer(options, request, response).catch(() => response.destroy());
  };
  const server = tls === undefined ? createServer(listener) : secureServer(tls, listener);
  server.listen(port, bindAddress);
  await once(server, 'listening');
  const address = server.address();
  const host = bindAddress.includes(':') ? `[${bindAddress}]` : bindAddress;
  return {
    url: `${tls === undefined ? 'http' : 'https'}://${host}:${typeof address === 'object' && address !== null ? address.port : port}`,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function secureServer(tls: ServingTls, listener: (request: IncomingMessage, response: ServerResponse) => void) {
  const server = createTlsServer(tls.options, listener);
  tls.renew(server);
  return server;
}

async function answer(
  { registry, access = HttpAccess.open(), bindAddress, hosts }: MetricsServerOptions,
  { method, url = '', headers }: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (!isHostAnswered(headers.host, bindAddress, hosts)) return send(response, 421, `${HOST_REFUSAL}\n`);
  if (url.replace(/\?.*$/, '') !== '/metrics') return send(response, 404, 'only /metrics is served at this port\n');
  if (method !== 'GET' && method !== 'HEAD') return send(response, 405, 'metrics are read with GET\n');
  const question = { area: 'metrics', path: '/metrics', authorization: headers.authorization } as const;
  const admission = await access.admit(question);
  if (!admission.admitted) return send(response, admission.status, `${admission.message}\n`);
  response.writeHead(200, { 'content-type': registry.contentType });
  response.end(method === 'HEAD' ? '' : await registry.metrics());
}

function send(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', ...refusalHeaders(status) });
  response.end(text);
}
