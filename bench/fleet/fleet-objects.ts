import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadAll } from 'js-yaml';
import { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { KubeApiError, type KubeClient } from '#platform/kube/client/kube-client.port';
import type { SimulatedCluster } from '#testing/cluster/simulated-cluster';
import { installMissingCrds } from '../../apps/cli/src/commands/demo/environment/install-crds.js';

const OLM = 'operators.coreos.com/v1alpha1';
const NAMESPACE = 'harbors';
/** The operator that is asked for, and the one it depends on. */
const WANTED = ['harbor-operator.v1.0.0', 'lighthouse-operator.v1.0.0'];

/** Everything but the Subscription: kinds, namespaces, OperatorGroup, CatalogSource. */
export async function prepareCluster(client: KubeClient, registryHost: string): Promise<void> {
  await installMissingCrds(client);
  await createPatiently(client, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'olm' } });
  for (const file of ['1-namespace.yaml', '2-catalog-source.yaml']) await createFrom(client, file, registryHost);
}

/** The Subscription, the same in every cluster. */
export const subscribeIn = (client: KubeClient, registryHost: string): Promise<void> =>
  createFrom(client, '3-subscription-automatic.yaml', registryHost);

/** Both operators run. */
export const isInstalled = (cluster: SimulatedCluster): boolean =>
  WANTED.every((name) => {
    const csv = cluster.get({ apiVersion: OLM, kind: 'ClusterServiceVersion', namespace: NAMESPACE, name });
    const status: unknown = csv?.['status'];
    return typeof status === 'object' && status !== null && 'phase' in status && status.phase === 'Succeeded';
  });

/** InstallPlans beyond the one that is needed: none, unless a plan was made twice. */
export const surplusPlans = (cluster: SimulatedCluster): number =>
  Math.max(0, cluster.list({ apiVersion: OLM, kind: 'InstallPlan', namespace: NAMESPACE }).length - 1);

async function createFrom(client: KubeClient, file: string, registryHost: string): Promise<void> {
  const text = await readFile(join(PROJECT_ROOT, 'examples', 'manifests', file), 'utf8');
  for (const document of loadAll(text.replaceAll('registry.example/', `${registryHost}/`)))
    await createPatiently(client, KubernetesObject.parse(document));
}

/** Creates an object with patience: a new kind is served a moment after its definition was created. */
async function createPatiently(client: KubeClient, object: KubernetesObject): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await client.create(object);
      return;
    } catch (error) {
      if (!KubeApiError.is(error, 'NotFound') || tries === 50) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}
