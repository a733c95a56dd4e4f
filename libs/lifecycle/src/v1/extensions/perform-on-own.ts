import type { Action } from '#core/kernel/actions/action';
import { KubeApiError } from '#platform/kube/kube-client.port';
import { type PerformOptions, performActions } from '#platform/kube/perform-actions';
import type { ExtensionPass } from './extension-pass.js';

/**
 * Performs actions on the extension, its revisions and their Secrets. True where something was written, and where an
 * object has been deleted meanwhile: in both cases what the pass has read is old. Not found while creating is no such
 * case: it says that the namespace is missing.
 */
export async function performOnOwn(
  { client, now, signal }: Pick<ExtensionPass, 'client' | 'now' | 'signal'>,
  actions: readonly Action[],
  options: Pick<PerformOptions, 'known'> = {},
): Promise<boolean> {
  const outcome = await performActions(client, actions, now, { ...options, signal });
  if (outcome.ok) return outcome.wrote > 0;
  if (KubeApiError.is(outcome.error, 'NotFound') && outcome.action.do !== 'create') return true;
  throw outcome.error;
}
