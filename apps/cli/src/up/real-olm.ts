import { KubeApiError, type KubeClient } from '#platform/kube/kube-client.port';

/** Where OLM installs itself: upstream, and on OpenShift. */
const NAMESPACES = ['olm', 'openshift-operator-lifecycle-manager'];
const DEPLOYMENTS = ['olm-operator', 'catalog-operator'];

/** Deployments of OLM itself, and whether anybody was allowed to look. */
export type RealOlm = Readonly<{ running: readonly Readonly<{ namespace: string; name: string }>[]; unknown?: string }>;

/** Looks for an OLM at work in the cluster: it and Flotilla would both act on the same objects. */
export async function findRealOlm(client: KubeClient): Promise<RealOlm> {
  const places = NAMESPACES.flatMap((namespace) => DEPLOYMENTS.map((name) => ({ namespace, name })));
  try {
    const found = await Promise.all(
      places.map(async (place) => {
        const deployment = await client.get({ apiVersion: 'apps/v1', kind: 'Deployment', ...place });
        return deployment !== undefined && replicasOf(deployment['spec']) > 0 ? [place] : [];
      }),
    );
    return { running: found.flat() };
  } catch (error) {
    if (!KubeApiError.is(error, 'Forbidden')) throw error;
    return { running: [], unknown: error.message };
  }
}

/** Scaled to nothing it is at rest; not said means one, as the API server defaults it. */
function replicasOf(spec: unknown): number {
  const replicas = typeof spec === 'object' && spec !== null && 'replicas' in spec ? spec.replicas : undefined;
  return typeof replicas === 'number' ? replicas : 1;
}
