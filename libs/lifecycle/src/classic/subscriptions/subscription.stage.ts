import { FAIL_FORWARD } from '#core/classic/resolution/desired-namespace';
import { bookkeepSubscription, type SubscriptionSurroundings } from '#core/classic/subscription/bookkeep-subscription';
import { withCatalogHealth } from '#core/classic/subscription/catalog-health';
import { withPlanConditions } from '#core/classic/subscription/install-plan-conditions';
import type { SubscriptionChange } from '#core/classic/subscription/subscription-change';
import type { InstallPlan } from '#core/kernel/api/install-plan';
import type { Subscription } from '#core/kernel/api/subscription';
import { writeStatus } from '../../engine/perform.js';
import { AT_REST, MOVED, type StageOutcome } from '../../engine/stage.js';
import type { NamespaceRead } from '../namespaces/namespace-read.js';
import type { NamespaceStage, NamespaceStageInput } from '../namespaces/stage.js';

/**
 * Bookkeeping of every Subscription: its state, the condition of its plan, the health
 * of the visible catalogs.
 */
export const subscriptionStage: NamespaceStage = async (input) => {
  const { read } = input;
  const around = surroundingsOf(read);
  const changes = read.subscriptions.map((subscription) => changeOf(subscription, around, read, input.now));
  return writeChanges(input, changes);
};

/** Writes the Subscriptions that changed. */
export async function writeChanges(
  input: NamespaceStageInput,
  changes: readonly SubscriptionChange[],
): Promise<StageOutcome> {
  let outcome: StageOutcome = AT_REST;
  for (const { subscription, status, changed } of changes) {
    if (changed && (await writeStatus(input, subscription, status)).moved) outcome = MOVED;
  }
  return outcome;
}

function changeOf(
  subscription: Subscription,
  around: SubscriptionSurroundings,
  read: NamespaceRead,
  now: Date,
): SubscriptionChange {
  const at = now.toISOString();
  const rules: ((current: Subscription) => SubscriptionChange)[] = [
    (current) => bookkeepSubscription(current, around, at),
    (current) => withPlanConditions(current, referencedPlan(current, around), at),
    (current) => withCatalogHealth(current, read.catalogSources, at),
  ];
  let current = subscription;
  let changed = false;
  for (const rule of rules) {
    const change = rule(current);
    if (!change.changed) continue;
    changed = true;
    current = { ...current, status: change.status };
  }
  return { subscription, status: current.status ?? {}, changed };
}

const referencedPlan = (subscription: Subscription, { plans }: SubscriptionSurroundings): InstallPlan | undefined =>
  plans.get(subscription.status?.installPlanRef?.name ?? '');

export const surroundingsOf = (read: NamespaceRead): SubscriptionSurroundings => ({
  csvs: new Set(read.csvs.map(({ metadata }) => metadata.name ?? '')),
  plans: new Map(read.installPlans.map((plan) => [plan.metadata.name ?? '', plan])),
  failForward: read.operatorGroups.length === 1 && read.operatorGroups[0]?.spec?.upgradeStrategy === FAIL_FORWARD,
});
