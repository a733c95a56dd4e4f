import { getCACertificates } from 'node:tls';
import { Agent, type Dispatcher, ProxyAgent } from 'undici';
import { type ProxyEnvironment, proxyFor } from './proxy-environment.js';
import { type CertificateLocations, RegistryCertificates, type TlsFiles } from './registry-certificates.js';

export type ConnectionOptions = Readonly<{
  certificates?: CertificateLocations;
  /** HTTPS_PROXY and its like are read here; this process's environment by default. */
  environment?: ProxyEnvironment;
}>;

type Held = Readonly<{ key: string; readAt: number; dispatcher: Dispatcher }>;

/** Certificates in files are looked at again after so long. */
const REREAD_MS = 60_000;
const MAX_HOSTS = 500;

/** Connections to registries and what they redirect to: by proxy where the environment says so, trusting the right authorities. */
export class Connections {
  readonly #certificates: RegistryCertificates;
  readonly #environment: ProxyEnvironment;
  readonly #held = new Map<string, Held>();

  constructor({ certificates = {}, environment = process.env }: ConnectionOptions = {}) {
    this.#certificates = new RegistryCertificates(certificates);
    this.#environment = environment;
  }

  /** Through what a URL is requested. Throws InvalidCertificate. */
  async to(url: URL): Promise<Dispatcher> {
    const held = this.#held.get(url.origin);
    if (held !== undefined && performance.now() - held.readAt < REREAD_MS) return held.dispatcher;
    const files = url.protocol === 'https:' ? await this.#certificates.of(url.host) : { authorities: [] };
    const proxy = proxyFor(url, this.#environment);
    const key = JSON.stringify([files, proxy?.href]);
    const dispatcher = held?.key === key ? held.dispatcher : dispatcherFor(files, proxy);
    if (held !== undefined && held.dispatcher !== dispatcher) void held.dispatcher.close();
    if (this.#held.size >= MAX_HOSTS) this.#forgetOldest();
    this.#held.delete(url.origin);
    this.#held.set(url.origin, { key, readAt: performance.now(), dispatcher });
    return dispatcher;
  }

  #forgetOldest(): void {
    const [oldest] = this.#held;
    if (oldest === undefined) return;
    this.#held.delete(oldest[0]);
    void oldest[1].dispatcher.close();
  }
}

function dispatcherFor({ authorities, client }: TlsFiles, proxy: URL | undefined): Dispatcher {
  const ca = authorities.length === 0 ? {} : { ca: [...getCACertificates('default'), ...authorities] };
  const tls = { ...ca, ...client };
  if (proxy === undefined) return new Agent({ connect: tls });
  return new ProxyAgent({ uri: proxy.href, requestTls: tls, proxyTls: ca });
}
