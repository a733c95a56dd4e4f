import type { CredentialSource, Credentials } from '../transport/credentials.js';
import { textOf } from '../transport/transport.error.js';
import { ClusterConfigError } from './cluster-config.error.js';
import type { ClusterAccess } from './kubeconfig.js';
import type { Applied } from './plain-access.js';
import { shownText } from './plugin-process.js';
import { fileTrouble, RequestCredentials } from './request-credentials.js';

type KubeConfig = import('@kubernetes/client-node').KubeConfig;
type KubeConfigClass = new () => KubeConfig;

/**
 * Credentials of an auth provider, as `@kubernetes/client-node` works them out. Each cluster has a
 * KubeConfig of its own, since the library remembers tokens by user name. The library's agents are never
 * used.
 */
export class LibraryCredentials implements CredentialSource {
  readonly #request: RequestCredentials;
  #config: KubeConfig | undefined;
  #asking: Promise<Credentials> | undefined;

  constructor(
    private readonly loadLibrary: () => Promise<KubeConfigClass>,
    private readonly access: ClusterAccess,
  ) {
    this.#request = new RequestCredentials(access.user);
  }

  /** One question to the provider, however many requests wait for it. */
  current(): Promise<Credentials> {
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  forget(): boolean {
    this.#config = undefined;
    return true;
  }

  fault(now: Date): string | undefined {
    return this.#request.fault(now);
  }

  async #ask(): Promise<Credentials> {
    try {
      this.#config ??= toLibrary(await this.loadLibrary(), this.access);
      const applied: Applied = {};
      await this.#config.applyToHTTPSOptions(applied);
      return this.#request.make(applied);
    } catch (error) {
      throw new ClusterConfigError(this.access.context, fileTrouble(error) ?? shownText(textOf(error)));
    }
  }
}

function toLibrary(Library: KubeConfigClass, { context, cluster, user }: ClusterAccess): KubeConfig {
  const config = new Library();
  const { exec: _exec, tokenFile: _tokenFile, ...rest } = user;
  config.loadFromString(
    JSON.stringify({
      'current-context': context,
      contexts: [{ name: context, context: { cluster: context, user: context } }],
      clusters: [{ name: context, cluster: { ...cluster, ...plainHttp(cluster.server), 'proxy-url': undefined } }],
      users: [{ name: context, user: rest }],
    }),
  );
  return config;
}

/** The library refuses http:// URLs unless TLS verification is switched off. */
const plainHttp = (server: string) => (server.startsWith('http:') ? { 'insecure-skip-tls-verify': true } : {});
