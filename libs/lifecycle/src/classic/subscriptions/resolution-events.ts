import type { ResolvedResolution } from '#core/classic/install-plan/creation/plan-install';
import type { Unresolved } from '#core/classic/resolution/problem/resolution-problem';
import { KIND } from '#core/kernel/api/kinds';
import { clipMessage } from '#core/kernel/conditions/clip-message';
import { perform } from '../../engine/passes/perform.js';
import type { NamespaceStageInput } from '../namespaces/namespace-stage.js';

/** Returns an Event about a namespace with a Subscription that cannot be resolved. */
export const resolutionWarning = (namespace: string, message: string) => ({
  do: 'emitEvent' as const,
  about: { ...KIND.Namespace, name: namespace },
  type: 'Warning' as const,
  reason: 'ResolutionFailed',
  message,
});

/**
 * Emits an Event for each Subscription that is left out, with isolation, unless its condition says the same
 * already.
 */
export async function reportLeftOut(
  input: NamespaceStageInput,
  { unresolved = [] }: ResolvedResolution,
): Promise<void> {
  const { namespace, subscriptions } = input.read;
  const isNews = ({ name, message }: Unresolved) =>
    subscriptions.some(
      ({ metadata, status }) =>
        metadata.name === name &&
        !status?.conditions?.some((held) => held.type === 'ResolutionFailed' && held.message === clipMessage(message)),
    );
  const events = unresolved
    .filter((desired) => desired.kind === 'subscription' && isNews(desired))
    .map(({ name, message, advice }) =>
      resolutionWarning(namespace, `Subscription ${name} is left out: ${message}. ${advice}`),
    );
  if (events.length > 0) await perform(input, events);
}
