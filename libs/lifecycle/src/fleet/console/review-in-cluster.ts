import { referenceOf } from '#core/classic/install-plan/bundle-reference';
import { isClusterScoped, manifestOf } from '#core/classic/install-plan/step-manifest';
import type { ConsoleQuestion, QuestionAnswer } from '#core/fleet/console-questions/console-question';
import { hopHash, type SubscriptionMove } from '#core/fleet/plan-class/hop-hash';
import { type PlanReview, type ReviewedStep, reviewPlan } from '#core/fleet/plan-review/review-plan';
import { CSV_API } from '#core/kernel/api/cluster-service-version';
import { INSTALL_PLAN_API, InstallPlan, type InstallPlanStep } from '#core/kernel/api/install-plan';
import { inParallel } from '#platform/fairness/in-parallel';
import { KubeApiError, type KubeClient } from '#platform/kube/client/kube-client.port';
import { movesOf, subscriptionsIn } from '../rollouts/classic-subject.js';
import type { QuestionPlace } from './answer-question.js';

/** What a plan changes in its cluster, and the hash of what was compared. */
export type ClusterReview = PlanReview & Readonly<{ hash: string; waits: boolean }>;

const READS_AT_ONCE = 8;

/** Reads the plan, and beside it every object that it writes; undefined where there is no such plan. */
export async function reviewInCluster(
  { client, globalCatalogNamespace }: QuestionPlace,
  { namespace, name }: Extract<ConsoleQuestion, { ask: 'review' }>,
): Promise<Extract<QuestionAnswer, { answer: unknown }> | undefined> {
  const found = await client.get({ ...INSTALL_PLAN_API, name, namespace });
  const plan = InstallPlan.safeParse(found).data;
  if (plan === undefined) return undefined;
  const moves = movesOf(plan, await subscriptionsIn(client, namespace));
  const steps = (plan.status?.plan ?? []).filter((step) => step !== null);
  const reviewed = await inParallel(steps, READS_AT_ONCE, (step) => besideLive(client, { step, namespace, moves }));
  const answer: ClusterReview = {
    ...reviewPlan(reviewed),
    hash: hopHash(plan, moves, globalCatalogNamespace),
    waits: plan.status?.phase === 'RequiresApproval' && !plan.spec.approved,
  };
  return { answer };
}

type Place = Readonly<{ step: InstallPlanStep; namespace: string; moves: readonly SubscriptionMove[] }>;

async function besideLive(client: KubeClient, { step, namespace, moves }: Place): Promise<ReviewedStep> {
  const live = await liveOf(client, step, namespace);
  const from = moves.find(({ to }) => to === step.resource.name)?.from ?? null;
  if (step.resource.kind !== CSV_API.kind || from === null) return { step, live };
  return { step, live, replaced: await client.get({ ...CSV_API, name: from, namespace }) };
}

/** The object that a step writes, as it is; undefined also where its kind is not served yet. */
async function liveOf(client: KubeClient, step: InstallPlanStep, namespace: string): Promise<unknown> {
  const manifest = manifestOf(step);
  if (referenceOf(step) !== undefined || 'fail' in manifest) return undefined;
  const { apiVersion, kind, metadata } = manifest.object;
  const where = isClusterScoped(kind) ? {} : { namespace };
  return client
    .get({ apiVersion, kind, name: metadata.name ?? step.resource.name, ...where })
    .catch((error: unknown) => {
      if (KubeApiError.is(error, 'NotFound')) return undefined;
      throw error;
    });
}
