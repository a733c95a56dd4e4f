import type { Action } from '#core/kernel/actions/action';
import { KubeApiError, type KubeClient } from '#platform/kube/client/kube-client.port';

/** Whether the API server accepts these writes now. All are sent as dry runs: nothing is stored. */
export async function isAccepted(client: KubeClient, actions: readonly Action[]): Promise<boolean> {
  try {
    for (const action of actions) await tried(client, action);
    return true;
  } catch (error) {
    if (!KubeApiError.is(error) || error.status === 0) throw error;
    return KubeApiError.is(error, 'AlreadyExists', 'Conflict');
  }
}

/** Steps of a plan create, update and patch; the API server has no reason to refuse their Events. */
async function tried(client: KubeClient, action: Action): Promise<void> {
  const dry = { dryRun: true } as const;
  if (action.do === 'create') await client.create(action.object, dry);
  else if (action.do === 'update') await client.update(action.object, dry);
  else if (action.do === 'apply') await client.apply(action.object, dry);
  else if (action.do === 'patch') await client.patch(action.ref, action.patch, dry);
}
