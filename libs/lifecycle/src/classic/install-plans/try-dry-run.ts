import type { Action } from '#core/kernel/actions/action';
import { KubeApiError, type KubeClient } from '#platform/kube/client/kube-client.port';

/**
 * Sends these writes as dry runs: nothing is stored. Returns why the API server refuses one of them now;
 * undefined if it accepts all.
 */
export async function refusalOfDryRun(
  client: KubeClient,
  actions: readonly Action[],
): Promise<KubeApiError | undefined> {
  try {
    for (const action of actions) await tried(client, action);
    return undefined;
  } catch (error) {
    if (!KubeApiError.is(error) || error.status === 0) throw error;
    return KubeApiError.is(error, 'AlreadyExists', 'Conflict') ? undefined : error;
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
