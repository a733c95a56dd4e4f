import type { Settings } from '../config/settings.js';
import type { KubeClient } from '../kube/kube-client.port.js';
import { loadClusters } from '../kube/load-clusters.js';

/** A cluster with what is set for it. */
export type ManagedCluster = Readonly<{ client: KubeClient; globalCatalogNamespace: string }>;

const OPENSHIFT_CONFIG = { apiVersion: 'config.openshift.io/v1', kind: 'ClusterVersion' } as const;

/** Decision 7: `openshift-marketplace` where OpenShift's config API is served, `olm` elsewhere, unless set. */
export async function globalCatalogNamespaceOf(client: KubeClient, settings: Settings): Promise<string> {
  if (settings.globalCatalogNamespace !== '') return settings.globalCatalogNamespace;
  return (await client.serves(OPENSHIFT_CONFIG)) ? 'openshift-marketplace' : 'olm';
}

/** The clusters of the settings' kubeconfig, with a client that writes as `fieldManager`. Connects to nothing. */
export const managedClients = (settings: Settings, fieldManager: string): Promise<KubeClient[]> =>
  loadClusters({
    fieldManager,
    kubeconfigs: settings.kubeconfig === '' ? [] : settings.kubeconfig.split(':'),
    contexts: settings.contexts,
    transport: { requestTimeoutMs: settings.kubeRequestTimeout },
  });
