import {
  checkOfFailedPlan,
  RETRY_ANNOTATION,
  type RetryMode,
  requestedRetry,
  retriedStatus,
  stillFailedStatus,
} from '#core/classic/install-plan/execution/step-install-plan';
import { repeatedStatus } from '#core/classic/install-plan/plan/repeat-plan';
import { isReplannable, replan } from '#core/classic/subscription/replan';
import { INSTALL_PLAN_API, type InstallPlan, type InstallPlanStatus } from '#core/kernel/api/install-plan';
import { KIND } from '#core/kernel/api/kinds';
import { DecidedOnCache, perform, requireLive, writeStatus } from '../../engine/passes/perform.js';
import { joined, MOVED, type StageOutcome, waitFor } from '../../engine/passes/stage.js';
import type { NamespaceStageInput } from '../namespaces/namespace-stage.js';
import { writeSubscriptions } from '../namespaces/write-subscriptions.js';
import { undoneSteps } from './undone-steps.js';

/**
 * Carries out the annotation of a plan, then removes it. Returns undefined if there is none. In a complete
 * plan, the steps with deleted objects are executed again. Any other plan that did not fail loses the
 * annotation and is processed as usual.
 */
export async function retryOnRequest(input: NamespaceStageInput, plan: InstallPlan): Promise<StageOutcome | undefined> {
  const mode = requestedRetry(plan);
  if (mode === undefined) return undefined;
  if (mode === 'replan' && isReplannable(plan, input.read.csvs)) return makeAnew(input, plan);
  const { status } = plan;
  if (mode === 'steps' && status?.phase === 'Complete') return repeat(input, plan, status);
  if (mode === 'replan' || status?.phase !== 'Failed') return withoutRequest(input, plan);
  const written = await writeStatus(input, plan, retriedStatus(status, 'RetryRequested', input.now.toISOString()));
  await perform(input, [event(plan, 'Normal', 'RetryRequested', RETRY_TEXT.steps)]);
  return joined(written, MOVED);
}

const RETRY_TEXT: Readonly<Record<RetryMode, string>> = {
  steps: 'the plan failed and is executed again: a user requested it',
  replan: 'the plan is recreated from the present content of the catalogs: a user requested it',
};

async function repeat(input: NamespaceStageInput, plan: InstallPlan, status: InstallPlanStatus): Promise<StageOutcome> {
  requireLive(input, 'whether objects of an InstallPlan are gone');
  const undone = await undoneSteps(plan, input.read.csvs, (ref) => input.reader.get(ref));
  if (undone.length === 0) return withoutRequest(input, plan);
  const written = await writeStatus(input, plan, repeatedStatus(status, undone, input.now.toISOString()));
  const names = undone.slice(0, NAMED).map(({ ref: { kind, name } }) => `${kind} ${name}`);
  const more = undone.length > NAMED ? ` and ${undone.length - NAMED} more` : '';
  const message = `the plan recreates ${names.join(', ')}${more}: a user requested it`;
  await perform(input, [event(plan, 'Normal', 'RetryRequested', message)]);
  return joined(written, MOVED);
}

/** Objects named one by one; more are counted. */
const NAMED = 5;

async function makeAnew(input: NamespaceStageInput, plan: InstallPlan): Promise<StageOutcome> {
  if (!input.reader.live) throw new DecidedOnCache();
  const { namespace, subscriptions, csvs } = input.read;
  const deployments = await input.reader.list(KIND.Deployment, { namespace });
  const decided = replan(plan, { subscriptions, csvs, deployments }, input.now.toISOString());
  if ('refused' in decided) {
    await perform(input, [event(plan, 'Warning', 'RetryRefused', decided.refused)]);
    return withoutRequest(input, plan);
  }
  await perform(input, [event(plan, 'Normal', 'RetryRequested', RETRY_TEXT.replan)]);
  await writeSubscriptions(input, decided.changes);
  await perform(input, decided.deletions);
  return MOVED;
}

function withoutRequest(input: NamespaceStageInput, { metadata }: InstallPlan): Promise<StageOutcome> {
  const { name = '', namespace } = metadata;
  const patch = { metadata: { annotations: { [RETRY_ANNOTATION]: null } } };
  return perform(input, [{ do: 'patch', ref: { ...INSTALL_PLAN_API, name, namespace }, patch }]);
}

const event = (
  { metadata: { name = '', namespace, uid } }: InstallPlan,
  type: 'Normal' | 'Warning',
  reason: string,
  message: string,
) => ({ do: 'emitEvent', about: { ...INSTALL_PLAN_API, name, namespace, uid }, type, reason, message }) as const;

/** The outlook of a failed plan; `because`: its present obstacle, if that is known. */
export type Prospect = Readonly<{ goesOn: true } | { goesOn: false; because?: string | undefined }>;

/**
 * Checks from time to time if the step that stopped a failed plan would succeed now, and then runs the plan
 * again. Otherwise the plan names its present obstacle. Returns undefined for a plan that is not checked.
 */
export async function retryWhenCauseIsGone(
  input: NamespaceStageInput,
  plan: InstallPlan,
  prospectOf: () => Promise<Prospect>,
): Promise<StageOutcome | undefined> {
  const { status } = plan;
  const now = input.now.toISOString();
  const check = checkOfFailedPlan(plan, input.read.subscriptions, now);
  if (check === undefined || status === undefined) return undefined;
  const { due, againAfterMs } = check;
  const wait = waitFor('the cause that stopped the InstallPlan to be fixed', againAfterMs);
  if (!due) return wait;
  const prospect = await prospectOf();
  if (prospect.goesOn) return writeStatus(input, plan, retriedStatus(status, 'CauseGone', now));
  if (prospect.because === undefined) return wait;
  return joined(await writeStatus(input, plan, stillFailedStatus(status, prospect.because)), wait);
}
