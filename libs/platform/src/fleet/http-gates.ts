import type { RequestInit } from 'undici';
import { z } from 'zod';
import type { CheckAnswer } from '#core/rollout/gates/cel-check';
import type { GateQuestion } from '#core/rollout/gates/gate-question';
import { prometheusAnswer, queryFor } from '#core/rollout/gates/prometheus-answer';
import { Demand } from '../fairness/demand.js';
import { FairLimiter } from '../fairness/fair-limiter.js';
import { isAddressRefusal } from '../outbound/checked-lookup.js';
import { addressRefusal, isHostListed, type OutboundPolicy } from '../outbound/outbound-policy.js';
import { serviceReason } from '../registry/http/answers.js';
import { Connections } from '../registry/http/connections.js';

type HttpGatesOptions = Readonly<{
  /** The hosts that may be asked; none: no host. */
  hosts: readonly string[];
  policy: OutboundPolicy;
  timeoutMs?: number;
}>;

const TIMEOUT_MS = 10_000;
const MOST_BYTES = 1_000_000;
const MOST_MESSAGE = 512;
const WebhookAnswer = z.object({ green: z.boolean(), message: z.string().optional() });

/**
 * Questions at a time: of all, to one host, and of one rollout to that host. An answer may have a megabyte,
 * and a host that does not answer holds its questions for ten seconds.
 */
const AT_ONCE = { total: 96, perCluster: 48, perNamespace: 32 };
/** A step asks again after a minute. */
const LONGEST_WAIT_MS = 50_000;

/** Asks Prometheus servers and webhooks. A gate that cannot be asked, or does not answer, gives no answer. */
export class HttpGates {
  readonly #connections: Connections;
  readonly #turns = new FairLimiter(AT_ONCE);

  constructor(private readonly options: HttpGatesOptions) {
    this.#connections = new Connections({ policy: options.policy });
  }

  async ask(question: GateQuestion): Promise<CheckAnswer> {
    const { prometheus, webhook } = question.gate;
    try {
      if (prometheus !== undefined) {
        const url = new URL(`${prometheus.url.replace(/\/+$/, '')}/api/v1/query`);
        url.searchParams.set('query', queryFor(prometheus.query, question.cluster ?? ''));
        const answer = await this.#inTurn(url, question, () => this.#json(url, {}));
        return prometheusAnswer(answer, prometheus);
      }
      if (webhook === undefined) return { message: 'it is not a gate that is asked over HTTP' };
      const { rollout, wave, cluster, bundle } = question;
      const body = JSON.stringify({ rollout, wave, cluster, bundle });
      const headers = { 'content-type': 'application/json' };
      const url = new URL(webhook.url);
      const answer = await this.#inTurn(url, question, () => this.#json(url, { method: 'POST', headers, body }));
      const said = WebhookAnswer.safeParse(answer);
      if (!said.success) return { message: 'the answer is not {"green": true or false, "message": "…"}' };
      return { green: said.data.green, message: (said.data.message ?? '').slice(0, MOST_MESSAGE) };
    } catch (error) {
      return { message: (error instanceof Error ? error.message : String(error)).slice(0, MOST_MESSAGE) };
    }
  }

  async #inTurn<T>({ host }: URL, { rollout }: GateQuestion, read: () => Promise<T>): Promise<T> {
    const late = AbortSignal.timeout(LONGEST_WAIT_MS);
    const turn = await this.#turns.enter(Demand.of({ cluster: host, namespace: rollout }, late)).catch(() => {
      throw new Error(
        `${host} was not queried within ${LONGEST_WAIT_MS / 1000} s: it answers slowly, or too many gates query it`,
      );
    });
    try {
      return await read();
    } finally {
      turn.release();
    }
  }

  async #fetch(url: URL, init: RequestInit) {
    const { fetch } = await import('undici');
    return fetch(url, { ...init, dispatcher: await this.#connections.to(url) });
  }

  async #json(url: URL, init: Readonly<{ method?: string; headers?: Record<string, string>; body?: string }>) {
    const { hosts, timeoutMs = TIMEOUT_MS } = this.options;
    if (hosts.length === 0 || !isHostListed(url.host, hosts)) {
      throw new Error(
        `host ${url.host} is not allowed by the hub (FLOTILLA_FLEET_GATE_HOSTS): to allow it, add the host to that setting and restart the fleet controller`,
      );
    }
    // A redirect would lead to a host that was not allowed.
    const signal = AbortSignal.timeout(timeoutMs);
    const response = await this.#fetch(url, { ...init, redirect: 'error', signal }).catch((error: unknown) => {
      const lateAfterMs = signal.aborted ? timeoutMs : undefined;
      throw new Error(unanswered(url.host, error, { lateAfterMs, way: this.#connections.way(url) }));
    });
    if (!response.ok) throw new Error(`${url.host} answers ${response.status}`);
    let text = '';
    const decoder = new TextDecoder();
    for await (const bytes of response.body ?? []) {
      text += decoder.decode(bytes as Uint8Array, { stream: true });
      if (text.length > MOST_BYTES) throw new Error(`${url.host} answers with more than ${MOST_BYTES} bytes`);
    }
    return JSON.parse(text) as unknown;
  }
}

/** Returns the reason for a missing answer, and the remedy: fetch hides the reason in causes. */
function unanswered(
  host: string,
  error: unknown,
  { lateAfterMs, way }: Readonly<{ lateAfterMs: number | undefined; way: string | undefined }>,
): string {
  const gone = way === undefined ? '' : `; ${way}`;
  if (isAddressRefusal(error)) {
    return `${addressRefusal(host)}: to allow it, allow that kind of address and restart the fleet controller`;
  }
  if (lateAfterMs !== undefined) return `${host} gave no answer within ${lateAfterMs / 1000} s${gone}`;
  const { reason, advice } = serviceReason(error);
  return `cannot reach ${host} (${reason}${gone}): ${advice}`;
}
