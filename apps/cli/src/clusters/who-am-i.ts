import { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import type { Author } from '#core/rollout/review/class-approval';
import type { KubeClient } from '#platform/kube/client/kube-client.port';

const MOST_GROUPS = 256;

/** The caller, as an API server knows it. */
export async function whoAmI(client: KubeClient): Promise<Author> {
  const { object } = await client.create<KubernetesObject>({
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'SelfSubjectReview',
    metadata: {},
  });
  const { userInfo = {} } = (object['status'] ?? {}) as Readonly<{
    userInfo?: Readonly<{ username?: string; groups?: readonly string[] }>;
  }>;
  return { user: userInfo.username ?? '', groups: (userInfo.groups ?? []).slice(0, MOST_GROUPS) };
}
