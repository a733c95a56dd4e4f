import type { DeliveryOutcome } from '#core/rollout/notifications/delivery-state';
import type { ReceiverRequest } from '#core/rollout/notifications/receiver-requests';
import { isAddressRefusal } from '../../outbound/checked-lookup.js';
import { addressRefusal, isHostListed, type OutboundPolicy } from '../../outbound/outbound-policy.js';
import { serviceReason } from '../../registry/http/answers.js';
import { Connections } from '../../registry/http/connections.js';

type MessageSenderOptions = Readonly<{
  /** The hosts that messages may be sent to; none: no host. */
  hosts: readonly string[];
  policy: OutboundPolicy;
  timeoutMs?: number;
}>;

const TIMEOUT_MS = 10_000;
const MS_IN_SECOND = 1_000;

/**
 * Sends messages to receivers. Addresses of receivers are secrets: a failure names the host alone. The body
 * of an answer is not read.
 */
export class MessageSender {
  readonly #connections: Connections;

  constructor(private readonly options: MessageSenderOptions) {
    this.#connections = new Connections({ policy: options.policy });
  }

  /** Never rejects. */
  async send({ url: address, headers, body }: ReceiverRequest): Promise<DeliveryOutcome> {
    const { hosts, timeoutMs = TIMEOUT_MS } = this.options;
    const url = URL.parse(address);
    if (url === null) return { failure: 'its address is no URL: correct the Secret of the receiver' };
    if (url.username !== '' || url.password !== '') {
      return { failure: 'its address has a user name or a password: correct the Secret of the receiver' };
    }
    if (hosts.length === 0 || !isHostListed(url.host, hosts)) {
      return {
        failure: `host ${url.host} is not allowed by the hub (FLOTILLA_NOTIFICATION_HOSTS): to allow it, add the host to that setting and restart the notifier`,
      };
    }
    const signal = AbortSignal.timeout(timeoutMs);
    try {
      const { fetch } = await import('undici');
      const dispatcher = await this.#connections.to(url);
      // A redirect would lead to a host that was not allowed.
      const response = await fetch(url, { method: 'POST', headers, body, redirect: 'error', signal, dispatcher });
      await response.body?.cancel();
      if (response.ok) return {};
      return { failure: answered(url.host, response.status), afterMs: askedPause(response.headers.get('retry-after')) };
    } catch (error) {
      return { failure: unanswered(url.host, error, signal.aborted ? timeoutMs : undefined) };
    }
  }
}

const WRONG_LOGIN = 'check the Secret of the receiver';
const WRONG_MESSAGE = 'it refuses this message: check the type of the receiver, its Secret and spec.template';
const ADVICE: Readonly<Record<number, string>> = {
  ...{ 400: WRONG_MESSAGE, 413: 'the message is too long: shorten spec.template', 422: WRONG_MESSAGE },
  ...{ 401: WRONG_LOGIN, 403: WRONG_LOGIN, 404: WRONG_LOGIN, 410: WRONG_LOGIN },
};

function answered(host: string, status: number): string {
  const advice = ADVICE[status];
  return advice === undefined ? `${host} answers ${status}` : `${host} answers ${status}: ${advice}`;
}

/** Returns the pause that a receiver asks for in seconds. Undefined if it asks for none. */
function askedPause(header: string | null): number | undefined {
  return header !== null && /^\d{1,6}$/.test(header) ? Number(header) * MS_IN_SECOND : undefined;
}

function unanswered(host: string, error: unknown, lateAfterMs: number | undefined): string {
  if (isAddressRefusal(error)) {
    return `${addressRefusal(host)}: to allow it, allow that kind of address and restart the notifier`;
  }
  if (lateAfterMs !== undefined) return `${host} gave no answer within ${lateAfterMs / MS_IN_SECOND} s`;
  const { reason, advice } = serviceReason(error);
  return `cannot reach ${host} (${reason}): ${advice}`;
}
