import type { LookupFunction } from 'node:net';
import type { Dispatcher } from 'undici';
import type { SelectableKind } from '../outbound/address-kind.js';
import { checkedLookup, isAddressRefusal, refuseTarget } from '../outbound/checked-lookup.js';
import { dispatcherFor } from '../outbound/dispatcher.js';
import { fetchReason } from '../outbound/fetch-reason.js';
import { addressRefusal, isRefusedLiteral, type OutboundPolicy } from '../outbound/outbound-policy.js';
import { type ProxyEnvironment, type Route, routeText, routeTo } from '../outbound/route.js';

type IssuerConnectionsOptions = Readonly<{
  issuer: string;
  /** The kinds of addresses that the hub may reach. */
  addresses: readonly SelectableKind[];
  /** Resolves names. Default: as the system does. */
  lookup?: LookupFunction;
  /** Names proxies. Default: the environment of the process. */
  environment?: ProxyEnvironment;
}>;

/** The parts of a request that a client of OpenID Connect sets. */
export type IssuerRequest = Readonly<{
  method?: string;
  headers?: Readonly<Record<string, string>>;
  body?: string | Uint8Array | URLSearchParams | ReadableStream | null | undefined;
  signal?: AbortSignal | undefined;
}>;

export type IssuerResponse = Readonly<{
  url: string;
  status: number;
  statusText: string;
  ok: boolean;
  headers: Readonly<{ forEach: (each: (value: string, name: string) => void) => void }>;
  body: AsyncIterable<Uint8Array> | null;
}>;

const MOST_TEXT = 150;

/**
 * Connections to an issuer of accounts (OpenID Connect) and to the addresses that its discovery document
 * names. The administrator names the issuer, and the issuer names the others: these are reached only at
 * addresses that the hub allows, judged when a connection is made. Loopback is allowed if the issuer itself
 * is written as loopback. No redirect is followed.
 */
export class IssuerConnections {
  readonly #host: string;
  readonly #own: OutboundPolicy;
  readonly #named: OutboundPolicy;
  readonly #isOnLoopback: boolean;
  readonly #lookup: LookupFunction | undefined;
  readonly #environment: ProxyEnvironment;
  readonly #dispatchers = new Map<string, Promise<Dispatcher>>();

  constructor({ issuer, addresses, lookup, environment = process.env }: IssuerConnectionsOptions) {
    this.#environment = environment;
    const hostname = URL.parse(issuer)?.hostname ?? '';
    this.#host = hostname;
    this.#isOnLoopback = isLoopbackName(hostname);
    const here = this.#isOnLoopback ? (['loopback'] as const) : [];
    this.#own = policyOf(['public', 'private', ...addresses, ...here]);
    this.#named = policyOf([...addresses, ...here]);
    this.#lookup = lookup;
  }

  /**
   * Returns the reason why an address is not asked, as far as its text shows it. Returns undefined if only
   * its name has to be resolved.
   */
  refusalOf(address: string): string | undefined {
    const url = URL.parse(address);
    if (url === null) return `${address.slice(0, MOST_TEXT)} is not a URL`;
    const { protocol, hostname, host } = url;
    const policy = this.#policyFor(hostname);
    const isLoopback = isLoopbackName(hostname);
    if (isRefusedLiteral(hostname, policy)) return addressRefusal(host);
    if (isLoopback && !policy.addresses.includes('loopback')) return addressRefusal(host);
    if (protocol === 'https:' || (protocol === 'http:' && isLoopback)) return undefined;
    return `${address.slice(0, MOST_TEXT)} is not https`;
  }

  /** Asks the issuer, or an address that it names. @throws if the address is not allowed */
  async fetch(address: string, { body, ...request }: IssuerRequest): Promise<IssuerResponse> {
    const refusal = this.refusalOf(address);
    if (refusal !== undefined) throw new Error(refusal);
    const { fetch } = await import('undici');
    const url = URL.parse(address);
    if (url === null) throw new Error(`${address.slice(0, MOST_TEXT)} is not a URL`);
    const sent = body === undefined || body === null ? {} : { body: body as string };
    const route = routeTo(url, this.#environment);
    try {
      const dispatcher = await this.#dispatcher(url, route);
      return await fetch(address, { ...request, ...sent, redirect: 'manual', dispatcher } as object);
    } catch (error) {
      if (isAddressRefusal(error)) throw new Error(addressRefusal(url.host));
      const way = routeText(route);
      throw way === undefined ? error : new Error(`${fetchReason(error)} (${way})`, { cause: error });
    }
  }

  #policyFor(hostname: string): OutboundPolicy {
    return hostname === this.#host ? this.#own : this.#named;
  }

  async #dispatcher({ hostname }: URL, route: Route): Promise<Dispatcher> {
    const policy = this.#policyFor(hostname);
    if (route.proxy !== undefined) await refuseTarget(hostname, policy, this.#lookup);
    const key = `${policy === this.#own} ${route.proxy?.href}`;
    const made = this.#dispatchers.get(key) ?? dispatcherFor({ route, lookup: checkedLookup(policy, this.#lookup) });
    this.#dispatchers.set(key, made);
    return made;
  }
}

const policyOf = (addresses: readonly SelectableKind[]): OutboundPolicy => ({
  addresses: [...new Set(addresses)],
  registryHosts: [],
  grpcHosts: [],
});

/** True if a host is written as one of this machine. */
const isLoopbackName = (hostname: string): boolean =>
  /^localhost\.?$/.test(hostname) || /^127\.\d+\.\d+\.\d+$/.test(hostname) || hostname === '[::1]';
