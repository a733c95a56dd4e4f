import { KIND } from '#core/kernel/api/kinds';
import { SharedBytes } from '#core/kernel/read-budget/shared-bytes';
import type { Clock } from '../clock/clock.port.js';
import { readLimitsOf } from '../config/kube-limits.js';
import type { Settings } from '../config/settings.js';
import type { SecretClusters } from '../fleet/secret-clusters.js';
import { clientOf } from '../kube/access/load-clusters.js';
import type { KubeClient } from '../kube/client/kube-client.port.js';
import { ReadBudget } from '../kube/limits/read-budget.js';
import { ClusterRegistry } from '../membership/cluster-registry.js';
import type { IdentityClaims } from '../membership/identity-claims.port.js';
import { type ClusterSource, KubeconfigSource } from '../membership/kubeconfig-source.js';
import { outboundPolicyOf } from '../registry/configured-limits.js';
import type { Log } from '../telemetry/log.port.js';

/**
 * Returns the namespace set for the cluster, or for all (why: classic.md "Global catalog namespace").
 * Otherwise `openshift-marketplace` if OpenShift's config API is served, and `olm` if not.
 */
export async function globalCatalogNamespaceOf(client: KubeClient, settings: Settings): Promise<string> {
  if (client.globalCatalogNamespace !== undefined) return client.globalCatalogNamespace;
  if (settings.globalCatalogNamespace !== '') return settings.globalCatalogNamespace;
  return (await client.serves(KIND.ClusterVersion)) ? 'openshift-marketplace' : 'olm';
}

/** Like {@link globalCatalogNamespaceOf}, asked once per client: the distribution does not change. */
export function globalNamespaces(settings: Settings): (client: KubeClient) => Promise<string> {
  const known = new WeakMap<KubeClient, string>();
  return async (client) => {
    const found = known.get(client) ?? (await globalCatalogNamespaceOf(client, settings));
    known.set(client, found);
    return found;
  };
}

type ManagedClustersOptions = Readonly<{
  /** A client for each of them, for each cluster. */
  fieldManagers: readonly string[];
  clock: Clock;
  log: Log;
  /** Files and contexts that were named on a command line; otherwise those of the settings. */
  kubeconfigs?: readonly string[];
  contexts?: readonly string[];
  /** Contexts that are wanted in addition to those, as they come and go. */
  more?: () => readonly string[];
  /** Adds the clusters with a kubeconfig in a Secret of the hub. */
  secrets?: SecretClusters | undefined;
  /** Claims of clusters to identities. Default: remembered by the process. */
  claims?: IdentityClaims | undefined;
  /** The files that kubectl reads by itself, if people run commands on this machine. */
  kubectlFiles?: readonly string[];
}>;

/**
 * Opens the clusters of the settings' kubeconfig, otherwise those that have joined, as they come and go.
 * Connects to nothing yet. Fails with a {@link ClusterConfigError} if there is none.
 */
export async function managedClusters(settings: Settings, options: ManagedClustersOptions): Promise<ClusterRegistry> {
  const { fieldManagers, clock, log, contexts = settings.contexts } = options;
  const { kubeconfigs = settings.kubeconfig === '' ? [] : settings.kubeconfig.split(':') } = options;
  const limits = readLimitsOf(settings);
  const memory = new SharedBytes(limits.processBytes);
  const transport = { requestTimeoutMs: settings.kubeRequestTimeout };
  const policy = outboundPolicyOf(settings);
  const plugins = { timeoutMs: settings.kubePluginTimeout };
  const namedBy = options.kubeconfigs === undefined ? 'FLOTILLA_KUBECONFIG' : '--kubeconfig or FLOTILLA_KUBECONFIG';
  const more = options.more === undefined ? {} : { more: options.more };
  const files = new KubeconfigSource({ kubeconfigs, namedBy, clustersFile: settings.clustersFile, contexts, ...more });
  const registry = await ClusterRegistry.open({
    source: options.secrets === undefined ? files : withSecrets(files, options.secrets),
    fieldManagers,
    clock,
    log,
    random: Math.random,
    claims: options.claims,
    kubectlFiles: options.kubectlFiles,
    makeBudget: (cluster) => new ReadBudget(cluster, limits, undefined, memory.join()),
    makeClient: (client) => clientOf({ ...client, limits, transport, policy, plugins }),
  });
  const [manager = ''] = fieldManagers;
  if (options.kubeconfigs === undefined && registry.allClients(manager).length === 0) {
    log.warn(
      { kubeconfigs },
      'no cluster is managed yet: the kubeconfig has no context that can be used; add one to it',
    );
  }
  return registry;
}

const withSecrets = (files: ClusterSource, secrets: SecretClusters): ClusterSource => ({
  read: async () => secrets.beside(await files.read()),
  labelsOf: (cluster) => secrets.labelsOf(cluster),
  start: () => secrets.start(),
  stop: () => secrets.stop(),
});
