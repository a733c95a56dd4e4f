import { X509Certificate } from 'node:crypto';
import { foreignLogin } from '#core/cluster/imports/foreign-login';
import { renewedFrom } from '#core/cluster/membership/account-token';
import type { LoginFormat } from '#core/kernel/api/fleet/fleet-cluster-source';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { ClusterConfigError } from '../kube/access/cluster-config.error.js';
import { type ClusterAccess, type ParsedKubeconfig, parseKubeconfig } from '../kube/access/kubeconfig.js';
import { tokenAccount } from '../kube/access/plain-access.js';
import { unsafeServer } from '../kube/access/server-url.js';

/** The type and the key of the Secrets that FleetClusters may refer to (design: fleet.md §1.1). */
export const KUBECONFIG_SECRET = 'fleet.flotilla.dev/kubeconfig';
const KEY = 'kubeconfig';

/** A reason why the login of a FleetCluster cannot be used: the reasons of condition CredentialsValid. */
export type CredentialsFault = Readonly<{ reason: 'Expired' | 'Rejected' | 'Unsafe'; message: string }>;
/** `expiresAt`: the end of the login. `renewedFrom`: the hub renews it from then on; absent: it does not. */
export type LoginLife = Readonly<{ expiresAt?: string; renewedFrom?: string }>;
export type SecretAccess = (Readonly<{ access: ClusterAccess }> & LoginLife) | Readonly<{ fault: CredentialsFault }>;

/**
 * Returns the access that a kubeconfig in a Secret gives. Refuses one that has the hub run a program, read a
 * file of the hub, or trust any server: users that may write the Secret must get no right of the hub by it
 * (design: fleet.md §2). No text of the Secret is quoted. `format`: the tool that wrote the Secret.
 */
export function secretAccess(secret: KubernetesObject, format?: LoginFormat): SecretAccess {
  const { namespace = '', name = '' } = secret.metadata;
  const file = `Secret ${namespace}/${name}`;
  const source = kubeconfigIn(secret, format);
  if (source === undefined) return rejected(`${file} has no key "${KEY}"`);
  if ('refused' in source) return rejected(`${file} is not used: ${source.refused}`);
  try {
    const config = parseKubeconfig(file, source.kubeconfig);
    const context = contextOf(config, format);
    if (context === undefined) return rejected(`${file} has ${config.contextCount} contexts: it must have one`);
    const access = config.access(context);
    const unsafe = unsafeIn(access);
    if (unsafe !== undefined) return { fault: { reason: 'Unsafe', message: `${file} is not used: ${unsafe}` } };
    const expiresAt = expiryOf(access);
    const own = format === undefined ? access : { ...access, isRenewedByOthers: true };
    return { access: own, ...(expiresAt === undefined ? {} : { expiresAt, ...renewalOf(own) }) };
  } catch (error) {
    if (error instanceof ClusterConfigError) return rejected(error.message);
    throw error;
  }
}

function kubeconfigIn(secret: KubernetesObject, format: LoginFormat | undefined) {
  if (format !== undefined) return foreignLogin(format, secret);
  const encoded = (secret as { data?: Readonly<Record<string, string>> }).data?.[KEY];
  return encoded === undefined ? undefined : { kubeconfig: Buffer.from(encoded, 'base64').toString('utf8') };
}

/** Tools may write several contexts, and name the one that counts. */
function contextOf(config: ParsedKubeconfig, format: LoginFormat | undefined): string | undefined {
  if (format !== undefined && config.currentContext !== undefined) return config.currentContext;
  return config.contextCount > 1 ? undefined : config.contexts[0];
}

const rejected = (message: string): SecretAccess => ({ fault: { reason: 'Rejected', message } });

function unsafeIn({ cluster, user }: ClusterAccess): string | undefined {
  if (user.exec) return 'its user has exec, and the hub must not run a program of a Secret';
  if (user['auth-provider']) return 'its user has an auth-provider, and the hub must not run a program of a Secret';
  const paths = [cluster['certificate-authority'], user['client-certificate'], user['client-key'], user.tokenFile];
  if (paths.some(Boolean)) return 'it names a file: put its content there, as certificate-authority-data or token';
  if (cluster['insecure-skip-tls-verify']) {
    return 'it has insecure-skip-tls-verify, so any server could capture the login';
  }
  return unsafeServer(cluster.server);
}

function renewalOf(access: ClusterAccess): Pick<LoginLife, 'renewedFrom'> {
  const account = tokenAccount(access);
  const from = account && renewedFrom(account);
  return from === undefined ? {} : { renewedFrom: new Date(from).toISOString() };
}

/** When the client certificate, or a token that says so, ends. */
function expiryOf({ user }: ClusterAccess): string | undefined {
  const certificate = user['client-certificate-data'];
  const ends = [
    typeof certificate === 'string' ? certificateEnd(Buffer.from(certificate, 'base64')) : undefined,
    user.token ? tokenEnd(user.token) : undefined,
  ].filter((end) => end !== undefined);
  return ends.length === 0 ? undefined : new Date(Math.min(...ends)).toISOString();
}

function certificateEnd(certificate: Buffer): number | undefined {
  try {
    return new X509Certificate(certificate).validToDate.getTime();
  } catch {
    return undefined;
  }
}

/** RFC 7519: the second part is JSON with `exp`, in seconds. */
function tokenEnd(token: string): number | undefined {
  const [, payload] = token.split('.');
  if (payload === undefined) return undefined;
  try {
    const { exp } = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as { exp?: unknown };
    return typeof exp === 'number' && exp > 0 && exp < MOST_SECONDS ? exp * 1_000 : undefined;
  } catch {
    return undefined;
  }
}

/** The last second of the year 9999. */
const MOST_SECONDS = 253_402_300_800;
