import { readLimitsOf } from '../config/kube-limits.js';
import type { Settings } from '../config/settings.js';
import { loadClusters } from '../kube/access/load-clusters.js';
import type { KubeClient } from '../kube/client/kube-client.port.js';
import { joinedKubeconfigs } from './joined-clusters.js';

const OPENSHIFT_CONFIG = { apiVersion: 'config.openshift.io/v1', kind: 'ClusterVersion' } as const;

/**
 * Decision 0107: what is set for the cluster, or for all; else `openshift-marketplace` where OpenShift's
 * config API is served, `olm` elsewhere.
 */
export async function globalCatalogNamespaceOf(client: KubeClient, settings: Settings): Promise<string> {
  if (client.globalCatalogNamespace !== undefined) return client.globalCatalogNamespace;
  if (settings.globalCatalogNamespace !== '') return settings.globalCatalogNamespace;
  return (await client.serves(OPENSHIFT_CONFIG)) ? 'openshift-marketplace' : 'olm';
}

/**
 * The clusters of the settings' kubeconfig, else those that have joined; a client writes as
 * `fieldManager`. Connects to nothing.
 */
export const managedClients = async (settings: Settings, fieldManager: string): Promise<KubeClient[]> =>
  loadClusters({
    fieldManager,
    kubeconfigs: settings.kubeconfig === '' ? await joinedKubeconfigs(settings) : settings.kubeconfig.split(':'),
    namedBy: 'FLOTILLA_KUBECONFIG',
    contexts: settings.contexts,
    limits: readLimitsOf(settings),
    transport: { requestTimeoutMs: settings.kubeRequestTimeout },
  });
