import { FAIL_FORWARD } from '#core/classic/resolution/problem/desired-namespace';
import { bookkeepSubscription, type SubscriptionSurroundings } from '#core/classic/subscription/bookkeep-subscription';
import { withCatalogHealth } from '#core/classic/subscription/catalog-health';
import { withPlanConditions } from '#core/classic/subscription/install-plan-conditions';
import { lostPlans, replanLost } from '#core/classic/subscription/replan-lost';
import type { SubscriptionChange } from '#core/classic/subscription/subscription-change';
import type { InstallPlan } from '#core/kernel/api/install-plan';
import { KIND } from '#core/kernel/api/kinds';
import type { Subscription } from '#core/kernel/api/subscription';
import { perform, requireLive } from '../../engine/passes/perform.js';
import { AT_REST, joined, type StageOutcome } from '../../engine/passes/stage.js';
import type { NamespaceRead } from '../namespaces/namespace-read.js';
import type { NamespaceStage, NamespaceStageInput } from '../namespaces/namespace-stage.js';
import { writeSubscriptions } from '../namespaces/write-subscriptions.js';

/**
 * Writes the bookkeeping of every Subscription: its state, the condition of its plan, the health of the
 * visible catalogs. A Subscription with a lost plan is then rolled back.
 */
export const subscriptionStage: NamespaceStage = async (input) => {
  const { read } = input;
  const around = surroundingsOf(read);
  const changes = read.subscriptions.map((subscription) => changeOf(subscription, around, read, input.now));
  const written = await writeSubscriptions(input, changes);
  return written.moved ? written : takeBackLost(input);
};

/** Has the namespace resolved again if a plan was deleted while its ClusterServiceVersions wait for it. */
async function takeBackLost(input: NamespaceStageInput): Promise<StageOutcome> {
  const { namespace, subscriptions, csvs, installPlans: plans } = input.read;
  const lost = lostPlans(subscriptions, { csvs, plans });
  if (lost.length === 0) return AT_REST;
  requireLive(input, 'what a lost InstallPlan has left');
  const deployments = await input.reader.list(KIND.Deployment, { namespace });
  const { deletions, changes } = replanLost(lost, { csvs, deployments }, input.now.toISOString());
  const deleted = await perform(input, deletions);
  return joined(deleted, await writeSubscriptions(input, changes));
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
