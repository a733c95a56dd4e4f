import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { Clock } from '../../clock/clock.port.js';
import { projectVersion } from '../../files/build-info.js';
import type { Log } from '../log.port.js';
import { otlpBody } from './otlp-body.js';
import type { EndedSpan, Tracer } from './tracer.port.js';

export type OtlpTracerOptions = Readonly<{
  /** Of the collector, such as `http://collector:4318`. */
  endpoint: string;
  clock: Clock;
  log: Pick<Log, 'info' | 'warn'>;
  onSpans: (outcome: 'sent' | 'dropped', count: number) => void;
  /** How long spans are gathered before they are sent, in milliseconds. Default 5,000. */
  gatherMs?: number;
  /** A request that takes longer is given up. Default 10,000. */
  timeoutMs?: number;
}>;

/** Spans that wait: those beyond are dropped. */
const MOST_WAITING = 2_048;
/** Spans of one request. */
const MOST_AT_ONCE = 512;
const STOP_WITHIN_MS = 1_000;

/**
 * Sends spans to an OpenTelemetry collector, by OTLP over HTTP with JSON. One request at a time; what a
 * collector does not take is dropped and counted, so that one that is away or hangs costs no more memory than
 * the spans that may wait.
 */
export class OtlpTracer implements Tracer {
  readonly #url: URL;
  #waiting: EndedSpan[] = [];
  #sending: Promise<void> | undefined;
  #cancel: (() => void) | undefined;
  #failing = false;

  constructor(private readonly options: OtlpTracerOptions) {
    this.#url = new URL(`${options.endpoint.replace(/\/+$/, '')}/v1/traces`);
  }

  nowMs(): number {
    return this.options.clock.now().getTime();
  }

  ended(span: EndedSpan): void {
    const { clock, onSpans, gatherMs = 5_000 } = this.options;
    if (this.#waiting.length >= MOST_WAITING) {
      onSpans('dropped', 1);
      return;
    }
    this.#waiting.push(span);
    if (this.#sending !== undefined) return;
    if (this.#waiting.length >= MOST_AT_ONCE) this.#begin();
    else this.#cancel ??= clock.after(gatherMs, () => this.#begin());
  }

  async stop(): Promise<void> {
    this.#begin();
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const cancel = this.options.clock.after(STOP_WITHIN_MS, resolve);
    await Promise.race([this.#sending, late]);
    cancel();
  }

  #begin(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = undefined;
    });
  }

  async #sendAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const spans = this.#waiting.slice(0, MOST_AT_ONCE);
      this.#waiting = this.#waiting.slice(MOST_AT_ONCE);
      await this.#send(otlpBody(spans, projectVersion())).then(
        () => this.#note(spans.length),
        (error: unknown) => this.#note(spans.length, error),
      );
    }
  }

  #note(count: number, error?: unknown): void {
    const { log, onSpans } = this.options;
    onSpans(error === undefined ? 'sent' : 'dropped', count);
    const failing = error !== undefined;
    if (failing === this.#failing) return;
    this.#failing = failing;
    const endpoint = this.#url.origin;
    if (failing) log.warn({ endpoint, error: describe(error) }, 'the collector takes no spans: they are dropped');
    else log.info({ endpoint }, 'the collector takes spans again');
  }

  #send(body: string): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const { timeoutMs = 10_000 } = this.options;
    const send = this.#url.protocol === 'https:' ? requestHttps : requestHttp;
    const headers = { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) };
    const signal = AbortSignal.timeout(timeoutMs);
    const sent = send(this.#url, { method: 'POST', headers, signal }, (response) => {
      const { statusCode = 0 } = response;
      response.resume();
      response.once('error', reject);
      response.once('end', () => (statusCode < 300 ? resolve() : reject(new Error(`answered ${statusCode}`))));
    });
    sent.once('error', (error) => reject(signal.aborted ? new Error(`no answer within ${timeoutMs} ms`) : error));
    sent.end(body);
    return promise;
  }
}

const describe = (error: unknown): string => (error instanceof Error ? error.message : String(error));
