import type { Clock } from '../clock/clock.port.js';
import { FleetPlaceError, fleetPlace, hubNamespace } from '../config/fleet-place.js';
import { readLimitsOf } from '../config/kube-limits.js';
import type { Settings } from '../config/settings.js';
import { inClusterAccess, loadClusters } from '../kube/access/load-clusters.js';
import type { KubeClient } from '../kube/client/kube-client.port.js';
import type { Log } from '../telemetry/log.port.js';
import type { FleetFolder } from './folder/fleet-folder.js';
import { SecretClusters } from './secret-clusters.js';

export type HubApiOptions = Readonly<{
  /** The field manager of the service's writes there. */
  fieldManager: string;
  /** Files that were named on a command line; otherwise those of the settings. */
  kubeconfigs?: readonly string[];
  /** The folder of the settings. One process has opened it for all its services. */
  folder?: FleetFolder | undefined;
}>;

const ONE_PROCESS = 'a fleet in files works only with "flotilla up"; separate services need context:NAME or in-cluster';
const NEEDS_POD = 'FLOTILLA_FLEET=in-cluster needs a hub that runs in Kubernetes with a service account token';

/**
 * Opens a client of the hub API, the API server that has the fleet's objects. Returns undefined if the hub
 * has no fleet. Connects to nothing yet.
 *
 * @throws FleetPlaceError if FLOTILLA_FLEET names neither an API server nor an opened folder
 * @throws ClusterConfigError if its context cannot be used
 */
export async function openFleetHub(settings: Settings, options: HubApiOptions): Promise<KubeClient | undefined> {
  const place = fleetPlace(settings.fleet);
  if (place === undefined) return undefined;
  if (place.in === 'folder') {
    if (options.folder !== undefined) return options.folder.client(options.fieldManager);
    throw new FleetPlaceError(`FLOTILLA_FLEET is "${settings.fleet}": ${ONE_PROCESS}`);
  }
  const { fieldManager, kubeconfigs = settings.kubeconfig === '' ? [] : settings.kubeconfig.split(':') } = options;
  const chosen =
    place.in === 'cluster'
      ? { access: [inClusterAccess({ neededBy: NEEDS_POD })] }
      : { kubeconfigs, contexts: [place.context], namedBy: 'FLOTILLA_KUBECONFIG' };
  const [client] = await loadClusters({
    ...chosen,
    fieldManager,
    limits: readLimitsOf(settings),
    // Clusters wait for its changes, and in a large fleet these may be more than one cluster causes.
    rests: false,
    transport: { requestTimeoutMs: settings.kubeRequestTimeout },
    plugins: { timeoutMs: settings.kubePluginTimeout },
  });
  return client;
}

/** Returns the clusters that the hub API has Secrets for. Returns undefined if the hub has no fleet. */
export async function openSecretClusters(
  hub: KubeClient | undefined,
  { settings, clock, log }: Readonly<{ settings: Settings; clock: Clock; log: Log }>,
  observes = false,
): Promise<SecretClusters | undefined> {
  if (hub === undefined) return undefined;
  return new SecretClusters({ hub, namespace: await hubNamespace(settings), clock, log, observes });
}
