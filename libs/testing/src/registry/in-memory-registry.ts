import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { digestOf } from '#platform/content/digest';
import { parseImageReference } from '#platform/registry/client/image-reference';
import type { BuiltImage } from '#platform/registry/image-builder';
import { authorize, type RequiredLogin, TOKEN } from './registry-login.js';
import { RegistryState, withLastByteChanged } from './registry-state.js';

export type RegistryCounters = Readonly<{
  total: number;
  /** GET and HEAD of manifests. */
  manifests: number;
  /** GET of blobs. */
  blobs: number;
}>;

export type FailNext = Readonly<{
  status?: number;
  /** How many requests fail; one by default. */
  times?: number;
  /** Pattern of the path: only matching requests fail. */
  path?: RegExp;
  headers?: Readonly<Record<string, string>>;
  body?: string;
  /** Instead of an answer the connection is cut: at once, or in the middle of the body. */
  cut?: 'before' | 'within';
  /**
   * Instead of an answer there is silence, at once or from the middle of the body on, until the client goes.
   */
  hang?: 'before' | 'within';
  /** `changed`: the last byte of the answer is changed. `endless`: 200, and bytes until the client goes. */
  hostile?: 'changed' | 'endless';
}>;

export type RegistryOptions = Readonly<{
  port?: number;
  /** Serves HTTPS; with `clientCa` only to clients that show a certificate of that authority. All PEM. */
  tls?: Readonly<{ cert: string; key: string; clientCa?: string }>;
  /** True if the API of referrers is there; by default it is not, as in older registries. */
  referrers?: boolean;
  /** True if `Range` requests are honoured, as by default. */
  ranges?: boolean;
}>;

/** A distribution registry in this process, on a loopback port. */
export type InMemoryRegistry = Readonly<{
  /** `127.0.0.1:PORT`, the first part of references to its images. */
  host: string;
  url: string;
  /** Puts an image without a request; the reference may leave out the host. Gives the manifest's digest. */
  put: (reference: string, image: BuiltImage) => string;
  /** Puts any document as manifest: indexes, broken ones. */
  putManifest: (reference: string, mediaType: string, bytes: Uint8Array) => string;
  /** Puts a blob. With a digest that is not its own, as a registry that has lost or damaged it. */
  putBlob: (bytes: Uint8Array, digest?: string) => string;
  requests: RegistryCounters;
  /** Paths of all requests so far, with method. */
  log: readonly string[];
  /** `Authorization` of all requests so far; empty if there was none. */
  authorizations: readonly string[];
  /** `Range` of the requests that had one. */
  ranges: readonly string[];
  failNext: (failure: FailNext) => void;
  /** Fails every request that matches, until the returned function is called. */
  failAll: (failure: FailNext) => () => void;
  /** From now on the blob or manifest is served with its last byte changed. */
  corrupt: (digest: string) => void;
  /**
   * Asks for this login from now on: by token as most registries do, or by basic authentication. The password
   * serves as identity token, too.
   */
  requireAuth: (login: RequiredLogin, scheme?: 'bearer' | 'basic') => void;
  /** The access token that the registry gives and takes. */
  token: string;
  stop: () => Promise<void>;
}>;

export async function startRegistry(options: RegistryOptions = {}): Promise<InMemoryRegistry> {
  const registry = new RegistryServer(options);
  await registry.listen(options.port ?? 0);
  const { host, state } = registry;
  const repositoryOf = (reference: string) => {
    const parsed = parseImageReference(reference.startsWith(`${host}/`) ? reference : `${host}/${reference}`);
    return { repository: parsed.repository, tag: parsed.digest === undefined ? parsed.tag : undefined };
  };
  const putManifest = (reference: string, mediaType: string, bytes: Uint8Array) => {
    const { repository, tag } = repositoryOf(reference);
    return state.putManifest(repository, tag, mediaType, bytes);
  };
  return {
    host,
    url: `${options.tls ? 'https' : 'http'}://${host}`,
    putManifest,
    putBlob: (bytes, digest) => state.putBlob(bytes, digest),
    put: (reference, image) => {
      for (const blob of [image.config, ...image.layers]) state.putBlob(blob.bytes);
      return putManifest(reference, image.manifest.mediaType, image.manifest.bytes);
    },
    requests: registry.counters,
    log: registry.log,
    authorizations: registry.authorizations,
    ranges: registry.ranges,
    failNext: (failure) => registry.failures.push({ times: 1, ...failure }),
    failAll: (failure) => {
      const pending = { ...failure, times: Number.POSITIVE_INFINITY };
      registry.failures.push(pending);
      return () => {
        registry.failures = registry.failures.filter((one) => one !== pending);
      };
    },
    corrupt: (digest) => void state.corrupted.add(digest),
    requireAuth: (login, scheme = 'bearer') => {
      registry.login = { ...login, scheme };
    },
    token: TOKEN,
    stop: () => registry.stop(),
  };
}

type PendingFailure = FailNext & { times: number };

class RegistryServer {
  readonly state = new RegistryState();
  readonly counters = { total: 0, manifests: 0, blobs: 0 };
  readonly log: string[] = [];
  readonly authorizations: string[] = [];
  readonly ranges: string[] = [];
  readonly #uploads = new Map<string, Buffer>();
  failures: PendingFailure[] = [];
  login: (RequiredLogin & { scheme: 'bearer' | 'basic' }) | undefined;
  host = '';
  readonly #server: Server;

  constructor(private readonly options: RegistryOptions) {
    const answer = (request: IncomingMessage, response: ServerResponse) => {
      this.#answer(request, response).catch((error: unknown) =>
        response.destroy(error instanceof Error ? error : undefined),
      );
    };
    const { tls } = options;
    const asked = tls?.clientCa === undefined ? {} : { ca: tls.clientCa, requestCert: true, rejectUnauthorized: true };
    this.#server =
      tls === undefined ? createServer(answer) : createTlsServer({ cert: tls.cert, key: tls.key, ...asked }, answer);
  }

  async listen(port: number): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject).listen(port, '127.0.0.1', resolve);
    });
    const address: AddressInfo | string | null = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('the registry has no port');
    this.host = `127.0.0.1:${address.port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', `http://${this.host}`);
    const method = request.method ?? 'GET';
    const body = await bodyOf(request);
    this.#count(method, url.pathname, request);
    const failure = this.#nextFailure(url.pathname);
    if (failure !== undefined && failAtOnce(failure, response)) return;
    if (!authorize({ login: this.login, host: this.host, url, header: request.headers.authorization, body }, response))
      return;
    const route =
      url.pathname === '/v2/' ? [] : /^\/v2\/(.+?)\/(manifests|blobs|tags|referrers)\/(.+)$/.exec(url.pathname);
    const [, repository = '', kind = '', name = ''] = route ?? [];
    if (route?.length === 0) response.writeHead(200).end('{}');
    else if (kind === 'manifests')
      this.#manifest({ method, repository, name, type: request.headers['content-type'], body, failure }, response);
    else if (kind === 'blobs' && name.startsWith('uploads')) this.#upload(method, url, repository, body, response);
    else if (kind === 'blobs') this.#blob({ method, name, range: request.headers.range, failure }, response);
    else this.#list(kind, repository, name, response);
  }

  #list(kind: string, repository: string, name: string, response: ServerResponse): void {
    if (kind === 'tags') response.end(JSON.stringify({ name: repository, tags: this.state.tags(repository) }));
    else if (kind === 'referrers' && this.options.referrers)
      response.end(Buffer.from(this.state.referrers(repository, name)));
    else problem(response, 404, 'NAME_UNKNOWN');
  }

  #count(method: string, path: string, { headers }: IncomingMessage): void {
    this.log.push(`${method} ${path}`);
    this.authorizations.push(headers.authorization ?? '');
    if (headers.range !== undefined) this.ranges.push(headers.range);
    this.counters.total++;
    if (path.includes('/manifests/') && method !== 'PUT') this.counters.manifests++;
    if (path.includes('/blobs/sha256:') && method === 'GET') this.counters.blobs++;
  }

  #nextFailure(path: string): FailNext | undefined {
    const failure = this.failures.find((candidate) => candidate.path?.test(path) ?? true);
    if (failure === undefined) return undefined;
    failure.times--;
    this.failures = this.failures.filter(({ times }) => times > 0);
    return failure;
  }

  #manifest(
    {
      method,
      repository,
      name,
      type,
      body,
      failure,
    }: {
      method: string;
      repository: string;
      name: string;
      type: string | undefined;
      body: Buffer;
      failure: FailNext | undefined;
    },
    response: ServerResponse,
  ): void {
    if (method === 'PUT') {
      const digest = this.state.putManifest(
        repository,
        name.startsWith('sha256:') ? undefined : name,
        type ?? '',
        body,
      );
      response
        .writeHead(201, { 'docker-content-digest': digest, location: `/v2/${repository}/manifests/${digest}` })
        .end();
      return;
    }
    const manifest = this.state.manifest(repository, name);
    if (manifest === undefined) {
      problem(response, 404, 'MANIFEST_UNKNOWN');
      return;
    }
    const headers = { 'content-type': manifest.mediaType, 'docker-content-digest': manifest.digest };
    response.writeHead(200, { ...headers, 'content-length': manifest.bytes.length });
    if (method === 'HEAD') response.end();
    else sendBody(response, manifest.bytes, failure);
  }

  #blob(
    {
      method,
      name,
      range,
      failure,
    }: { method: string; name: string; range?: string | undefined; failure?: FailNext | undefined },
    response: ServerResponse,
  ): void {
    const bytes = this.state.blob(name);
    if (bytes === undefined) {
      problem(response, 404, 'BLOB_UNKNOWN');
      return;
    }
    const from = this.options.ranges === false ? undefined : /^bytes=(\d+)-$/.exec(range ?? '')?.[1];
    const part = bytes.subarray(Number(from ?? 0));
    response.writeHead(from === undefined ? 200 : 206, {
      'content-type': 'application/octet-stream',
      'content-length': part.length,
      ...(from === undefined ? {} : { 'content-range': `bytes ${from}-${bytes.length - 1}/${bytes.length}` }),
    });
    if (method === 'HEAD') response.end();
    else sendBody(response, part, failure);
  }

  /** POST begins an upload, PATCH appends to it, PUT appends and ends it. */
  #upload(method: string, url: URL, repository: string, body: Buffer, response: ServerResponse): void {
    const id = method === 'POST' ? `${this.counters.total}` : (url.pathname.split('/').at(-1) ?? '');
    const bytes = Buffer.concat([this.#uploads.get(id) ?? Buffer.alloc(0), body]);
    if (method === 'POST' || method === 'PATCH') {
      this.#uploads.set(id, bytes);
      const location = `/v2/${repository}/blobs/uploads/${id}?state=begun`;
      response.writeHead(202, { location, range: `0-${Math.max(bytes.length - 1, 0)}` }).end();
      return;
    }
    const digest = url.searchParams.get('digest');
    if (method !== 'PUT' || digestOf(bytes) !== digest) {
      problem(response, method === 'PUT' ? 400 : 405, method === 'PUT' ? 'DIGEST_INVALID' : 'UNSUPPORTED');
      return;
    }
    this.#uploads.delete(id);
    this.state.putBlob(bytes);
    response.writeHead(201, { location: `/v2/${repository}/blobs/${digest}`, 'docker-content-digest': digest }).end();
  }
}

/** True if the failure was the whole answer; a failure within a body comes later. */
function failAtOnce({ cut, hang, hostile, status, headers, body }: FailNext, response: ServerResponse): boolean {
  if (cut === 'within' || hang === 'within' || hostile === 'changed') return false;
  if (cut === 'before') response.destroy();
  else if (hostile === 'endless') sendWithoutEnd(response);
  else if (hang === undefined) response.writeHead(status ?? 500, headers).end(body ?? '');
  return true;
}

function sendBody(response: ServerResponse, bytes: Uint8Array, failure: FailNext | undefined): void {
  if (failure === undefined) response.end(bytes);
  else if (failure.hostile === 'changed') response.end(withLastByteChanged(bytes));
  else {
    response.write(bytes.subarray(0, Math.ceil(bytes.length / 2)), () => {
      if (failure.cut === 'within') response.destroy();
    });
  }
}

const PIECE = Buffer.alloc(1 << 16, ' ');

/**
 * As fast as the client reads. An answer to HEAD has no body: Node takes pieces of it without end, and at
 * once.
 */
function sendWithoutEnd(response: ServerResponse): void {
  response.on('error', () => undefined);
  response.writeHead(200, { 'content-type': 'application/octet-stream' });
  if (response.req.method === 'HEAD') response.end();
  else pieces().pipe(response);
}

const pieces = (): Readable =>
  new Readable({
    read() {
      this.push(PIECE);
    },
  });

export function problem(response: ServerResponse, status: number, code: string): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ errors: [{ code, message: code.toLowerCase().replaceAll('_', ' ') }] }));
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}
