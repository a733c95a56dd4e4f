import type { LookupFunction } from 'node:net';
import { getCACertificates } from 'node:tls';
import type * as Undici from 'undici';
import { AddressNotAllowed, checkedLookup, refuseTarget } from '../../outbound/checked-lookup.js';
import { dispatcherFor } from '../../outbound/dispatcher.js';
import { isRefusedLiteral, type OutboundPolicy } from '../../outbound/outbound-policy.js';
import { type ProxyEnvironment, type Route, routeText, routeTo } from '../../outbound/route.js';
import { type CertificateLocations, RegistryCertificates, type TlsFiles } from './registry-certificates.js';

export type ConnectionOptions = Readonly<{
  certificates?: CertificateLocations;
  /** HTTPS_PROXY and its like are read here; this process's environment by default. */
  environment?: ProxyEnvironment;
  /**
   * Policy for the addresses that are dialled; all by default. A proxy of the environment is dialled in any
   * case. It gets no name that has only addresses here that are not allowed.
   */
  policy?: OutboundPolicy;
  /** How names are resolved; as the system does by default. */
  lookup?: LookupFunction;
}>;

type Held = Readonly<{ key: string; readAt: number; dispatcher: Undici.Dispatcher }>;

/** Certificates in files are read again after so long. */
const REREAD_MS = 60_000;
const MAX_HOSTS = 500;

/**
 * Connections to registries and the targets of their redirects: by proxy if the environment says so, trusting
 * the right authorities.
 */
export class Connections {
  readonly #certificates: RegistryCertificates;
  readonly #environment: ProxyEnvironment;
  readonly #held = new Map<string, Held>();

  readonly #policy: OutboundPolicy | undefined;
  readonly #lookup: LookupFunction | undefined;
  readonly #system: LookupFunction | undefined;

  constructor({ certificates = {}, environment = process.env, policy, lookup }: ConnectionOptions = {}) {
    this.#policy = policy;
    this.#system = lookup;
    this.#lookup = policy === undefined ? lookup : checkedLookup(policy, lookup);
    this.#certificates = new RegistryCertificates(certificates);
    this.#environment = environment;
  }

  /** Returns the dispatcher for a URL. Throws InvalidCertificate, AddressNotAllowed. */
  async to(url: URL): Promise<Undici.Dispatcher> {
    // A socket resolves names alone: a host that is written as an address is checked here.
    if (this.#policy !== undefined && isRefusedLiteral(url.hostname, this.#policy))
      throw new AddressNotAllowed(url.host);
    const held = this.#held.get(url.origin);
    if (held !== undefined && performance.now() - held.readAt < REREAD_MS) return held.dispatcher;
    const files = url.protocol === 'https:' ? await this.#certificates.of(url.host) : { authorities: [] };
    const route = routeTo(url, this.#environment);
    if (route.proxy !== undefined && this.#policy !== undefined)
      await refuseTarget(url.hostname, this.#policy, this.#system);
    const key = JSON.stringify([files, route.proxy?.href]);
    const dispatcher = held?.key === key ? held.dispatcher : await this.#dispatcher(route, files);
    if (held !== undefined && held.dispatcher !== dispatcher) void held.dispatcher.close();
    if (this.#held.size >= MAX_HOSTS) this.#forgetOldest();
    this.#held.delete(url.origin);
    this.#held.set(url.origin, { key, readAt: performance.now(), dispatcher });
    return dispatcher;
  }

  /**
   * Describes the way to a URL, for the message about a connection that failed: undefined for this machine
   * itself.
   */
  way(url: URL): string | undefined {
    return routeText(routeTo(url, this.#environment));
  }

  #dispatcher(route: Route, { authorities, client }: TlsFiles): Promise<Undici.Dispatcher> {
    const ca = authorities.length === 0 ? {} : { ca: [...getCACertificates('default'), ...authorities] };
    return dispatcherFor({ route, tls: { ...ca, ...client }, proxyTls: ca, lookup: this.#lookup });
  }

  #forgetOldest(): void {
    const [oldest] = this.#held;
    if (oldest === undefined) return;
    this.#held.delete(oldest[0]);
    void oldest[1].dispatcher.close();
  }
}
