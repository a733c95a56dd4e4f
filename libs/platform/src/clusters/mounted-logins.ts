import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Settings } from '../config/settings.js';
import { inClusterAccess, loadClusters, SERVICE_ACCOUNT_FOLDER } from '../kube/access/load-clusters.js';
import type { MountedLogins } from '../membership/stored-logins.js';

const NEEDS_POD =
  'FLOTILLA_KUBECONFIG_SECRET needs a hub that runs in Kubernetes, and a token of the ServiceAccount in its Pod';
const FIELD_MANAGER = 'flotilla-logins';
/** Writes to one Secret wait for each other: one request has less time than a hub that stops. */
const LONGEST_REQUEST_MS = 5_000;

type Place = Readonly<{
  environment?: Readonly<Record<string, string | undefined>>;
  serviceAccountFolder?: string;
}>;

/**
 * Returns the Secret that the kubeconfig of the settings is mounted from; undefined if they name none. The
 * client is opened for each renewal: a Pod without a token of its own is no reason not to start.
 */
export function mountedLogins(settings: Settings, place: Place = {}): MountedLogins | undefined {
  const { kubeconfigSecret: secret, kubeconfig, kubeRequestTimeout } = settings;
  if (secret === '') return undefined;
  return {
    secret,
    files: kubeconfig.split(':'),
    withApi: async (use) => {
      const access = inClusterAccess({ neededBy: NEEDS_POD, ...place });
      const folder = place.serviceAccountFolder ?? SERVICE_ACCOUNT_FOLDER;
      const namespace = (await readFile(join(folder, 'namespace'), 'utf8')).trim();
      const [client] = await loadClusters({
        access: [access],
        fieldManager: FIELD_MANAGER,
        transport: { requestTimeoutMs: Math.min(kubeRequestTimeout, LONGEST_REQUEST_MS) },
      });
      try {
        if (client !== undefined) await use(client, namespace);
      } finally {
        await client?.close();
      }
    },
  };
}
