import { COMMAND } from '#core/kernel/actions/field-managers';
import { SystemClock } from '#platform/clock/system-clock';
import { parseDuration } from '#platform/config/duration';
import { type FleetPlace, fleetPlace } from '#platform/config/fleet-place';
import { readLimitsOf } from '#platform/config/kube-limits';
import { FleetFolderError } from '#platform/fleet/folder/fleet-folder.error';
import { FolderVisitor } from '#platform/fleet/folder/folder-visitor';
import { ClusterConfigError } from '#platform/kube/access/cluster-config.error';
import { inClusterAccess, type LoadClustersOptions, loadClusters } from '#platform/kube/access/load-clusters';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { commandPlugins } from '../../../clusters/command-plugins.js';
import { commandSettings } from '../../../hub/command-settings.js';
import { type Io, UsageError } from '../../../terminal/io.js';
import { namedFleet } from './fleet-option.js';
import type { FleetHubOptions } from './hub-options.js';

const ANSWER_WITHIN_MS = 10_000;
const IN_CLUSTER = 'in-cluster';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Gives `use` a client of the hub's API server, and closes it in the end.
 * @throws UsageError if no hub is named, or its context cannot be used
 */
export async function withHub<T>(
  options: FleetHubOptions,
  io: Pick<Io, 'err'>,
  use: (hub: KubeClient) => Promise<T>,
): Promise<T> {
  const hub = await openHub(options, process.env, io);
  try {
    return await use(hub);
  } finally {
    await hub.close();
  }
}

async function openHub(options: FleetHubOptions, environment: Environment, io: Pick<Io, 'err'>): Promise<KubeClient> {
  const place = placeOf(namedFleet(options.fleet, environment));
  if (place.in === 'folder') return openFolder(place.path, io);
  const context = place.in === 'cluster' ? IN_CLUSTER : place.context;
  const settings = commandSettings(environment);
  const transport = { requestTimeoutMs: requestTimeoutOf(options, settings.kubeRequestTimeout) };
  const plugins = commandPlugins(settings);
  const common = { fieldManager: COMMAND, transport, plugins, limits: readLimitsOf(settings), environment };
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

/** Opens the folder of a fleet in files. A broken folder is shown in its last good state. */
async function openFolder(path: string, io: Pick<Io, 'err'>): Promise<KubeClient> {
  const onProblem = (problem: string): void => {
    for (const line of problem.split('\n')) io.err(`note: ${line}\n`);
    io.err('note: the earlier content of these files counts until they are corrected\n');
  };
  try {
    const onNote = (note: string) => io.err(`note: ${note}\n`);
    return await FolderVisitor.open({ path, clock: new SystemClock(), onProblem, onNote });
  } catch (error) {
    throw error instanceof FleetFolderError ? new UsageError(error.message) : error;
  }
}

function placeOf(fleet: string): FleetPlace {
  const place = fleetPlace(fleet);
  if (place !== undefined) return place;
  throw new UsageError(
    'specify a fleet: name its folder, or the context of its hub, with --fleet, or set FLOTILLA_FLEET=dir:PATH or context:NAME',
  );
}

/** Opens a context as {@link only} does. Returns undefined if these files do not have the context. */
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

/** @throws UsageError if --request-timeout is no duration above zero */
function requestTimeoutOf({ requestTimeout }: FleetHubOptions, longest: number): number {
  if (requestTimeout === undefined) return Math.min(ANSWER_WITHIN_MS, longest);
  const ms = parseDuration(requestTimeout);
  if (ms !== undefined && ms > 0) return ms;
  throw new UsageError(`invalid --request-timeout "${requestTimeout}": expected a duration such as 30s or 1m`);
}
