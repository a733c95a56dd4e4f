import { setTimeout as pause } from 'node:timers/promises';
import type { Refuse } from './image/image-manifest.js';
import type { ImageReference } from './image-reference.js';
import { basic, isLoopback, parseChallenge, type TokenQuery, tokenOf, tokenRequest } from './registry-auth.js';
import { type PullOptions, RegistryError, type RegistryFailure } from './registry-client.port.js';
import { loginFor } from './registry-credentials.js';
import type { RegistryLimits } from './registry-limits.js';

export type TransportOptions = Readonly<{
  limits: RegistryLimits;
  /** Hosts (with port) spoken to in plain HTTP, besides loopback. */
  plainHttpHosts: ReadonlySet<string>;
}>;

/** One pull or push: what it is about, who does it, when it must have ended. */
export type Session = Readonly<{
  reference: ImageReference;
  credentials: PullOptions['credentials'];
  action: 'pull' | 'pull,push';
  signal: AbortSignal;
  refuse: Refuse;
}>;

export type RegistryRequest = Readonly<{
  method?: 'GET' | 'HEAD' | 'POST' | 'PUT';
  headers?: Readonly<Record<string, string>>;
  body?: Uint8Array;
}>;

/** An answer that says "not now": the request is made again. */
class TryAgain extends Error {
  constructor(
    readonly failure: RegistryError,
    readonly afterMs?: number,
  ) {
    super(failure.message);
  }
}

const MAX_RETRY_AFTER_MS = 30_000;
const MAX_TOKENS = 1000;
const MAX_TOKEN_BYTES = 1024 * 1024;

/** HTTP to registries: scheme, authentication, retries, and errors in words. Holds no state but tokens. */
export class RegistryTransport {
  readonly #tokens = new Map<string, { authorization: string; expires: number }>();

  constructor(private readonly options: TransportOptions) {}

  /** Runs one pull or push with its time limit. */
  async session<T>(
    reference: ImageReference,
    options: PullOptions,
    action: Session['action'],
    work: (session: Session) => Promise<T>,
  ): Promise<T> {
    const refuse: Refuse = (failure, message) =>
      new RegistryError(failure, reference.text, `image ${reference.text}: ${message}`);
    const { pullMs } = this.options.limits;
    const deadline = new AbortController();
    const late = refuse('Unreachable', `not done after ${pullMs} ms: check the network, or raise the time limit`);
    const timer = setTimeout(() => deadline.abort(late), pullMs);
    const signal = options.signal ? AbortSignal.any([options.signal, deadline.signal]) : deadline.signal;
    try {
      return await work({ reference, credentials: options.credentials, action, signal, refuse });
    } finally {
      clearTimeout(timer);
    }
  }

  /** URL of a path below the reference's repository. */
  url({ host, repository }: ImageReference, path: string): URL {
    const name = host === 'docker.io' ? 'registry-1.docker.io' : host;
    return new URL(`${this.#scheme(name)}://${name}/v2/${repository}/${path}`);
  }

  #scheme(host: string): 'http' | 'https' {
    return isLoopback(new URL(`http://${host}`).hostname) || this.options.plainHttpHosts.has(host) ? 'http' : 'https';
  }

  /** The answer, of status 2xx. The body is not read yet. */
  send(session: Session, url: URL, request: RegistryRequest): Promise<Response> {
    return this.retrying(session, () => this.#attempt(session, url, request));
  }

  /** An answer with its whole body, which must not be longer than `limit` bytes. */
  document(
    session: Session,
    url: URL,
    request: RegistryRequest,
    limit: number,
  ): Promise<{ headers: Headers; bytes: Uint8Array }> {
    return this.retrying(session, async () => {
      const { body, headers } = await this.send(session, url, request);
      const bytes = await boundedBytes(body, limit, session.refuse).catch((error: unknown) => {
        throw error instanceof RegistryError ? error : this.brokenConnection(session, url, error);
      });
      return { headers, bytes };
    });
  }

  /** Does `work`; what fails as unreachable is done again a few times. Everything else is thrown at once. */
  async retrying<T>(session: Session, work: () => Promise<T>): Promise<T> {
    const { attempts, retryDelayMs } = this.options.limits;
    for (let attempt = 1; ; attempt++) {
      try {
        return await work();
      } catch (error) {
        session.signal.throwIfAborted();
        if (!(error instanceof TryAgain)) throw error;
        if (attempt >= attempts) throw error.failure;
        const delay = error.afterMs ?? retryDelayMs * 2 ** (attempt - 1) * (0.75 + Math.random() / 2);
        await pause(delay, undefined, { signal: session.signal }).catch(() => session.signal.throwIfAborted());
      }
    }
  }

  async #attempt(session: Session, url: URL, request: RegistryRequest): Promise<Response> {
    const response = await this.#fetch(session, url, request, this.#known(session, url));
    if (response.status !== 401) return this.#accepted(session, url, response);
    await response.body?.cancel();
    const authorization = await this.#authorize(session, url, response.headers.get('www-authenticate') ?? '');
    return this.#accepted(session, url, await this.#fetch(session, url, request, authorization));
  }

  #tokenKey({ reference, credentials, action }: Session, url: URL): string {
    const login = loginFor(reference, credentials);
    return JSON.stringify([url.host, reference.repository, action, login?.username, login?.password]);
  }

  #known(session: Session, url: URL): string | undefined {
    const token = this.#tokens.get(this.#tokenKey(session, url));
    return token !== undefined && token.expires > performance.now() ? token.authorization : undefined;
  }

  async #authorize(session: Session, url: URL, header: string): Promise<string> {
    const login = loginFor(session.reference, session.credentials);
    const challenge = parseChallenge(header);
    if (challenge.scheme === 'basic' && login !== undefined) {
      return this.#remember(session, url, basic(login), 3600);
    }
    if (challenge.scheme !== 'bearer') throw unauthorized(session, url, login !== undefined);
    const scope = `repository:${session.reference.repository}:${session.action}`;
    const { value, seconds } = await this.#token(session, { challenge, scope, login });
    return this.#remember(session, url, `Bearer ${value}`, seconds - 10);
  }

  #remember(session: Session, url: URL, authorization: string, seconds: number): string {
    if (this.#tokens.size >= MAX_TOKENS) this.#tokens.clear();
    this.#tokens.set(this.#tokenKey(session, url), { authorization, expires: performance.now() + seconds * 1000 });
    return authorization;
  }

  async #token(session: Session, query: TokenQuery) {
    const request = tokenRequest(query, session.refuse);
    const url = new URL(request.url);
    const response = await this.#guarded(session, url, (signal) => fetch(request, { signal }));
    if ([400, 401, 403].includes(response.status)) {
      await response.body?.cancel();
      throw unauthorized(session, url, query.login !== undefined);
    }
    const { body } = await this.#accepted(session, url, response);
    const bytes = await boundedBytes(body, MAX_TOKEN_BYTES, session.refuse);
    return tokenOf(parseOrUndefined(bytes), session.refuse);
  }

  #fetch(session: Session, url: URL, request: RegistryRequest, authorization: string | undefined): Promise<Response> {
    const headers = new Headers({ 'user-agent': 'flotilla', 'accept-encoding': 'identity', ...request.headers });
    if (authorization !== undefined) headers.set('authorization', authorization);
    const body = request.body === undefined ? null : Buffer.from(request.body);
    return this.#guarded(session, url, (signal) =>
      fetch(url, { method: request.method ?? 'GET', headers, body, signal }),
    );
  }

  /** One request with a deadline for its first byte; a broken connection becomes a failure that says where. */
  async #guarded(session: Session, url: URL, start: (signal: AbortSignal) => Promise<Response>): Promise<Response> {
    const { requestMs } = this.options.limits;
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(new Error(`no answer within ${requestMs} ms`)), requestMs);
    try {
      return await start(AbortSignal.any([session.signal, deadline.signal]));
    } catch (error) {
      session.signal.throwIfAborted();
      throw this.brokenConnection(session, url, error);
    } finally {
      clearTimeout(timer);
    }
  }

  /** A failed connection as an error that `retrying` takes up again. */
  brokenConnection(session: Session, url: URL, error: unknown): TryAgain {
    return new TryAgain(
      session.refuse(
        'Unreachable',
        `cannot reach registry ${url.host} (${networkReason(error)}): check the host name, the network and the proxy`,
      ),
    );
  }

  async #accepted(session: Session, url: URL, response: Response): Promise<Response> {
    if (response.ok) return response;
    const { status } = response;
    const detail = registryMessage(await boundedBytes(response.body, 64 * 1024, session.refuse).catch(() => undefined));
    if (status === 401 || status === 403) {
      throw unauthorized(session, url, loginFor(session.reference, session.credentials) !== undefined);
    }
    const [failure, advice] = meaningOf(status, session);
    const error = session.refuse(failure, `registry ${url.host} answered ${status}${detail}: ${advice}`);
    if (status === 429 || status >= 500) throw new TryAgain(error, retryAfter(response));
    throw error;
  }
}

function meaningOf(status: number, { reference }: Session): readonly [RegistryFailure, string] {
  if (status === 404) return ['NotFound', `repository "${reference.repository}" has no such image: check name and tag`];
  if (status === 429) return ['Unreachable', 'too many requests: use a pull secret with a higher quota, or wait'];
  if (status >= 500) return ['Unreachable', 'the registry has a fault of its own: tried several times, try later'];
  return ['Malformed', 'is this host an image registry?'];
}

function unauthorized(session: Session, url: URL, hadLogin: boolean): RegistryError {
  const why = hadLogin
    ? `the credentials given for ${session.reference.host} were refused by ${url.host}: renew the pull secret, or check that the repository exists`
    : `${url.host} asks for a login and no credentials were given for ${session.reference.host}: name a pull secret`;
  return session.refuse('Unauthorized', why);
}

function retryAfter(response: Response): number | undefined {
  const seconds = Number.parseInt(response.headers.get('retry-after') ?? '', 10);
  return Number.isNaN(seconds) ? undefined : Math.min(Math.max(seconds, 0) * 1000, MAX_RETRY_AFTER_MS);
}

/** Reads a body up to a bound. */
async function boundedBytes(body: Response['body'], limit: number, refuse: Refuse): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body ?? []) {
    length += chunk.length;
    if (length > limit) throw refuse('TooLarge', `an answer of the registry is larger than ${limit} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

const parseOrUndefined = (bytes: Uint8Array): unknown => {
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch {
    return undefined;
  }
};

/** The distribution specification's error code, such as ` MANIFEST_UNKNOWN`; nothing where the body is of another kind. */
function registryMessage(bytes: Uint8Array | undefined): string {
  const text = bytes === undefined ? '' : Buffer.from(bytes).toString('utf8');
  const code = /"code"\s*:\s*"([A-Z_]{1,64})"/.exec(text)?.[1];
  return code === undefined ? '' : ` ${code}`;
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  ENOTFOUND: 'no such host',
  EAI_AGAIN: 'name lookup failed',
  ETIMEDOUT: 'connection timed out',
  UND_ERR_CONNECT_TIMEOUT: 'connection timed out',
  UND_ERR_SOCKET: 'connection broken',
};

function networkReason(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  return REASONS[code] ?? (cause instanceof Error ? cause.message : String(cause));
}
