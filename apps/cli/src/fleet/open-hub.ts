import { parseDuration } from '#platform/config/duration';
import { readLimitsOf } from '#platform/config/kube-limits';
import { ClusterConfigError } from '#platform/kube/access/cluster-config.error';
import { inClusterAccess, type LoadClustersOptions, loadClusters } from '#platform/kube/access/load-clusters';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { commandSettings } from '../command-settings.js';
import { UsageError } from '../io.js';
import type { FleetHubOptions } from './hub-options.js';

const ANSWER_WITHIN_MS = 10_000;
/** Field manager of writes by a user, different from those of the services. */
const FIELD_MANAGER = 'flotilla';
const CONTEXT = 'context:';
const IN_CLUSTER = 'in-cluster';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Gives `use` a client of the hub's API server, and closes it in the end. @throws UsageError where no hub is
 * named, or its context cannot be used
 */
export async function withHub<T>(options: FleetHubOptions, use: (hub: KubeClient) => Promise<T>): Promise<T> {
  const hub = await openHub(options, process.env);
  try {
    return await use(hub);
  } finally {
    await hub.close();
  }
}

async function openHub(options: FleetHubOptions, environment: Environment): Promise<KubeClient> {
  const context = contextOf(options.fleet ?? environment['FLOTILLA_FLEET'] ?? '');
  const settings = commandSettings(environment);
  const transport = { requestTimeoutMs: requestTimeoutOf(options, settings.kubeRequestTimeout) };
  const common = { fieldManager: FIELD_MANAGER, transport, limits: readLimitsOf(settings), environment };
  try {
    if (context === IN_CLUSTER) return await only({ ...common, access: [inClusterAccess()] });
    const named = options.kubeconfig ?? [];
    if (named.length > 0) return await only({ ...common, kubeconfigs: named, contexts: [context] });
    const ours = environment['FLOTILLA_KUBECONFIG'] ? settings.kubeconfig.split(':') : [];
    return (
      (ours.length === 0 ? undefined : await inFiles({ ...common, kubeconfigs: ours, contexts: [context] })) ??
      (await only({ ...common, contexts: [context] }))
    );
  } catch (error) {
    throw error instanceof ClusterConfigError ? new UsageError(`the fleet's hub: ${error.message}`) : error;
  }
}

function contextOf(fleet: string): string {
  if (fleet === '') {
    throw new UsageError('which fleet? Name the context of its hub with --fleet, or set FLOTILLA_FLEET=context:NAME');
  }
  if (fleet.startsWith('dir:')) {
    throw new UsageError(`${fleet}: a fleet in files has no hub to ask; name the context of a hub with --fleet`);
  }
  return fleet.startsWith(CONTEXT) ? fleet.slice(CONTEXT.length) : fleet;
}

/** As {@link only}, undefined where these files do not have the context. */
const inFiles = (options: LoadClustersOptions): Promise<KubeClient | undefined> =>
  only(options).catch((error: unknown) => {
    if (error instanceof ClusterConfigError) return undefined;
    throw error;
  });

async function only(options: LoadClustersOptions): Promise<KubeClient> {
  const [client] = await loadClusters(options);
  if (client === undefined) throw new UsageError("the fleet's hub: no context was found; name it with --fleet");
  return client;
}

/** @throws UsageError where --request-timeout is no duration above zero */
function requestTimeoutOf({ requestTimeout }: FleetHubOptions, longest: number): number {
  if (requestTimeout === undefined) return Math.min(ANSWER_WITHIN_MS, longest);
  const ms = parseDuration(requestTimeout);
  if (ms !== undefined && ms > 0) return ms;
  throw new UsageError(`invalid --request-timeout "${requestTimeout}": expected a duration such as 30s or 1m`);
}
