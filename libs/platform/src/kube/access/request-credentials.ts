import { X509Certificate } from 'node:crypto';
import { fileReason } from '../../files/file-tree.error.js';
import type { Credentials, TlsIdentity } from '../transport/credentials.js';
import type { KubeconfigUser } from './kubeconfig.js';
import type { Applied } from './plain-access.js';

/**
 * Makes the credentials of requests: headers with the impersonation of the user, and a stable TLS identity.
 */
export class RequestCredentials {
  readonly #impersonation: Readonly<Record<string, string | string[]>>;
  #identity: TlsIdentity = {};

  constructor(user: KubeconfigUser) {
    this.#impersonation = impersonation(user);
  }

  make(applied: Applied): Credentials {
    const headers: Record<string, string | string[]> = { ...this.#impersonation };
    for (const [name, value] of Object.entries(applied.headers ?? {})) {
      // Token files end with a line end more often than not.
      if (!name.toLowerCase().startsWith('impersonate-')) headers[name.toLowerCase()] = String(value).trim();
    }
    if (applied.auth !== undefined)
      headers['authorization'] ??= `Basic ${Buffer.from(applied.auth).toString('base64')}`;
    return { headers, tls: this.#keep(applied) };
  }

  /** Returns the reason the client certificate is useless at that time. */
  fault(now: Date): string | undefined {
    const until = validUntil(this.#identity.cert);
    if (until === undefined || until >= now) return undefined;
    return `the client certificate in its kubeconfig expired at ${until.toISOString()}`;
  }

  /** The same object as long as its contents are the same: connections are kept by it. */
  #keep({ ca, cert, key, servername, rejectUnauthorized }: Applied): TlsIdentity {
    const next = { ca, cert, key, servername, rejectUnauthorized };
    const held: Record<string, unknown> = { ...this.#identity };
    const same = Object.entries(next).every(([name, value]) => equal(held[name], value));
    if (!same) this.#identity = Object.fromEntries(Object.entries(next).filter(([, value]) => value !== undefined));
    return this.#identity;
  }
}

/** Describes a file that the kubeconfig names and that cannot be read. */
export function fileTrouble(error: unknown): string | undefined {
  if (!(error instanceof Error && 'path' in error && typeof error.path === 'string')) return undefined;
  return `open ${error.path}: ${fileReason(error)}`;
}

/** Returns the end of a certificate: undefined without one that can be read. */
function validUntil(certificate: string | Buffer | undefined): Date | undefined {
  if (certificate === undefined) return undefined;
  try {
    return new X509Certificate(certificate).validToDate;
  } catch {
    return undefined;
  }
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

function equal(a: unknown, b: unknown): boolean {
  return Buffer.isBuffer(a) && Buffer.isBuffer(b) ? a.equals(b) : a === b;
}
