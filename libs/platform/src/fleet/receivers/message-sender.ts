import type { DeliveryOutcome } from '#core/rollout/notifications/delivery-state';
import type { ReceiverRequest } from '#core/rollout/notifications/receiver-requests';
import { isAddressRefusal } from '../../outbound/checked-lookup.js';
import { addressRefusal, isHostListed, type OutboundPolicy } from '../../outbound/outbound-policy.js';
import { networkReason } from '../../registry/http/answers.js';
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

function answered(host: string, status: number): string {
  const isRefused = status === 401 || status === 403 || status === 404 || status === 410;
  return isRefused ? `${host} answers ${status}: check the Secret of the receiver` : `${host} answers ${status}`;
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
  const { reason, advice } = networkReason(error);
  return `cannot reach ${host} (${reason}): ${advice}`;
}
