/**
 * Execution of an InstallPlan, as decisions. The shell, once per pass of one plan:
 *
 *   const turn = nextTurn(plan, groupsOfNamespace, now)
 *     write   → PUT status, start over          rest → PUT status if given, stop (retry: with back-off)
 *     execute → const context = contextOf(plan, {...}); outcomes = refuseUnsupported(plan), and
 *     where that finds nothing
 *       for each [index, step] of unfinishedSteps(plan) (its manifest fetched where it is a
 *       reference: bundle-reference.ts):
 *       let world = emptyWorld
 *       while ((reads = readsForStep(step, context, world)).length > 0)
 *         for (read of reads) world = withAnswer(world, read, answer) // get: 404 →
 *         {object: undefined}; a list of a
 *                                                                       // kind that is not served → {list:
 *                                                                       []};
 *                                                                       // access: as the API server answers
 *                                                                       the account
 *       const decision = decideStep(step, context, world) // rewrite → do it, then read
 *       and decide this step anew
 *       const performed = 'actions' in decision ? await perform(decision.actions) : undefined
 *       outcomes.set(index, outcomeOf(step, decision, performed)); stop the loop at the
 *       first outcome with an error
 *     const { status, againAfterMs } = concludeExecution(plan, outcomes, { now,
 *     retryTimeoutMs }) → PUT status
 *
 * CRDs, and everything that is only read, use our own rights; all other writes those of `turn.actingAs` where
 * given (a CRD that is there and not the namespace's is replaced only if that account may: crd-rights.ts).
 * Killed anywhere and run again it ends the same: what was made is found and marked Present.
 */
import type { InstallPlan, InstallPlanStep } from '../../../kernel/api/install-plan.js';
import { isDone } from '../steps/install-plan-step.js';
import type { StepContext } from '../steps/step-world.js';

export { keepsDefinitions } from '../crds/decide-crd.js';
export {
  checkOfFailedPlan,
  type FailedPlanCheck,
  RETRY_ANNOTATION,
  type RetryMode,
  requestedRetry,
  retriedStatus,
  stillFailedStatus,
} from '../plan/retry-plan.js';
export type { StepStatus } from '../steps/install-plan-step.js';
export { startMarks } from '../steps/start-marks.js';
export {
  type AccessTo,
  emptyWorld,
  type Performed,
  type RewriteDecision,
  type SettledDecision,
  type StepAnswer,
  type StepContext,
  type StepDecision,
  type StepOutcome,
  type StepRead,
  type StepWorld,
  withAnswer,
} from '../steps/step-world.js';
export { agedKinds } from './aged-kinds.js';
export {
  approvalTransition,
  type GroupVerdict,
  migratesStoredVersions,
  nextTurn,
  operatorGroupVerdict,
  type PlanTurn,
  revivedByOptIn,
  revivedByRights,
} from './before-execution.js';
export { concludeExecution, type ExecutionConclusion } from './conclude-execution.js';
export { decideStep, SUPPORTED_STEP_KINDS } from './decide-step.js';
export { readsForStep } from './reads-for-step.js';
export { refuseUnsupported } from './refuse-unsupported.js';
export { replacesCopies } from './replace-copy.js';
export { migratedEvent, outcomeOf, warningEvent } from './step-outcome.js';

/** Settings and time of one execution. */
type ExecutionSettings = Omit<StepContext, 'plan' | 'clusterServiceVersionNames'>;

/** What all steps of one execution share. */
export const contextOf = (plan: InstallPlan, settings: ExecutionSettings): StepContext => ({
  ...settings,
  plan: {
    name: plan.metadata.name ?? '',
    namespace: plan.metadata.namespace ?? '',
    uid: plan.metadata.uid,
    startTime: plan.status?.startTime,
  },
  clusterServiceVersionNames: plan.spec.clusterServiceVersionNames,
});

/** The steps that still need something, with their index in status.plan, in the plan's order. */
export const unfinishedSteps = ({ status }: InstallPlan): readonly (readonly [number, InstallPlanStep])[] =>
  (status?.plan ?? []).flatMap((step, index) => (step === null || isDone(step) ? [] : [[index, step] as const]));

/**
 * True where the step is written with our own rights even if the group names a service
 * account (install-plans.md §5).
 */
export const usesOwnRights = ({ resource }: InstallPlanStep): boolean => resource.kind === 'CustomResourceDefinition';
