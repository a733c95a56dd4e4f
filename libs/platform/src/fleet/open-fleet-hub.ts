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
  /** The field manager as which the service writes there. */
  fieldManager: string;
  /** Files that were named on a command line; else those of the settings. */
  kubeconfigs?: readonly string[];
  /** The folder of the settings, which one process has opened for all its services. */
  folder?: FleetFolder | undefined;
}>;

const ONE_PROCESS =
  'one process at a time uses a fleet in files, and that is "flotilla up"; services of their own need context:NAME or in-cluster';
const NEEDS_POD = 'FLOTILLA_FLEET=in-cluster needs a hub that runs in Kubernetes with a service account token';

/**
 * A client of the hub API, the API server that has the fleet's objects; undefined where the hub has no fleet.
 * Connects to nothing yet.
 *
 * @throws FleetPlaceError where FLOTILLA_FLEET names neither an API server nor a folder that was opened
 * @throws ClusterConfigError where its context cannot be used
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
    // Its changes are what clusters wait for, and in a large fleet more than one cluster may cause.
    rests: false,
    transport: { requestTimeoutMs: settings.kubeRequestTimeout },
    plugins: { timeoutMs: settings.kubePluginTimeout },
  });
  return client;
}

/** The clusters that the hub API has Secrets for; undefined where the hub has no fleet. */
export async function openSecretClusters(
  hub: KubeClient | undefined,
  { settings, clock, log }: Readonly<{ settings: Settings; clock: Clock; log: Log }>,
  observes = false,
): Promise<SecretClusters | undefined> {
  if (hub === undefined) return undefined;
  return new SecretClusters({ hub, namespace: await hubNamespace(settings), clock, log, observes });
}
