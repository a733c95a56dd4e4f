import { COMMAND } from '#core/kernel/actions/field-managers';
import { didYouMean } from '#core/kernel/text/did-you-mean';
import { joinedKubeconfigs } from '#platform/clusters/joined-clusters';
import { parseDuration } from '#platform/config/duration';
import { readLimitsOf } from '#platform/config/kube-limits';
import type { Settings } from '#platform/config/settings';
import { ClusterConfigError } from '#platform/kube/access/cluster-config.error';
import { loadClusters } from '#platform/kube/access/load-clusters';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { commandSettings } from '../hub/command-settings.js';
import { NEXT } from '../output/next-commands.js';
import { type Io, UsageError } from '../terminal/io.js';
import type { ClusterOptions } from './cluster-options.js';
import { commandPlugins } from './command-plugins.js';

/** Time for an answer while a user waits at a terminal. A cluster without one counts as unreachable. */
const ANSWER_WITHIN_MS = 10_000;

/** Returns a function that notes each context of a kubeconfig that is left out. */
export const noteTo =
  ({ err }: Pick<Io, 'err'>) =>
  (problem: string): void =>
    err(`note: ${problem}\n`);

/** Gives `use` a client for each chosen cluster, and closes them in the end. */
export async function withClusters<T>(
  io: Pick<Io, 'err'>,
  options: ClusterOptions,
  use: (clients: readonly KubeClient[]) => Promise<T>,
): Promise<T> {
  const clients = await openClusters(io, options);
  try {
    return await use(chosen(clients, options));
  } finally {
    await Promise.all(clients.map((client) => client.close()));
  }
}

/**
 * Opens a cluster as {@link withClusters} does, for verbs about a single cluster. If several are meant, `or`
 * names another way.
 */
export const withOneCluster = <T>(
  io: Pick<Io, 'err'>,
  options: ClusterOptions,
  use: (client: KubeClient) => Promise<T>,
  or?: string,
): Promise<T> =>
  withClusters(io, options, async (clients) => {
    const [client, ...others] = clients;
    if (client !== undefined && others.length === 0) return use(client);
    const way = or === undefined ? '' : `, ${or}`;
    throw new UsageError(`specify a cluster with --cluster: one of ${namesOf(clients)}${way}`);
  });

async function openClusters(io: Pick<Io, 'err'>, options: ClusterOptions): Promise<readonly KubeClient[]> {
  const { kubeconfig = [], context = [] } = options;
  const settings = commandSettings(process.env);
  const named = process.env['FLOTILLA_KUBECONFIG'] ? settings.kubeconfig.split(':') : [];
  try {
    const kubeconfigs =
      [kubeconfig, named].find((files) => files.length > 0) ?? (await joinedKubeconfigs(settings, context));
    const transport = { requestTimeoutMs: requestTimeoutOf(options, settings) };
    const contexts = context.length > 0 ? context : settings.contexts;
    const common = { transport, limits: readLimitsOf(settings), plugins: commandPlugins(settings) };
    return await loadClusters({ kubeconfigs, contexts, fieldManager: COMMAND, onProblem: noteTo(io), ...common });
  } catch (error) {
    throw error instanceof ClusterConfigError ? new UsageError(error.message) : error;
  }
}

/** @throws UsageError if --request-timeout is no duration above zero */
function requestTimeoutOf({ requestTimeout }: ClusterOptions, settings: Settings): number {
  if (requestTimeout === undefined) return Math.min(ANSWER_WITHIN_MS, settings.kubeRequestTimeout);
  const ms = parseDuration(requestTimeout);
  if (ms !== undefined && ms > 0) return ms;
  throw new UsageError(`invalid --request-timeout "${requestTimeout}": expected a duration such as 30s or 1m`);
}

function chosen(clients: readonly KubeClient[], options: ClusterOptions): readonly KubeClient[] {
  const { cluster: names = [], context = [] } = options;
  const unknown = names.find((name) => !clients.some(({ cluster }) => cluster === name));
  if (unknown !== undefined) throw new UsageError(unknownCluster(unknown, clients, context));
  if (clients.length === 0) throw new UsageError(`no cluster: name a kubeconfig, or add one with ${NEXT.addCluster()}`);
  return names.length === 0 ? clients : clients.filter(({ cluster }) => names.includes(cluster));
}

function unknownCluster(name: string, clients: readonly KubeClient[], contexts: readonly string[]): string {
  const hint = didYouMean(
    name,
    clients.map(({ cluster }) => cluster),
  );
  const among = contexts.length === 0 ? '' : ` among those that --context takes`;
  return `no cluster "${name}"${among}${hint}; there is ${namesOf(clients) || 'none'}`;
}

const NAMED = 10;
function namesOf(clients: readonly KubeClient[]): string {
  const names = clients.map(({ cluster }) => cluster);
  return names.slice(0, NAMED).join(', ') + (names.length > NAMED ? ` and ${names.length - NAMED} more` : '');
}
