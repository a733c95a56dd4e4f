import { joinedClusters, writeJoinedClusters } from '#platform/hub/joined-clusters';
import { ClusterConfigError } from '#platform/kube/access/cluster-config.error';
import type { ClusterAccess } from '#platform/kube/access/kubeconfig';
import { loadClusters, readAccess } from '#platform/kube/load-clusters';
import { commandSettings } from '../command-settings.js';
import { ExitCode, type Io, UsageError } from '../io.js';
import { lineOf } from './ask-clusters.js';
import { findCluster, olmText } from './find-clusters.js';

export type JoinOptions = Readonly<{
  kubeconfigs: readonly string[];
  contexts: readonly string[];
  name?: string | undefined;
  globalCatalogNamespace?: string | undefined;
  /** Look at the cluster first. */
  check: boolean;
}>;

const NAME = /^[A-Za-z0-9]([A-Za-z0-9._:@/-]{0,251}[A-Za-z0-9])?$/;
const NAMESPACE = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

/** `flotilla clusters add`: puts contexts into the hub's own kubeconfig, after a look at each cluster. */
export async function joinClusters(io: Io, options: JoinOptions): Promise<void> {
  const settings = commandSettings(process.env);
  const file = settings.clustersFile;
  try {
    const wanted = namedBy(options, await readAccess(options));
    const before = await joinedClusters(file);
    for (const { context, cluster } of wanted) refuseTwins(before, context, cluster.server);
    // Written first under another name: what is looked at is what will be used.
    if (options.check) for (const access of wanted) await lookAt(access, io);
    await writeJoinedClusters(file, [...before, ...wanted]);
    for (const { context } of wanted) io.out(`cluster ${context} added to ${file}\n`);
    io.err('A hub that runs takes it up when it is started again; what it lacks there: flotilla clusters check\n');
    io.exit(ExitCode.done);
  } catch (error) {
    throw error instanceof ClusterConfigError ? new UsageError(error.message) : error;
  }
}

function namedBy({ name, globalCatalogNamespace }: JoinOptions, found: readonly ClusterAccess[]): ClusterAccess[] {
  if (name !== undefined && found.length !== 1) {
    throw new UsageError(
      `--name "${name}" is for one cluster, and ${found.length} contexts are meant: choose with --context`,
    );
  }
  if (name !== undefined && !NAME.test(name)) {
    throw new UsageError(
      `--name "${name}" cannot be a cluster's name: take letters, digits and . _ : @ / - between them`,
    );
  }
  if (globalCatalogNamespace !== undefined && !NAMESPACE.test(globalCatalogNamespace)) {
    throw new UsageError(`--global-catalog-namespace "${globalCatalogNamespace}" is no name of a namespace`);
  }
  const set = globalCatalogNamespace === undefined ? {} : { globalCatalogNamespace };
  return found.map((access) => ({ ...access, ...set, context: name ?? access.context }));
}

function refuseTwins(joined: readonly ClusterAccess[], name: string, server: string): void {
  if (joined.some(({ context }) => context === name)) {
    throw new UsageError(
      `there is a cluster "${name}" already; take another --name, or flotilla clusters remove ${name}`,
    );
  }
  const twin = joined.find(({ cluster }) => cluster.server === server);
  if (twin !== undefined) throw new UsageError(`${server} is managed already, as cluster "${twin.context}"`);
}

class NotReached extends Error {}

async function lookAt(access: ClusterAccess, io: Io): Promise<void> {
  const [client] = await loadClusters({ access: [access], fieldManager: 'flotilla' });
  if (client === undefined) return;
  try {
    const facts = await findCluster(client, commandSettings(process.env));
    const global = `global catalogs in namespace ${facts.globalCatalogNamespace}`;
    io.err(`${access.context}: Kubernetes ${facts.version}, ${global}, OLM: ${olmText(facts)}\n`);
  } catch (error) {
    throw new NotReached(
      `${access.context} is not added, it was not reached (--no-check adds it anyway): ${lineOf(error)}`,
    );
  } finally {
    await client.close();
  }
}
