import type { LookupFunction } from 'node:net';
import type * as Undici from 'undici';
import { POD_IDENTITY_HOSTS } from '#core/cluster/cloud-logins/eks-login';
import { GKE_METADATA_HOST } from '#core/cluster/cloud-logins/gke-login';
import { checkedLookup, isAddressRefusal, refuseTarget } from '../../outbound/checked-lookup.js';
import { dispatcherFor } from '../../outbound/dispatcher.js';
import { fetchReason } from '../../outbound/fetch-reason.js';
import { addressRefusal, isRefusedLiteral, type OutboundPolicy } from '../../outbound/outbound-policy.js';
import { type ProxyEnvironment, type Route, routeText, routeTo } from '../../outbound/route.js';
import { type CloudAnswer, type CloudHttp, CloudLoginError, type CloudQuestion } from './cloud-http.port.js';

type OutboundCloudHttpOptions = Readonly<{
  /** Names proxies. */
  environment: ProxyEnvironment;
  /** Resolves names. Default: as the system does. */
  lookup?: LookupFunction;
  /** Authorities for services, as PEM. Default: those of Node. */
  authorities?: string;
}>;

/**
 * The only link-local addresses that a hub may ask. They are written here: neither a kubeconfig nor a cluster
 * can name another one.
 */
const NODE_HOSTS: readonly string[] = [...POD_IDENTITY_HOSTS, GKE_METADATA_HOST];
/** Services of clouds, also at the addresses of a private link. */
const POLICY: OutboundPolicy = { addresses: ['public', 'private'], registryHosts: [], grpcHosts: [] };
const DIRECTLY: Route = { reason: 'it is on the node of the hub', isChosen: false };

const MOST_BYTES = 256 * 1024;
/** A node answers at once or not at all. */
const WITHIN_MS = { node: 5_000, internet: 20_000 };

/** Asks services of clouds over HTTP, through the proxy of the environment, and nodes without a proxy. */
export class OutboundCloudHttp implements CloudHttp {
  constructor(private readonly options: OutboundCloudHttpOptions) {}

  async ask(question: CloudQuestion, signal: AbortSignal): Promise<CloudAnswer> {
    const url = addressOf(question);
    const route = question.at === 'node' ? DIRECTLY : routeTo(url, this.options.environment);
    const limit = AbortSignal.timeout(WITHIN_MS[question.at]);
    try {
      return await this.#exchange(question, url, route, AbortSignal.any([signal, limit]));
    } catch (error) {
      if (error instanceof CloudLoginError) throw error;
      if (isAddressRefusal(error)) throw refused(url);
      const why = limit.aborted ? `no answer within ${WITHIN_MS[question.at] / 1_000} s` : fetchReason(error);
      const way = routeText(route);
      throw new CloudLoginError(
        `${question.service} (${url.host}) cannot be reached: ${why}${way === undefined ? '' : ` (${way})`}`,
      );
    }
  }

  async #exchange(question: CloudQuestion, url: URL, route: Route, signal: AbortSignal): Promise<CloudAnswer> {
    const { fetch } = await import('undici');
    const { headers = {}, body } = question;
    const dispatcher = await this.#dispatcher(question.at, url, route);
    try {
      const response = await fetch(url, {
        method: body === undefined ? 'GET' : 'POST',
        headers,
        ...(body === undefined ? {} : { body }),
        // A login is sent to the address that was checked, and to no other one.
        redirect: 'manual',
        signal,
        dispatcher,
      });
      const text = await boundedText(response.body ?? [], question.service);
      return { status: response.status, header: (name) => response.headers.get(name) ?? undefined, text };
    } finally {
      // Logins are rare: no connection waits for the next one.
      await dispatcher.destroy();
    }
  }

  async #dispatcher(at: CloudQuestion['at'], url: URL, route: Route): Promise<Undici.Dispatcher> {
    if (at === 'node') return dispatcherFor({ route });
    const { lookup, authorities } = this.options;
    if (isRefusedLiteral(url.hostname, POLICY)) throw refused(url);
    const tls = authorities === undefined ? {} : { ca: authorities };
    if (route.proxy === undefined) return dispatcherFor({ route, tls, lookup: checkedLookup(POLICY, lookup) });
    await refuseTarget(url.hostname, POLICY, lookup);
    return dispatcherFor({ route, tls, lookup, policy: POLICY });
  }
}

/** Returns the address of a question. @throws CloudLoginError if it may not be asked */
function addressOf({ url: text, service, at }: CloudQuestion): URL {
  const url = URL.parse(text);
  if (url?.protocol !== (at === 'node' ? 'http:' : 'https:'))
    throw new CloudLoginError(`the address of ${service} is not a URL`);
  if (at === 'node' && !NODE_HOSTS.includes(url.hostname)) throw refused(url);
  return url;
}

async function boundedText(body: AsyncIterable<Uint8Array> | readonly Uint8Array[], service: string): Promise<string> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of body) {
    length += part.length;
    if (length > MOST_BYTES) throw new CloudLoginError(`${service} answered more than ${MOST_BYTES} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

const refused = (url: URL): CloudLoginError => new CloudLoginError(addressRefusal(url.host));
