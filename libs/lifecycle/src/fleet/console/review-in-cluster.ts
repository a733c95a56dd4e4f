import { INSTALL_PLAN_API, InstallPlan } from '#core/kernel/api/install-plan';
import { hopHash } from '#core/rollout/review/hop-hash';
import { type PlanReview, reviewPlan } from '#core/rollout/review/review-plan';
import { type TouchedDefinition, touchedDefinitions } from '#core/rollout/review/touched-definitions';
import type { ConsoleQuestion, QuestionAnswer } from '#core/view/questions/console-question';
import { movesOf, subscriptionsIn } from '../../rollouts/orders/classic/classic-subject.js';
import { stepsBesideCluster, stepsOf } from '../../rollouts/orders/review/steps-beside-cluster.js';
import type { QuestionPlace } from './question-place.js';

/** The changes of a plan in its cluster, and the hash of the compared objects. */
type ClusterReview = PlanReview & Readonly<{ hash: string; waits: boolean; touches: readonly TouchedDefinition[] }>;

/** Reads the plan, and next to it every object that it writes. Undefined if there is no such plan. */
export async function reviewInCluster(
  { client, globalCatalogNamespace, csvs }: QuestionPlace,
  { namespace, name }: Extract<ConsoleQuestion, { ask: 'review' }>,
): Promise<Extract<QuestionAnswer, { answer: unknown }> | undefined> {
  const found = await client.get({ ...INSTALL_PLAN_API, name, namespace });
  const plan = InstallPlan.safeParse(found).data;
  if (plan === undefined) return undefined;
  const moves = movesOf(plan, await subscriptionsIn(client, namespace));
  const reviewed = await stepsBesideCluster(client, stepsOf(plan), { namespace, moves });
  const answer: ClusterReview = {
    ...reviewPlan(reviewed),
    touches: touchedDefinitions(reviewed, { namespace, moves, csvs: csvs() }),
    hash: hopHash(plan, moves, globalCatalogNamespace),
    waits: plan.status?.phase === 'RequiresApproval' && !plan.spec.approved,
  };
  return { answer };
}
