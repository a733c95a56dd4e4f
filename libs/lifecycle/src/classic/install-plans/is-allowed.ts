import { z } from 'zod';
import type { AccessTo } from '#core/classic/install-plan/execution/step-install-plan';
import type { KubeClient } from '#platform/kube/client/kube-client.port';

const AccessReview = z.looseObject({ status: z.looseObject({ allowed: z.boolean() }) });

/**
 * True if the API server would let the client's user do this. Every authenticated user may ask for their own
 * rights.
 */
export async function isAllowed(client: Pick<KubeClient, 'create'>, may: AccessTo): Promise<boolean> {
  const { object } = await client.create({
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectAccessReview',
    metadata: {},
    spec: { resourceAttributes: may },
  });
  return AccessReview.parse(object).status.allowed;
}
