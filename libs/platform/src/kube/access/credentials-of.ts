import type { CredentialSource } from '../transport/credentials.js';
import type { ClusterAccess, KubeconfigUser } from './kubeconfig.js';
import { LibraryCredentials } from './library-credentials.js';
import { PlainCredentials } from './plain-credentials.js';
import { PluginCredentials } from './plugin-credentials.js';
import type { PluginOptions } from './plugin-logins.js';

/** Loaded late: the library costs 80 MB and 0.6 s, and only auth providers need it. */
const loadLibrary = async () => (await import('@kubernetes/client-node')).KubeConfig;

/**
 * Returns the credentials for the requests of a context. As in client-go, a plugin is run if nothing else is
 * given.
 */
export function credentialsOf(access: ClusterAccess, plugins: PluginOptions): CredentialSource {
  const { exec } = access.user;
  if (exec && !hasOther(access.user)) return new PluginCredentials(access, exec, plugins);
  if (access.user['auth-provider']) return new LibraryCredentials(loadLibrary, access);
  return new PlainCredentials(access);
}

const hasOther = (user: KubeconfigUser): boolean =>
  [
    ...[user.token, user.tokenFile, user.username, user.password],
    ...[user['client-certificate'], user['client-certificate-data']],
  ].some(Boolean);
