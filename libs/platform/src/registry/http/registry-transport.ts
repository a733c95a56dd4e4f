import { setTimeout as pause } from 'node:timers/promises';
import type { Headers, Response } from 'undici';
import type { Refuse } from '../client/image-manifest.js';
import type { ImageReference } from '../client/image-reference.js';
import { type PullOptions, RegistryError } from '../client/registry-client.port.js';
import type { RegistryLimits } from '../client/registry-limits.js';
import { boundedBytes, isWebPage } from './answers.js';
import { Authentication, unauthorized } from './authentication.js';
import { Connections } from './connections.js';
import { HostSlots } from './host-slots.js';
import { HttpExchange, TryAgain } from './http-exchange.js';
import type { RegistryRequest } from './registry-request.js';
import type { LoginsOf, Session } from './session.js';

type RegistryTransportOptions = Readonly<{
  limits: RegistryLimits;
  /** Hosts (with port) spoken to in plain HTTP, besides loopback. */
  plainHttpHosts: ReadonlySet<string>;
  connections?: Connections;
  loginsOf?: LoginsOf;
}>;

/** A connection that brought so much before it broke is not counted as a failed try. */
const PROGRESS_BYTES = 1024 * 1024;

/**
 * HTTP to registries: scheme, authentication, queueing, retries, and errors in words.
 * Holds no state but tokens.
 */
export class RegistryTransport {
  readonly #limits: RegistryLimits;
  readonly #exchange: HttpExchange;
  readonly #authentication: Authentication;
  readonly #slots: HostSlots;
  readonly #loginsOf: LoginsOf;

  constructor({
    limits,
    plainHttpHosts,
    connections = new Connections(),
    loginsOf = 'cluster',
  }: RegistryTransportOptions) {
    this.#loginsOf = loginsOf;
    this.#limits = limits;
    this.#exchange = new HttpExchange(connections, limits, plainHttpHosts);
    this.#authentication = new Authentication(this.#exchange);
    this.#slots = new HostSlots({ transfers: limits.transfersPerHost, requests: limits.requestsPerHost });
  }

  /**
   * Runs one pull or push with its time limit. Errors name `source`, even if `reference` is that of a mirror.
   */
  async session<T>(
    reference: ImageReference,
    { credentials, signal }: PullOptions,
    action: Session['action'],
    work: (session: Session) => Promise<T>,
    source = reference,
  ): Promise<T> {
    const original = source.text;
    const at = original === reference.text ? '' : ` (at mirror ${reference.text})`;
    const refuse: Refuse = (failure, message) =>
      new RegistryError(failure, original, `image ${original}${at}: ${message}`);
    const { pullMs, stallMs } = this.#limits;
    const deadline = new AbortController();
    const late = refuse('Unreachable', `not done after ${pullMs} ms: check the network, or raise the time limit`);
    const timer = setTimeout(() => deadline.abort(late), pullMs);
    const ends = signal ? AbortSignal.any([signal, deadline.signal]) : deadline.signal;
    const { promise: left, reject } = Promise.withResolvers<never>();
    let leave: NodeJS.Timeout | undefined;
    const end = () => {
      leave = setTimeout(() => reject(ends.reason), stallMs);
    };
    ends.addEventListener('abort', end, { once: true });
    try {
      const session = { source, reference, credentials, action, loginsOf: this.#loginsOf, signal: ends, refuse };
      // Work that notices the end has the time to tidy up; any other is left.
      return await Promise.race([work(session), left]);
    } finally {
      clearTimeout(timer);
      clearTimeout(leave);
      ends.removeEventListener('abort', end);
      left.catch(() => undefined);
    }
  }

  /** URL of a path below the reference's repository. */
  url({ host, repository }: ImageReference, path: string): URL {
    const name = host === 'docker.io' ? 'registry-1.docker.io' : host;
    return new URL(`${this.#exchange.scheme(name)}://${name}/v2/${repository}/${path}`);
  }

  /** Headers of an answer of status 2xx; its body is left unread. */
  async send(session: Session, url: URL, request: RegistryRequest): Promise<Headers> {
    return this.#retrying(session, () =>
      this.#slots.request(url.host, session.signal, async () => {
        const { headers, body } = await this.#attempt(session, url, request);
        await body?.cancel();
        return headers;
      }),
    );
  }

  /** Returns an answer with its whole body. The body must not be longer than `limit` bytes. */
  async document(
    session: Session,
    url: URL,
    request: RegistryRequest,
    limit: number,
  ): Promise<Readonly<{ headers: Headers; bytes: Uint8Array }>> {
    return this.#retrying(session, () =>
      this.#slots.request(url.host, session.signal, async () => {
        const response = await this.#attempt(session, url, request);
        const bytes = await boundedBytes(this.#exchange.chunks(session, url, response), limit, session.refuse);
        return { headers: response.headers, bytes };
      }),
    );
  }

  /** Does `work` while one of the host's few transfers is this one. */
  transfer<T>(session: Session, url: URL, work: () => Promise<T>): Promise<T> {
    return this.#slots.transfer(url.host, session.signal, work);
  }

  /**
   * Reads a body of `size` bytes in chunks. If the connection breaks, the next one continues at the byte that
   * is missing.
   */
  async *resumed(session: Session, url: URL, size: number): AsyncGenerator<Uint8Array> {
    let received = 0;
    for (let failures = 0; ; ) {
      const begun = received;
      try {
        for await (const chunk of this.#from(session, url, received)) {
          received += chunk.length;
          yield chunk;
        }
        return;
      } catch (error) {
        if (received >= size) return;
        failures = received - begun < PROGRESS_BYTES ? failures + 1 : 1;
        await this.#pauseAfter(session, failures, error);
      }
    }
  }

  /**
   * Reads the body from a byte on. A registry that cannot begin there sends all of it: the known bytes are
   * skipped.
   */
  async *#from(session: Session, url: URL, start: number): AsyncGenerator<Uint8Array> {
    const range = start === 0 ? {} : { headers: { range: `bytes=${start}-` } };
    const response = await this.#attempt(session, url, range);
    const [, first] = /^bytes (\d+)-/.exec(response.headers.get('content-range') ?? '') ?? [];
    if (response.status === 206 && first !== String(start)) {
      await response.body?.cancel();
      throw session.refuse(
        'NotARegistry',
        `registry ${url.host} was asked to go on at byte ${start} and sent other bytes`,
      );
    }
    let skip = response.status === 206 ? 0 : start;
    for await (const chunk of this.#exchange.chunks(session, url, response)) {
      if (chunk.length > skip) yield skip === 0 ? chunk : chunk.subarray(skip);
      skip = Math.max(skip - chunk.length, 0);
    }
  }

  /**
   * Does `work`, and repeats it a few times if it fails as unreachable. Everything else is thrown at once.
   */
  async #retrying<T>(session: Session, work: () => Promise<T>): Promise<T> {
    for (let failures = 1; ; failures++) {
      try {
        return await work();
      } catch (error) {
        await this.#pauseAfter(session, failures, error);
      }
    }
  }

  /** Returns when it is time to try again. Throws if another try is useless. */
  async #pauseAfter(session: Session, failures: number, error: unknown): Promise<void> {
    const { attempts, retryDelayMs } = this.#limits;
    session.signal.throwIfAborted();
    if (!(error instanceof TryAgain)) throw error;
    if (failures >= attempts) throw error.failure;
    const delay = error.afterMs ?? retryDelayMs * 2 ** (failures - 1) * (0.75 + Math.random() / 2);
    await pause(delay, undefined, { signal: session.signal }).catch(() => session.signal.throwIfAborted());
  }

  async #attempt(session: Session, url: URL, request: RegistryRequest): Promise<Response> {
    const first = await this.#exchange.follow(session, url, request, this.#authentication.known(session, url));
    if (first.response.status !== 401 || first.from.origin !== url.origin) {
      return this.#accepted(session, first.from, first.response);
    }
    await first.response.body?.cancel();
    const challenge = first.response.headers.get('www-authenticate') ?? '';
    const authorization = await this.#authentication.answer(session, url, challenge);
    const { response, from } = await this.#exchange.follow(session, url, request, authorization);
    return this.#accepted(session, from, response);
  }

  async #accepted(session: Session, url: URL, response: Response): Promise<Response> {
    if (response.ok && !isWebPage(response)) return response;
    const body = this.#exchange.chunks(session, url, response);
    const bytes = await boundedBytes(body, 64 * 1024, session.refuse).catch(() => undefined);
    const { status } = response;
    if (status === 401 || status === 403) throw unauthorized(session, url);
    throw this.#exchange.failed(session, url, response, bytes);
  }
}
