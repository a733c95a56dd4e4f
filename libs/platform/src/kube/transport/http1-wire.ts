import http from 'node:http';
import type net from 'node:net';
import type { Duplex } from 'node:stream';
import { TransportError, textOf } from './transport.error.js';
import type { Exchange, Wire, WireRequest } from './wire.js';

/** Keep-alive HTTP/1.1, for servers and proxies without HTTP/2. Watches have connections of their own. */
export class Http1Wire implements Wire {
  readonly protocol = 'http/1.1';
  readonly #short: DialAgent;
  readonly #long: DialAgent;
  #retired = false;

  constructor(
    private readonly server: URL,
    dial: () => Promise<net.Socket>,
    maxConnections: number,
  ) {
    this.#short = new DialAgent(dial, maxConnections);
    this.#long = new DialAgent(dial, Number.POSITIVE_INFINITY);
  }

  usable(): boolean {
    return !this.#retired;
  }

  retire(): void {
    this.#retired = true;
    for (const agent of [this.#short, this.#long]) agent.closeIdle();
  }

  destroy(): void {
    this.#retired = true;
    this.#short.destroy();
    this.#long.destroy();
  }

  send(request: WireRequest): Promise<Exchange> {
    return new Promise((resolve, reject) => {
      const message = http.request({
        method: request.method,
        path: request.path,
        host: this.server.hostname.replace(/^\[|\]$/g, ''),
        port: this.server.port || (this.server.protocol === 'https:' ? 443 : 80),
        headers: {
          ...request.headers,
          host: this.server.host,
          ...(request.body === undefined ? {} : { 'content-length': String(request.body.length) }),
        },
        agent: request.longLived ? this.#long : this.#short,
        signal: request.signal,
      });
      message.once('error', (error) => reject(failureOf(error)));
      message.once('response', (response) => {
        // The body's reader reports it too; without a listener here an abandoned body would end the process.
        response.on('error', () => undefined);
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: response,
          whole: () => response.complete,
          cancel: (reason) => response.destroy(reason instanceof Error ? reason : new Error(String(reason))),
        });
      });
      message.end(request.body);
    });
  }
}

function failureOf(error: Error): Error {
  if (error.name === 'AbortError' || error instanceof TransportError) return error;
  return new TransportError('lost', textOf(error));
}

class DialAgent extends http.Agent {
  constructor(
    private readonly dial: () => Promise<net.Socket>,
    maxSockets: number,
  ) {
    super({ keepAlive: true, keepAliveMsecs: 30_000, maxSockets, maxFreeSockets: 4 });
  }

  override createConnection(
    _options: unknown,
    ready?: (error: Error | null, stream: Duplex) => void,
  ): Duplex | null | undefined {
    this.dial().then(
      (socket) => ready?.(null, socket),
      // Node's typing wants a stream even with an error; Node itself passes none.
      (error: Error) => (ready as ((error: Error) => void) | undefined)?.(error),
    );
    return undefined;
  }

  closeIdle(): void {
    for (const sockets of Object.values(this.freeSockets)) for (const socket of sockets ?? []) socket.destroy();
  }
}
