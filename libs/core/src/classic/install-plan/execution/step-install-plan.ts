/**
 * Execution of an InstallPlan, as decisions. The shell runs this program once per pass of one plan:
 *
 * ```
 * const turn = nextTurn(plan, groupsOfNamespace, now)
 *   write   → PUT status, start over
 *   rest    → PUT status if given, stop (retry: with back-off)
 *   execute →
 *     const context = contextOf(plan, {...})
 *     outcomes = refuseUnsupported(plan); if it finds nothing:
 *     for each [index, step] of unfinishedSteps(plan)
 *       // a manifest that is a reference is fetched first: bundle-reference.ts
 *       let world = emptyWorld
 *       while ((reads = readsForStep(step, context, world)).length > 0)
 *         for (read of reads) world = withAnswer(world, read, answer)
 *         // get: 404 → {object: undefined}
 *         // list of a kind that is not served → {list: []}
 *         // access: as the API server answers the account
 *       const decision = decideStep(step, context, world)
 *       // rewrite → do it, then read and decide this step again
 *       const performed = 'actions' in decision ? await perform(decision.actions) : undefined
 *       outcomes.set(index, outcomeOf(step, decision, performed))
 *       stop the loop at the first outcome with an error
 *     const { status, againAfterMs } = concludeExecution(plan, outcomes, { now, retryTimeoutMs })
 *     PUT status
 * ```
 *
 * CRDs, and all objects that are only read, use Flotilla's own rights. All other writes use those of
 * `turn.actingAs`, if given. An existing CRD that is not the namespace's is replaced only if that account may
 * do so (crd-rights.ts). If the shell is killed at any point and runs again, the end is the same: it finds
 * the created objects and marks them Present.
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

/** Returns the inputs that all steps of one execution share. */
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
 * True if Flotilla writes the step with its own rights even if the group names a service account
 * (install-plans.md §5).
 */
export const usesOwnRights = ({ resource }: InstallPlanStep): boolean => resource.kind === 'CustomResourceDefinition';
