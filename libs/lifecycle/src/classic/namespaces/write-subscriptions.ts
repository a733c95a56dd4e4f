import type { SubscriptionChange } from '#core/classic/subscription/subscription-change';
import { writeStatus } from '../../engine/passes/perform.js';
import { AT_REST, MOVED, type StageOutcome } from '../../engine/passes/stage.js';
import type { NamespaceStageInput } from './namespace-stage.js';

/** Writes the Subscriptions that changed. */
export async function writeSubscriptions(
  input: NamespaceStageInput,
  changes: readonly SubscriptionChange[],
): Promise<StageOutcome> {
  let outcome: StageOutcome = AT_REST;
  for (const { subscription, status, changed } of changes) {
    if (changed && (await writeStatus(input, subscription, status)).moved) outcome = MOVED;
  }
  return outcome;
}
