import type { LookupFunction } from 'node:net';
import type { Agent } from 'undici';
import type { SelectableKind } from '../outbound/address-kind.js';
import { checkedLookup, isAddressRefusal } from '../outbound/checked-lookup.js';
import { addressRefusal, isRefusedLiteral, type OutboundPolicy } from '../outbound/outbound-policy.js';

type IssuerConnectionsOptions = Readonly<{
  issuer: string;
  /** The kinds of addresses that the hub may reach. */
  addresses: readonly SelectableKind[];
  /** Resolves names. Default: as the system does. */
  lookup?: LookupFunction;
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
  readonly #agents = new Map<OutboundPolicy, Agent>();

  constructor({ issuer, addresses, lookup }: IssuerConnectionsOptions) {
    const hostname = URL.parse(issuer)?.hostname ?? '';
    this.#host = hostname;
    this.#isOnLoopback = isLoopbackName(hostname);
    const here = this.#isOnLoopback ? (['loopback'] as const) : [];
    this.#own = policyOf(['public', 'private', ...addresses, ...here]);
    this.#named = policyOf([...addresses, ...here]);
    this.#lookup = lookup;
  }

  /**
   * Returns the reason for which an address is not asked, as far as its text shows it: undefined if only its
   * name has to be resolved.
   */
  refusalOf(address: string): string | undefined {
    const url = URL.parse(address);
    if (url === null) return `${address.slice(0, MOST_TEXT)} is no URL`;
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
    const { hostname = '', host = '' } = URL.parse(address) ?? {};
    const dispatcher = await this.#agentFor(this.#policyFor(hostname));
    const sent = body === undefined || body === null ? {} : { body: body as string };
    try {
      return await fetch(address, { ...request, ...sent, redirect: 'manual', dispatcher } as object);
    } catch (error) {
      throw isAddressRefusal(error) ? new Error(addressRefusal(host)) : error;
    }
  }

  #policyFor(hostname: string): OutboundPolicy {
    return hostname === this.#host ? this.#own : this.#named;
  }

  async #agentFor(policy: OutboundPolicy): Promise<Agent> {
    const known = this.#agents.get(policy);
    if (known !== undefined) return known;
    const { Agent } = await import('undici');
    const agent = new Agent({ connect: { lookup: checkedLookup(policy, this.#lookup) } });
    this.#agents.set(policy, agent);
    return agent;
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
