import { applyResolution } from '#core/classic/subscription/apply-resolution';
import { SUBSCRIPTION_API, type Subscription } from '#core/kernel/api/subscription';
import { perform } from '../../engine/passes/perform.js';
import type { StageOutcome } from '../../engine/passes/stage.js';
import type { NamespaceStageInput } from '../namespaces/namespace-stage.js';
import { writeSubscriptions } from '../namespaces/write-subscriptions.js';
import type { UnpackFailure } from './unpack-bundles.js';
import type { HeldSubscriptions } from './usable-part.js';

/** Reports on the Subscriptions that wait for a bundle, with an Event for each if it is news. */
export async function reportUnpackFailure(
  input: NamespaceStageInput,
  subscriptions: readonly Subscription[],
  failure: UnpackFailure,
  againAfterMs: number,
): Promise<StageOutcome> {
  const changes = applyResolution(subscriptions, failure, input.now.toISOString());
  const reported = await writeSubscriptions(input, changes);
  const events = changes.flatMap(({ changed, subscription: { metadata } }) => {
    const { name = '', namespace, uid } = metadata;
    const event = { do: 'emitEvent', type: 'Warning', reason: 'BundleUnpackFailed', message: failure.message } as const;
    return changed ? [{ ...event, about: { ...SUBSCRIPTION_API, name, namespace, uid } }] : [];
  });
  await perform(input, events);
  return { moved: reported.moved, waitsFor: 'the next try to unpack bundles', againAfterMs };
}

/** Reports unusable bundles on the Subscriptions that wait for them; undefined if there are none. */
export async function reportHeld(
  input: NamespaceStageInput,
  held: readonly HeldSubscriptions[],
  againAfterMs: number,
): Promise<StageOutcome | undefined> {
  let outcome: StageOutcome | undefined;
  for (const { subscriptions, failure } of held) {
    const waiting = input.read.subscriptions.filter(({ metadata }) => subscriptions.includes(metadata.name ?? ''));
    const reported = await reportUnpackFailure(input, waiting, failure, againAfterMs);
    outcome = { ...reported, moved: reported.moved || (outcome?.moved ?? false) };
  }
  return outcome;
}
