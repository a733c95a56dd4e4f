import type { Dispatcher } from 'undici';
import type { Clock } from '../../clock/clock.port.js';
import { projectVersion } from '../../files/build-info.js';
import { dispatcherFor } from '../../outbound/dispatcher.js';
import { fetchReason } from '../../outbound/fetch-reason.js';
import { type ProxyEnvironment, routeText, routeTo } from '../../outbound/route.js';
import type { Log } from '../log.port.js';
import { otlpBody } from './otlp-body.js';
import type { EndedSpan, Tracer } from './tracer.port.js';

export type OtlpTracerOptions = Readonly<{
  /** URL of the collector, such as `http://collector:4318`. */
  endpoint: string;
  /** Headers of each request. */
  headers?: Readonly<Record<string, string>>;
  /** Attributes of every resource. */
  resourceAttributes?: Readonly<Record<string, string>>;
  clock: Clock;
  log: Pick<Log, 'info' | 'warn'>;
  onSpans: (outcome: 'sent' | 'dropped', count: number) => void;
  /** How long spans are gathered before they are sent, in milliseconds. Default 5,000. */
  gatherMs?: number;
  /** A request that takes longer is given up. Default 10,000. */
  timeoutMs?: number;
  /** Names proxies. Default: the environment of the process. */
  environment?: ProxyEnvironment;
}>;

/** Spans that wait: those beyond are dropped. */
const MOST_WAITING = 2_048;
/** Spans of one request. */
const MOST_AT_ONCE = 512;
const STOP_WITHIN_MS = 1_000;

/**
 * Sends spans to an OpenTelemetry collector, by OTLP over HTTP with JSON, one request at a time. Spans that a
 * collector does not take are dropped and counted. So an unreachable or hanging collector costs no more
 * memory than the spans that may wait.
 */
export class OtlpTracer implements Tracer {
  readonly #url: URL;
  #waiting: EndedSpan[] = [];
  #sending: Promise<void> | undefined;
  #cancel: (() => void) | undefined;
  #failing = false;
  #dispatcher: Promise<Dispatcher> | undefined;

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
    await (await this.#dispatcher)?.destroy();
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
      await this.#send(otlpBody(spans, projectVersion(), this.options.resourceAttributes)).then(
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
    if (failing) log.warn({ endpoint, error: describe(error) }, 'dropped spans: the collector does not accept them');
    else log.info({ endpoint }, 'the collector accepts spans again');
  }

  async #send(body: string): Promise<void> {
    const { timeoutMs = 10_000 } = this.options;
    const route = routeTo(this.#url, this.options.environment ?? process.env);
    const signal = AbortSignal.timeout(timeoutMs);
    try {
      const { request } = await import('undici');
      this.#dispatcher ??= dispatcherFor({ route });
      const headers = { ...this.options.headers, 'content-type': 'application/json' };
      const asked = { method: 'POST', headers, body, signal, dispatcher: await this.#dispatcher } as const;
      const { statusCode, body: answer } = await request(this.#url, asked);
      await answer.dump();
      if (statusCode >= 300) throw new Error(`answered ${statusCode}`);
    } catch (error) {
      const reason = signal.aborted ? `no answer within ${timeoutMs} ms` : fetchReason(error);
      const way = routeText(route);
      throw new Error(way === undefined ? reason : `${reason} (${way})`, { cause: error });
    }
  }
}

const describe = (error: unknown): string => (error instanceof Error ? error.message : String(error));
