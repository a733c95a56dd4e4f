import type { Action } from '#core/kernel/actions/action';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { KubeApiError } from '#platform/kube/client/kube-client.port';
import { tryActions } from '../../engine/passes/perform.js';
import type { RoundInput } from '../../engine/passes/stage.js';

/**
 * Performs actions on the extension, its revisions and their Secrets. Returns true if something was written,
 * or if an object has been deleted meanwhile: in both cases the reads of the pass are stale. A NotFound of a
 * create is no such case: the namespace is missing.
 */
export async function performOnOwn(
  input: RoundInput,
  actions: readonly Action[],
  known: readonly KubernetesObject[] = [],
): Promise<boolean> {
  const outcome = await tryActions(input, actions, known);
  if (outcome.ok) return outcome.wrote > 0;
  if (!KubeApiError.is(outcome.error, 'NotFound') || outcome.action.do === 'create') throw outcome.error;
  input.reader.doubtAll();
  return true;
}
