import { setTimeout as pause } from 'node:timers/promises';
import { DEFAULT_READ_LIMITS } from '#core/kernel/read-budget/read-limits';
import type { OutboundPolicy } from '../../outbound/outbound-policy.js';
import type { Route } from '../../outbound/route.js';
import { AnswerBytes, type AnswerLease } from './answer-bytes.js';
import { type ConnectionNeed, ConnectionNeeds } from './connection-needs.js';
import type { CredentialSource, Credentials, TlsIdentity } from './credentials.js';
import { type DialTarget, dial, withRoute } from './dial.js';
import { DIAL_TURNS, type DialTurns } from './dial-turns.js';
import { Http1Wire } from './http1-wire.js';
import { Http2Wire } from './http2-wire.js';
import { readBody } from './read-body.js';
import { RequestEnd } from './request-end.js';
import { TransportError, textOf } from './transport.error.js';
import type { Exchange, RequestHeaders, Wire, WireRequest } from './wire.js';

export type TransportOptions = Readonly<{
  server: URL;
  credentials: CredentialSource;
  /** The way to the server. Default: directly. */
  route?: Route;
  /** Allowed addresses of the proxy, if people without rights in the hub name it. Default: any. */
  proxyPolicy?: OutboundPolicy;
  /** Allowed addresses of the server itself. */
  serverPolicy?: OutboundPolicy;
  userAgent?: string;
  /** Longest time for one request with all its tries. */
  requestTimeoutMs?: number;
  connectTimeoutMs?: number;
  /**
   * Larger answers are refused, and so much of all answers is read at a time. Counted after decompression.
   */
  maxResponseBytes?: number;
  /** Tries of one request that the server turned away with 429 or 5xx and Retry-After. */
  maxTries?: number;
  pingIntervalMs?: number;
  pingTimeoutMs?: number;
  /** Time after which connections without a request or watch are closed; the next one opens them again. */
  idleMs?: number;
  /** Asks for gzip; worth it on slow networks, costs CPU on both ends. */
  compress?: boolean;
  sleep?: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  /** Called with the time of reading; resolves when the cluster may be read again. */
  rest?: (workMs: number) => Promise<void> | undefined;
  /** Turns for opening connections. Default: those of the process. */
  turns?: DialTurns;
}>;

export type ApiRequest = Readonly<{
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Absolute path and query, without the prefix that the server's URL may have. */
  path: string;
  headers?: RequestHeaders;
  body?: string;
  signal?: AbortSignal;
  /** Ends the request as `signal` does. */
  until?: AbortSignal;
  /** True if only a watch waits for the answer. */
  background?: boolean;
}>;

export type ApiResponse = Readonly<{ status: number; headers: Exchange['headers']; text: string }>;

type Tuning = Required<Omit<TransportOptions, 'server' | 'credentials' | 'route' | 'proxyPolicy' | 'serverPolicy'>>;

const DEFAULTS: Tuning = {
  userAgent: 'flotilla',
  requestTimeoutMs: 60_000,
  connectTimeoutMs: 10_000,
  maxResponseBytes: DEFAULT_READ_LIMITS.answerBytes,
  maxTries: 5,
  pingIntervalMs: 30_000,
  pingTimeoutMs: 15_000,
  idleMs: 30_000,
  compress: true,
  sleep: async (milliseconds: number, signal: AbortSignal) => {
    await pause(milliseconds, undefined, { signal });
  },
  rest: () => undefined,
  turns: DIAL_TURNS,
};

const MAX_HTTP2_SESSIONS = 4;
const MAX_HTTP1_CONNECTIONS = 16;
const LONGEST_RETRY_AFTER_MS = 30_000;

type Attempts = { turnedAway: number; lost: number; refused: number; renewed: boolean; used?: Credentials };

/** The pooled way to one API server: connections are shared by all requests and watches of the cluster. */
export class HttpTransport {
  readonly server: URL;
  readonly #options: Tuning & Readonly<{ credentials: CredentialSource }>;
  readonly #prefix: string;
  readonly #target: DialTarget;
  readonly #closing = new AbortController();
  readonly #running = new Set<RequestEnd>();
  readonly #reading: AnswerBytes;
  readonly #needs = new ConnectionNeeds();
  #wire: { identity: TlsIdentity; ready: Promise<Wire> } | undefined;
  /** Number of active requests and watches. */
  #users = 0;
  #idle: NodeJS.Timeout | undefined;

  constructor(options: TransportOptions) {
    this.#options = { ...DEFAULTS, ...options };
    this.server = options.server;
    this.#reading = new AnswerBytes(this.#options.maxResponseBytes, this.#options.rest);
    this.#prefix = options.server.pathname.replace(/\/+$/, '');
    this.#target = {
      server: options.server,
      connectTimeoutMs: this.#options.connectTimeoutMs,
      turns: this.#options.turns,
      needs: this.#needs,
      signal: this.#closing.signal,
      ...(options.route === undefined ? {} : { route: options.route }),
      ...(options.proxyPolicy === undefined ? {} : { proxyPolicy: options.proxyPolicy }),
      ...(options.serverPolicy === undefined ? {} : { serverPolicy: options.serverPolicy }),
    };
  }

  /** Returns the reason the credentials are useless now. Returns undefined if nothing is known. */
  credentialsFault(): string | undefined {
    return this.#options.credentials.fault?.(new Date());
  }

  /** One request with its whole answer, whatever its status. Fails with a TransportError only. */
  async request(request: ApiRequest): Promise<ApiResponse> {
    this.#enter();
    const end = new RequestEnd(this.#options.requestTimeoutMs, callersOf(request), this.#running);
    const { signal } = end;
    try {
      this.#closing.signal.throwIfAborted();
      return await this.#persist(request, signal, async (exchange) => {
        const lease = this.lease();
        const bounds = { limit: this.#options.maxResponseBytes, lease, signal };
        const text = await readBody(exchange, bounds).finally(() => lease.release());
        return { status: exchange.status, headers: exchange.headers, text };
      });
    } catch (error) {
      throw this.#explain(error, end.expired);
    } finally {
      end.release();
      this.#exit();
    }
  }

  /**
   * The answer as it comes, for watches. The deadline holds until the head of the answer is there; then
   * `signal` and `until` alone end it. The caller must destroy the body.
   */
  async stream(request: ApiRequest): Promise<Exchange> {
    this.#enter();
    const end = new RequestEnd(this.#options.requestTimeoutMs, callersOf(request), this.#running);
    const exit = () => {
      end.release();
      this.#exit();
    };
    try {
      this.#closing.signal.throwIfAborted();
      const exchange = await this.#persist(request, end.signal, (found) => Promise.resolve(found), true);
      end.begun(exchange.cancel);
      if (exchange.body.closed) exit();
      else exchange.body.once('close', exit);
      return exchange;
    } catch (error) {
      exit();
      throw this.#explain(error, end.expired);
    }
  }

  /** The work needs the cluster soon: a connection that it waits for comes before those of other clusters. */
  hurried<T>(work: () => Promise<T>): Promise<T> {
    return this.#needs.during('pass', work);
  }

  /** Returns the part of an answer that the caller reads in the bytes that are read at a time. */
  lease(): AnswerLease {
    return this.#reading.lease();
  }

  /** The protocol that was agreed with the server; undefined before the first connection. */
  async protocol(): Promise<Wire['protocol'] | undefined> {
    return (await this.#wire?.ready)?.protocol;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    clearTimeout(this.#idle);
    for (const end of this.#running) end.abort(this.#closing.signal.reason);
    this.#options.credentials.close?.();
    const wire = await this.#wire?.ready.catch(() => undefined);
    wire?.destroy();
  }

  #enter(): void {
    this.#users += 1;
    clearTimeout(this.#idle);
    this.#idle = undefined;
  }

  #exit(): void {
    this.#users -= 1;
    if (this.#users > 0 || this.#closing.signal.aborted) return;
    this.#idle = setTimeout(() => this.#rest(), this.#options.idleMs).unref();
  }

  /** Closes idle sessions: each takes about a hundred kilobytes. */
  #rest(): void {
    const held = this.#wire;
    this.#wire = undefined;
    void held?.ready.then((wire) => wire.retire()).catch(() => undefined);
  }

  async #persist<T>(
    request: ApiRequest,
    signal: AbortSignal,
    take: (exchange: Exchange) => Promise<T>,
    longLived = false,
  ): Promise<T> {
    const attempts: Attempts = { turnedAway: 0, lost: 0, refused: 0, renewed: false };
    for (;;) {
      signal.throwIfAborted();
      try {
        const need = needOf(request, longLived);
        const exchange = await this.#needs.during(need, () => this.#send(request, signal, { longLived, attempts }));
        const wait = this.#waitBeforeRetry(exchange, attempts);
        if (wait === undefined) return await take(exchange);
        exchange.body.destroy();
        await this.#options.sleep(wait, signal);
      } catch (error) {
        const wait = waitBeforeRepeat(error, request, attempts);
        if (wait === undefined) throw error;
        await this.#options.sleep(wait, signal);
      }
    }
  }

  /** Returns the milliseconds until the request is sent again. Returns undefined if the answer is final. */
  #waitBeforeRetry(exchange: Exchange, attempts: Attempts): number | undefined {
    if (exchange.status === 401 && !attempts.renewed && this.#options.credentials.forget(attempts.used)) {
      attempts.renewed = true;
      return 0;
    }
    const delay = retryDelay(exchange.status, exchange.headers['retry-after']);
    if (delay === undefined || delay > this.#options.requestTimeoutMs) return undefined;
    attempts.turnedAway += 1;
    return attempts.turnedAway < this.#options.maxTries ? delay : undefined;
  }

  async #send(
    request: ApiRequest,
    signal: AbortSignal,
    { longLived, attempts }: Readonly<{ longLived: boolean; attempts: Attempts }>,
  ): Promise<Exchange> {
    const { credentials, wire } = await abortable(signal, async () => {
      const current = await this.#credentials();
      signal.throwIfAborted();
      return { credentials: current, wire: await this.#connect(current.tls) };
    });
    attempts.used = credentials;
    const message: WireRequest = {
      method: request.method,
      path: this.#prefix + request.path,
      headers: {
        accept: 'application/json',
        'user-agent': this.#options.userAgent,
        ...(this.#options.compress && !longLived ? { 'accept-encoding': 'gzip' } : {}),
        ...credentials.headers,
        ...request.headers,
      },
      signal,
      longLived,
      ...(request.body === undefined ? {} : { body: Buffer.from(request.body) }),
    };
    return wire.send(message);
  }

  async #credentials() {
    try {
      return await this.#options.credentials.current();
    } catch (error) {
      throw new TransportError('credentials', textOf(error));
    }
  }

  async #connect(identity: TlsIdentity): Promise<Wire> {
    const held = this.#wire;
    if (held !== undefined && held.identity === identity) {
      const wire = await held.ready;
      if (wire.usable()) return wire;
    }
    if (this.#wire !== held) return this.#connect(identity);
    // New credentials need new connections; active requests on the old ones may end.
    void held?.ready.then((wire) => wire.retire()).catch(() => undefined);
    const ready = this.#negotiate(identity);
    const next = { identity, ready };
    this.#wire = next;
    ready.catch(() => {
      if (this.#wire === next) this.#wire = undefined;
    });
    return ready;
  }

  async #negotiate(identity: TlsIdentity): Promise<Wire> {
    const http1 = () =>
      new Http1Wire(this.server, () => dial(this.#target, identity, ['http/1.1']), MAX_HTTP1_CONNECTIONS);
    if (this.server.protocol !== 'https:') return http1();
    const socket = await dial(this.#target, identity, ['h2', 'http/1.1']);
    if (!('alpnProtocol' in socket) || socket.alpnProtocol !== 'h2') {
      socket.destroy();
      return http1();
    }
    return new Http2Wire(
      this.server.origin,
      () => dial(this.#target, identity, ['h2']),
      { ...this.#options, maxSessions: MAX_HTTP2_SESSIONS },
      socket,
    );
  }

  #explain(error: unknown, expired: boolean): unknown {
    if (this.#closing.signal.aborted) return new TransportError('closed', 'the client was closed');
    const aborted = error instanceof Error && (error.name === 'AbortError' || error.name === 'TimeoutError');
    if (!aborted) return error instanceof TransportError ? error : new TransportError('lost', textOf(error));
    if (!expired) return error;
    const login = this.#options.credentials.pending?.();
    if (login !== undefined) return new TransportError('credentials', login);
    const late = new TransportError('timeout', `no answer within ${this.#options.requestTimeoutMs / 1000} s`);
    return withRoute(late, this.#target.route);
  }
}

const callersOf = ({ signal, until }: ApiRequest): readonly AbortSignal[] =>
  [signal, until].filter((one) => one !== undefined);

function needOf({ method, background = false }: ApiRequest, longLived: boolean): ConnectionNeed {
  if (method !== 'GET') return 'pass';
  return background || longLived ? 'watch' : 'read';
}

const MAX_REPEATS = 8;

/**
 * Returns the milliseconds until a request without an answer is sent again. Returns undefined if it must not
 * be sent again. If the server provably did not process the request, every method is retried. Otherwise only
 * GET is retried, once.
 */
function waitBeforeRepeat(error: unknown, request: ApiRequest, attempts: Attempts): number | undefined {
  if (!(error instanceof TransportError)) return undefined;
  if (error.failure === 'lost' && request.method === 'GET') {
    attempts.lost += 1;
    return attempts.lost === 1 ? 0 : undefined;
  }
  if (error.failure !== 'not-processed') return undefined;
  attempts.refused += 1;
  return attempts.refused <= MAX_REPEATS ? 2 ** attempts.refused : undefined;
}

/** Waits for shared work without being held up by it after `signal`. */
function abortable<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    work()
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', stop));
  });
}

/**
 * Returns the milliseconds that an overloaded server asks us to wait, at most 30 s. Returns undefined if it
 * does not ask. As client-go does: 429 and 5xx are tried again only with a Retry-After header. This applies
 * to every method, since the server says that it did nothing.
 */
export function retryDelay(status: number, header: string | string[] | undefined): number | undefined {
  if (status !== 429 && status < 500) return undefined;
  const seconds = Number(Array.isArray(header) ? header[0] : header);
  if (header === undefined || !Number.isFinite(seconds) || seconds < 0) return undefined;
  return Math.min(seconds * 1000, LONGEST_RETRY_AFTER_MS);
}
