import { readFile } from 'node:fs/promises';
import { type AccountToken, accountToken } from '#core/cluster/membership/account-token';
import type { TlsIdentity } from '../transport/credentials.js';
import type { ClusterAccess } from './kubeconfig.js';

/** Credentials of one request, before headers of impersonation. */
export type Applied = TlsIdentity & { headers?: Record<string, unknown>; auth?: string };

/**
 * Returns the credentials of a plain access, as `@kubernetes/client-node` works them out. The library itself
 * takes 0.6 s to load. Certificates in files are read again each time, since they are rotated.
 */
export async function plainAccess({ cluster, user }: ClusterAccess): Promise<Applied> {
  const [ca, cert, key] = await Promise.all([
    bytesOf(cluster['certificate-authority'], cluster['certificate-authority-data']),
    bytesOf(user['client-certificate'], user['client-certificate-data']),
    bytesOf(user['client-key'], user['client-key-data']),
  ]);
  const skipsVerification = cluster['insecure-skip-tls-verify'] === true || cluster.server.startsWith('http:');
  return {
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
    ...(cluster['tls-server-name'] ? { servername: cluster['tls-server-name'] } : {}),
    ...(skipsVerification ? { rejectUnauthorized: false } : {}),
    headers: user.token ? { Authorization: `Bearer ${user.token}` } : {},
    ...(user.username ? { auth: `${user.username}:${user.password}` } : {}),
  };
}

/** A file goes before data in the kubeconfig; kubectl refuses both together. */
async function bytesOf(file: string | null | undefined, data: unknown): Promise<Buffer | undefined> {
  if (file) return readFile(file);
  return typeof data === 'string' && data !== '' ? Buffer.from(data, 'base64') : undefined;
}

/** The account of a token in the access itself: plugins, files and impersonation are renewed by others. */
export function tokenAccount({
  user,
  isRenewedByOthers = false,
}: Pick<ClusterAccess, 'user' | 'isRenewedByOthers'>): AccountToken | undefined {
  if (isRenewedByOthers) return undefined;
  if (user.exec || user['auth-provider'] || user.tokenFile || user.as) return undefined;
  return user.token ? accountToken(user.token) : undefined;
}
