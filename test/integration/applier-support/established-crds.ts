import { z } from 'zod';
import type { SimulatedCluster } from '#testing/cluster/simulated-cluster';
import { PATIENCE_MS, pause } from '#testing/patience';

/** A new CustomResourceDefinition is served after a moment. */
export async function established(cluster: SimulatedCluster): Promise<void> {
  const Status = z.object({
    status: z.object({ conditions: z.array(z.object({ type: z.string(), status: z.string() })) }),
  });
  const isEstablished = (crd: unknown) =>
    Status.safeParse(crd).data?.status.conditions.some(
      ({ type, status }) => type === 'Established' && status === 'True',
    );
  const crds = () => cluster.list({ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' });
  for (const deadline = performance.now() + PATIENCE_MS; performance.now() < deadline; ) {
    if (crds().every((crd) => isEstablished(crd))) return;
    await pause(10);
  }
  throw new Error('the CustomResourceDefinitions are not established');
}
