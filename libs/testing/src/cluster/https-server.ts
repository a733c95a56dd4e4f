import { X509Certificate } from 'node:crypto';
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { createSecureServer, type Http2SecureServer, type Http2ServerRequest } from 'node:http2';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { Refusal } from './objects/refusal.js';
import type { OpenWatch } from './server/api-handler.js';
import { MAX_BODY_BYTES, type SimulatedRequest, type SimulatedResponse } from './server/api-request.js';
import type { LoopbackCertificate } from './server/certificates.js';
import type { SimulatedCluster } from './simulated-cluster.js';

type Incoming = IncomingMessage | Http2ServerRequest;
/** Common part of HTTP/1.1's and HTTP/2's responses. */
type Outgoing = Pick<ServerResponse, 'writableLength' | 'flushHeaders' | 'destroyed'> & {
  writeHead(code: number, headers: OutgoingHttpHeaders): unknown;
  setHeader(name: string, value: readonly string[]): unknown;
  write(chunk: string): boolean;
  end(chunk?: string | Buffer): unknown;
  on(event: 'close' | 'error', listener: () => void): unknown;
};
/** A client's TCP connection, its certificate, and the clusters it has asked. */
type Connection = { socket: Socket; certificate?: X509Certificate | undefined; clusters: Set<string> };

const PREFIX = /^\/clusters\/([^/]+)(\/.*)?$/;

/** One HTTPS port, HTTP/2 and HTTP/1.1, for all clusters of a fleet: each under `/clusters/<name>`. */
export class HttpsServer {
  readonly #server: Http2SecureServer;
  readonly #connections = new Set<Connection>();
  /**
   * Connections by the client's port; the next connection may have the same port. Requests only see a
   * stand-in of their socket.
   */
  readonly #byPort = new Map<number, Connection>();
  /** Authorities that sign client certificates. */
  readonly #authorities: X509Certificate[] = [];
  #closing = false;

  constructor(
    certificate: LoopbackCertificate,
    readonly clusterOf: (name: string) => SimulatedCluster | undefined,
  ) {
    const { certPem: cert, keyPem: key } = certificate;
    const settings = { maxConcurrentStreams: 1000 };
    // kube-apiserver ends a watch if its reader is behind, and refuses no other request for it. Node refuses
    // with ENHANCE_YOUR_CALM when so many MB wait in a session, and cuts the session after a hundred.
    const maxSessionMemory = 1024;
    // As kube-apiserver: any certificate is taken, and checked with each request.
    const clients = { requestCert: true, rejectUnauthorized: false };
    const options = { cert, key, allowHTTP1: true, settings, maxSessionMemory, ...clients };
    this.#server = createSecureServer(options, (request, response) => {
      void this.#serve(request, response as unknown as Outgoing);
    });
    this.#server.on('secureConnection', (socket: TLSSocket) => {
      const connection = this.#byPort.get(socket.remotePort ?? 0);
      if (connection !== undefined) connection.certificate = socket.getPeerX509Certificate();
    });
    this.#server.on('connection', (socket) => this.#remember(socket));
    this.#server.on('sessionError', () => undefined);
  }

  listen(port: number): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, '127.0.0.1', () => {
        const address = this.#server.address();
        resolve(typeof address === 'object' && address !== null ? address.port : port);
      });
    });
  }

  /** For the connections that are opened from now on. */
  useCertificate({ certPem: cert, keyPem: key }: Pick<LoopbackCertificate, 'certPem' | 'keyPem'>): void {
    this.#server.setSecureContext({ cert, key });
  }

  /** Takes certificates that the authority has signed for those of administrators. */
  trustClients(authorityPem: string): void {
    this.#authorities.push(new X509Certificate(authorityPem));
  }

  /** Cuts every connection that has carried a request for the cluster, without a goodbye. */
  drop(cluster: string): void {
    for (const { socket, clusters } of this.#connections) if (clusters.has(cluster)) socket.resetAndDestroy();
  }

  close(): Promise<void> {
    this.#closing = true;
    for (const { socket } of this.#connections) socket.destroy();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }

  #remember(socket: Socket): void {
    socket.on('error', () => undefined);
    // A connection that nothing ends would hold up the end of the server for ever.
    if (this.#closing) {
      socket.destroy();
      return;
    }
    const port = socket.remotePort ?? 0;
    const connection: Connection = { socket, clusters: new Set() };
    this.#connections.add(connection);
    this.#byPort.set(port, connection);
    socket.on('close', () => {
      this.#connections.delete(connection);
      if (this.#byPort.get(port) === connection) this.#byPort.delete(port);
    });
  }

  async #serve(incoming: Incoming, outgoing: Outgoing): Promise<void> {
    outgoing.on('error', () => undefined);
    try {
      const [cluster, request] = await this.#read(incoming);
      await cluster.admitted(request);
      const answer = cluster.handle(request);
      if (answer === undefined) return;
      if ('watch' in answer) this.#watch(cluster, answer, request, outgoing);
      else respond(outgoing, answer, request.method);
    } catch (error) {
      const refusal = error instanceof Refusal ? error : new Refusal(500, 'InternalError', String(error));
      const { retryAfterSeconds } = refusal.body.details ?? {};
      if (retryAfterSeconds !== undefined) outgoing.setHeader('retry-after', [String(retryAfterSeconds)]);
      respond(outgoing, { code: refusal.body.code, body: refusal.body }, incoming.method ?? 'GET');
    }
  }

  async #read(incoming: Incoming): Promise<[SimulatedCluster, SimulatedRequest]> {
    const url = new URL(incoming.url ?? '/', 'https://localhost');
    const [, name = '', path = '/'] = PREFIX.exec(url.pathname) ?? [];
    const cluster = this.clusterOf(name);
    if (cluster === undefined)
      throw new Refusal(404, 'NotFound', `this simulated fleet has no cluster at ${url.pathname}`);
    const connection = this.#byPort.get(incoming.socket.remotePort ?? 0);
    connection?.clusters.add(name);
    const headers = Object.entries(incoming.headers).map(([header, value]) => [
      header,
      Array.isArray(value) ? value.join(', ') : value,
    ]);
    const body = await readBody(incoming);
    const request = {
      method: incoming.method ?? 'GET',
      path,
      query: url.searchParams,
      headers: Object.fromEntries(headers),
      body,
      certificateUntil: this.#validUntil(connection?.certificate),
    };
    return [cluster, request];
  }

  #validUntil(certificate: X509Certificate | undefined): Date | undefined {
    const signed = (by: X509Certificate) => certificate?.verify(by.publicKey) === true;
    return this.#authorities.some(signed) ? certificate?.validToDate : undefined;
  }

  #watch(cluster: SimulatedCluster, opened: OpenWatch, request: SimulatedRequest, outgoing: Outgoing): void {
    outgoing.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-cache, private' });
    outgoing.flushHeaders();
    const sink = {
      write: (line: string) => void outgoing.write(line),
      end: () => void outgoing.end(),
      backlog: () => outgoing.writableLength,
    };
    const stream = cluster.openWatch(opened, request.query, sink);
    outgoing.on('close', () => stream.end());
  }
}

async function readBody(incoming: Incoming): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of incoming) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) {
      throw new Refusal(413, 'RequestEntityTooLarge', `Request entity too large: limit is ${MAX_BODY_BYTES}`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function respond(
  outgoing: Outgoing,
  { code, body, warnings = [], contentType }: SimulatedResponse,
  method: string,
): void {
  if (outgoing.destroyed) return;
  const text = typeof body === 'string' || Buffer.isBuffer(body) ? body : `${JSON.stringify(body)}\n`;
  const headers: OutgoingHttpHeaders = {
    'content-type': typeof body === 'string' ? 'text/plain; charset=utf-8' : (contentType ?? 'application/json'),
    'content-length': String(Buffer.byteLength(text)),
    'cache-control': 'no-cache, private',
  };
  if (warnings.length > 0) {
    const texts = warnings.map((warning) => `299 - ${JSON.stringify(warning)}`);
    outgoing.setHeader('warning', texts);
  }
  outgoing.writeHead(code, headers);
  outgoing.end(method === 'HEAD' ? '' : text);
}
