import type { Headers, Response } from 'undici';
import { FlotillaError } from '#core/kernel/errors/flotilla.error';
import { isAddressRefusal } from '../../outbound/checked-lookup.js';
import { addressRefusal } from '../../outbound/outbound-policy.js';
import type { RegistryError } from '../client/registry-client.port.js';
import type { RegistryLimits } from '../client/registry-limits.js';
import { isWebPage, networkReason, refusalOf, registryMessage, retryAfterMs } from './answers.js';
import type { Connections } from './connections.js';
import { isLoopback } from './registry-auth.js';
import type { RegistryRequest } from './registry-request.js';
import type { Session } from './session.js';

/** An answer that says "not now": the request is made again. */
export class TryAgain extends Error {
  constructor(
    readonly failure: RegistryError,
    readonly afterMs?: number,
  ) {
    super(failure.message);
  }
}

const MAX_REDIRECTS = 5;
/** A slower line than this is given up while a body is sent. */
const SENT_BYTES_PER_MS = 64;

/**
 * Sends single HTTP requests. Decides the connection, the time limit and the allowed redirects. Knows nothing
 * of logins or retries.
 */
export class HttpExchange {
  constructor(
    private readonly connections: Connections,
    private readonly limits: RegistryLimits,
    /** Hosts (with port) spoken to in plain HTTP, besides loopback; `*`: all. */
    private readonly plainHttpHosts: ReadonlySet<string>,
  ) {}

  scheme(host: string): 'http' | 'https' {
    const isPlain = this.plainHttpHosts.has('*') || this.plainHttpHosts.has(host);
    return isPlain || isLoopback(new URL(`http://${host}`).hostname) ? 'http' : 'https';
  }

  /**
   * The answer after a few redirects at most, and the host that gave it. `authorization` is
   * sent to its own host only.
   */
  async follow(
    session: Session,
    url: URL,
    request: RegistryRequest,
    authorization: string | undefined,
  ): Promise<Readonly<{ response: Response; from: URL }>> {
    // Loaded with the first request: a resolver makes none, and other services make none at their start.
    const { Headers } = await import('undici');
    const headers = new Headers({ 'user-agent': 'flotilla', 'accept-encoding': 'identity', ...request.headers });
    if (authorization !== undefined) headers.set('authorization', authorization);
    let from = url;
    for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
      const response = await this.#send(session, from, request, headers);
      const location = response.headers.get('location');
      if (![301, 302, 303, 307, 308].includes(response.status) || location === null) return { response, from };
      await response.body?.cancel();
      const next = this.#next(session, from, location, { method: request.method ?? 'GET', status: response.status });
      if (next.origin !== from.origin) {
        if (request.isSecret) throw notFollowed(session, from, `${next.host} with a secret in the body`);
        headers.delete('authorization');
      }
      from = next;
    }
    throw session.refuse('NotARegistry', `registry ${url.host} redirects more than ${MAX_REDIRECTS} times`);
  }

  #next(session: Session, from: URL, location: string, asked: Readonly<{ method: string; status: number }>): URL {
    const refuse = (why: string) => notFollowed(session, from, why);
    if (!URL.canParse(location, from.href)) throw refuse('a text that is not a URL');
    const next = new URL(location, from);
    if (next.protocol !== 'https:' && next.protocol !== 'http:') throw refuse(`a ${next.protocol} address`);
    if (isLoopback(next.hostname) && !isLoopback(from.hostname)) throw refuse('this machine itself');
    if (from.protocol === 'https:' && next.protocol === 'http:' && this.scheme(next.host) === 'https') {
      throw refuse(`${next.host} without TLS`);
    }
    const keepsMethod = asked.status === 307 || asked.status === 308;
    if (!keepsMethod && asked.method !== 'GET' && asked.method !== 'HEAD') throw refuse(`${next.host} during a push`);
    return next;
  }

  /**
   * Sends one request with a deadline for its first byte. A broken connection becomes a failure that names
   * the place.
   */
  async #send(session: Session, url: URL, request: RegistryRequest, headers: Headers): Promise<Response> {
    const allowedMs = this.limits.requestMs + (request.body?.length ?? 0) / SENT_BYTES_PER_MS;
    const deadline = new AbortController();
    const late = new Error(`no answer within ${Math.round(allowedMs)} ms`);
    const timer = setTimeout(() => deadline.abort(late), allowedMs);
    try {
      const { fetch } = await import('undici');
      const dispatcher = await this.connections.to(url);
      const signal = AbortSignal.any([session.signal, deadline.signal]);
      const { method = 'GET', body = null } = request;
      return await fetch(url, { method, headers, body, signal, dispatcher, redirect: 'manual' });
    } catch (error) {
      session.signal.throwIfAborted();
      if (isAddressRefusal(error)) throw session.refuse('NotAllowed', addressRefusal(url.host));
      throw error instanceof FlotillaError ? error : broken(session, url, error, this.connections.way(url));
    } finally {
      clearTimeout(timer);
    }
  }

  /** A body's chunks as they come. A registry that stops sending is left after the time limit. */
  async *chunks(session: Session, url: URL, { body }: Response): AsyncGenerator<Uint8Array> {
    if (body === null) return;
    const reader = body.getReader();
    try {
      for (;;) {
        const { done, value } = await this.#withinStall(reader.read());
        if (done) return;
        yield value;
      }
    } catch (error) {
      session.signal.throwIfAborted();
      throw broken(session, url, error);
    } finally {
      await reader.cancel().catch(() => undefined);
    }
  }

  /** Returns the error for an unusable answer: TryAgain if another try may bring another answer. */
  failed(session: Session, url: URL, response: Response, bytes: Uint8Array | undefined): Error {
    const { status } = response;
    if (response.ok && isWebPage(response)) {
      return session.refuse(
        'NotARegistry',
        `${url.host} answered with a web page: is this host an image registry, or does a proxy stand before it?`,
      );
    }
    const detail = registryMessage(response, bytes);
    const asked = { repository: session.reference.repository, part: session.part };
    const { failure, about, advice } = refusalOf(status, asked);
    const error = session.refuse(failure, `${about}registry ${url.host} answered ${status}${detail}: ${advice}`);
    const mayPass = status === 429 || status >= 500;
    return mayPass ? new TryAgain(error, retryAfterMs(response.headers.get('retry-after'), Date.now())) : error;
  }

  async #withinStall<T>(next: Promise<T>): Promise<T> {
    const { stallMs } = this.limits;
    const { promise: stalled, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(new Error(`nothing arrived for ${stallMs} ms`)), stallMs);
    try {
      return await Promise.race([next, stalled]);
    } finally {
      clearTimeout(timer);
      stalled.catch(() => undefined);
    }
  }
}

function notFollowed(session: Session, from: URL, why: string): RegistryError {
  return session.refuse('NotARegistry', `registry ${from.host} redirects to ${why}: this is not followed`);
}

/** A failed connection as an error that is tried again. */
function broken(session: Session, url: URL, error: unknown, way?: string): TryAgain {
  const { reason, advice } = networkReason(error);
  const found = way === undefined ? reason : `${reason}; ${way}`;
  return new TryAgain(session.refuse('Unreachable', `cannot reach registry ${url.host} (${found}): ${advice}`));
}
