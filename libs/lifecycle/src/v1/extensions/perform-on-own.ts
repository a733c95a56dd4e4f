import type { Action } from '#core/kernel/actions/action';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { KubeApiError } from '#platform/kube/client/kube-client.port';
import { tryActions } from '../../engine/passes/perform.js';
import type { RoundInput } from '../../engine/passes/stage.js';

/**
 * Performs actions on the extension, its revisions and their Secrets. True where something was written, and
 * where an object has been deleted meanwhile: in both cases what the pass has read is old. A NotFound of a
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
