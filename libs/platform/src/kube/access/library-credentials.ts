import { X509Certificate } from 'node:crypto';
import { fileReason } from '../../files/file-tree.error.js';
import type { CredentialSource, Credentials, TlsIdentity } from '../transport/credentials.js';
import { textOf } from '../transport/transport.error.js';
import { ClusterConfigError } from './cluster-config.error.js';
import type { ClusterAccess, KubeconfigUser } from './kubeconfig.js';
import { type Applied, isPlain, plainAccess } from './plain-access.js';

type KubeConfig = import('@kubernetes/client-node').KubeConfig;
type KubeConfigClass = new () => KubeConfig;

/**
 * Credentials as `@kubernetes/client-node` works them out: certificates, tokens, token files, exec plugins
 * and its auth providers. Each cluster has a KubeConfig of its own, since the library remembers tokens by
 * user name. The library's agents are never used. It is loaded for accesses that need it: those with a
 * plugin, an auth provider or a token file.
 */
export class LibraryCredentials implements CredentialSource {
  readonly #impersonation: Readonly<Record<string, string | string[]>>;
  readonly #constant: boolean;
  #config: KubeConfig | undefined;
  #remembered: Credentials | undefined;
  #asking: Promise<Credentials> | undefined;
  #identity: TlsIdentity = {};

  constructor(
    private readonly loadLibrary: () => Promise<KubeConfigClass>,
    private readonly access: ClusterAccess,
  ) {
    this.#impersonation = impersonation(access.user);
    this.#constant = isConstant(access);
  }

  current(): Promise<Credentials> {
    if (this.#constant && this.#remembered !== undefined) return Promise.resolve(this.#remembered);
    // One plugin run, however many requests wait for it.
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  forget(): boolean {
    this.#config = undefined;
    return !this.#constant;
  }

  fault(now: Date): string | undefined {
    const until = validUntil(this.#identity.cert);
    if (until === undefined || until >= now) return undefined;
    return `the client certificate in its kubeconfig expired at ${until.toISOString()}`;
  }

  async #ask(): Promise<Credentials> {
    const applied = await this.#applied().catch((error: unknown) => {
      throw this.#explain(error);
    });
    const headers: Record<string, string | string[]> = { ...this.#impersonation };
    for (const [name, value] of Object.entries(applied.headers ?? {})) {
      // Token files end with a line end more often than not.
      if (!name.toLowerCase().startsWith('impersonate-')) headers[name.toLowerCase()] = String(value).trim();
    }
    if (applied.auth !== undefined)
      headers['authorization'] ??= `Basic ${Buffer.from(applied.auth).toString('base64')}`;
    this.#remembered = { headers, tls: this.#keep(applied) };
    return this.#remembered;
  }

  async #applied(): Promise<Applied> {
    if (isPlain(this.access)) return plainAccess(this.access);
    this.#config ??= toLibrary(await this.loadLibrary(), this.access);
    const applied: Applied = {};
    await this.#config.applyToHTTPSOptions(applied);
    return applied;
  }

  /** The same object as long as its contents are the same: connections are kept by it. */
  #keep({ ca, cert, key, servername, rejectUnauthorized }: Applied): TlsIdentity {
    const next = { ca, cert, key, servername, rejectUnauthorized };
    const held: Record<string, unknown> = { ...this.#identity };
    const same = Object.entries(next).every(([name, value]) => equal(held[name], value));
    if (!same) this.#identity = Object.fromEntries(Object.entries(next).filter(([, value]) => value !== undefined));
    return this.#identity;
  }

  #explain(error: unknown): ClusterConfigError {
    const { exec } = this.access.user;
    const { context } = this.access;
    if (!exec) return new ClusterConfigError(context, withoutSecrets(fileTrouble(error) ?? textOf(error)));
    const hint = exec.installHint ? ` (${exec.installHint.trim()})` : '';
    const missing = /^spawn .* ENOENT$/.test(textOf(error)) ? 'there is no such program here (ENOENT)' : undefined;
    const why = missing ?? (withoutSecrets(textOf(error)).trim().slice(0, 300) || 'it failed and said nothing');
    return new ClusterConfigError(context, `the credential plugin "${exec.command}" failed: ${why}${hint}`);
  }
}

/** Of a file that the kubeconfig names and that cannot be read. */
function fileTrouble(error: unknown): string | undefined {
  if (!(error instanceof Error && 'path' in error && typeof error.path === 'string')) return undefined;
  return `open ${error.path}: ${fileReason(error)}`;
}

/** Until when a certificate is valid; undefined without one that can be read. */
function validUntil(certificate: string | Buffer | undefined): Date | undefined {
  if (certificate === undefined) return undefined;
  try {
    return new X509Certificate(certificate).validToDate;
  } catch {
    return undefined;
  }
}

function toLibrary(Library: KubeConfigClass, { context, cluster, user }: ClusterAccess): KubeConfig {
  const config = new Library();
  const { tokenFile, exec, ...rest } = user;
  config.loadFromString(
    JSON.stringify({
      'current-context': context,
      contexts: [{ name: context, context: { cluster: context, user: context } }],
      clusters: [{ name: context, cluster: { ...cluster, ...plainHttp(cluster.server), 'proxy-url': undefined } }],
      users: [
        {
          name: context,
          user: {
            ...rest,
            ...(exec ? { exec: { ...exec, env: [...(exec.env ?? []), execInfo(exec, cluster)] } } : {}),
            // The library reads this field only under another name and only once.
            ...(tokenFile ? { token: undefined, 'auth-provider': { name: 'tokenFile', config: { tokenFile } } } : {}),
          },
        },
      ],
    }),
  );
  return config;
}

/** The library refuses http:// URLs unless TLS verification is switched off. */
const plainHttp = (server: string) => (server.startsWith('http:') ? { 'insecure-skip-tls-verify': true } : {});

/** The input of plugins of client.authentication.k8s.io (the library leaves it out). */
function execInfo(exec: NonNullable<KubeconfigUser['exec']>, cluster: ClusterAccess['cluster']) {
  const info = {
    apiVersion: exec.apiVersion ?? 'client.authentication.k8s.io/v1',
    kind: 'ExecCredential',
    spec: { interactive: false, ...(exec.provideClusterInfo === true ? { cluster } : {}) },
  };
  return { name: 'KUBERNETES_EXEC_INFO', value: JSON.stringify(info) };
}

function impersonation(user: KubeconfigUser): Record<string, string | string[]> {
  const extra = Object.entries(user['as-user-extra'] ?? {});
  return {
    ...(user.as ? { 'impersonate-user': user.as } : {}),
    ...(user['as-uid'] ? { 'impersonate-uid': user['as-uid'] } : {}),
    ...(user['as-groups']?.length ? { 'impersonate-group': user['as-groups'] } : {}),
    ...Object.fromEntries(extra.map(([key, values]) => [`impersonate-extra-${encodeURIComponent(key)}`, values])),
  };
}

/** Nothing in it is read from a file or requested from a server. */
function isConstant({ cluster, user }: ClusterAccess): boolean {
  const moving = [user.tokenFile, user.exec, user['auth-provider'], user['client-certificate'], user['client-key']];
  return [...moving, cluster['certificate-authority']].every((source) => !source);
}

function equal(a: unknown, b: unknown): boolean {
  return Buffer.isBuffer(a) && Buffer.isBuffer(b) ? a.equals(b) : a === b;
}

/** Long runs of token characters: what a plugin writes to stderr is not ours to trust. */
const withoutSecrets = (text: string): string => text.replaceAll(/[A-Za-z0-9_\-+=.]{40,}/g, '…');
