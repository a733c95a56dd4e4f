import type { Action } from '../../../kernel/actions/action.js';
import { INSTALL_PLAN_API, type InstallPlanStep } from '../../../kernel/api/install-plan.js';
import { joinApiVersion } from '../../../kernel/api/kubernetes-object.js';
import { counted } from '../../../kernel/text/counted.js';
import type { StoredVersionMigration } from '../../crd-upgrade/stored-versions.js';
import { kindOfStep, type StepStatus } from '../steps/install-plan-step.js';
import type { Performed, SettledDecision, StepContext, StepOutcome } from '../steps/step-world.js';
import { refusedWrite } from './step-words.js';

const DEPRECATION_GUIDE = 'https://kubernetes.io/docs/reference/using-api/deprecation-guide/';

const statusOf = (step: InstallPlanStep): StepStatus => step.status as StepStatus;

/**
 * The error text of a refused write; a kind that the cluster does not know is named as such
 * (spec: install-plans.md §5).
 */
function writeError(
  step: InstallPlanStep,
  decision: SettledDecision,
  refused: Extract<Performed, { ok: false }>,
): string {
  const { group, version, kind } = kindOfStep(step);
  const { name } = step.resource;
  if (refused.reason === 'NotFound' && refused.kindServed === false) {
    const gvk = `${joinApiVersion(group, version)}, Kind=${kind}`;
    return (
      `api-server resource not found installing ${kind} ${name}: GroupVersionKind ${gvk} not found on the cluster. ` +
      `This API may have been deprecated and removed, see ${DEPRECATION_GUIDE} for more information.`
    );
  }
  const updating = 'actions' in decision && decision.actions.some((action) => action.do === 'update');
  return refusedWrite(step, updating, refused.message);
}

/**
 * The end of one step. A failed step keeps its status. An object that appeared between reading and creating
 * is checked again in the next pass, because it may have to be overwritten.
 */
export function outcomeOf(step: InstallPlanStep, decision: SettledDecision, performed?: Performed): StepOutcome {
  if ('fail' in decision) {
    const { fail, forbidden = false, status = statusOf(step), patienceMs } = decision;
    return { status, error: fail, forbidden, ...(patienceMs === undefined ? {} : { patienceMs }) };
  }
  if (performed === undefined) {
    const { status, waitingFor } = decision;
    return { status, ...(waitingFor === undefined ? {} : { waitingFor }) };
  }
  if (performed.ok) {
    if (performed.alreadyExisted !== true) return { status: decision.status };
    const left = step.resource.kind === 'ClusterServiceVersion' || step.resource.kind === 'Subscription';
    if (left) return { status: 'Present' };
    return { status: statusOf(step), error: `${step.resource.name} appeared while it was being created` };
  }
  const error = writeError(step, decision, performed);
  return { status: statusOf(step), error, forbidden: performed.reason === 'Forbidden' };
}

/** The event about the API server's warnings for one step, if there were any (spec: install-plans.md §5). */
export function warningEvent(
  [index, step]: readonly [number, InstallPlanStep],
  { plan }: StepContext,
  warnings: readonly string[],
): Action[] {
  if (warnings.length === 0) return [];
  const { kind, name } = step.resource;
  const during = step.resolving === '' ? 'operator installation' : `installation of operator "${step.resolving}"`;
  const about = `(${kind} "${name}")`;
  const message = `${warnings.length} warning(s) generated during ${during} ${about}: ${warnings.join(', ')}`;
  const fieldPath = `status.plan[${index}]`;
  return [
    {
      do: 'emitEvent',
      about: { ...INSTALL_PLAN_API, name: plan.name, namespace: plan.namespace, uid: plan.uid, fieldPath },
      type: 'Warning',
      reason: 'AppliedWithWarnings',
      message,
    },
  ];
}

/**
 * The event that reports how many objects were rewritten so that a stored version of
 * their CRD may be dropped.
 */
export const migratedEvent = (
  { plan }: StepContext,
  { kind, leaving, storage, count }: StoredVersionMigration & Readonly<{ count: number }>,
): Action => ({
  do: 'emitEvent',
  about: { ...INSTALL_PLAN_API, name: plan.name, namespace: plan.namespace, uid: plan.uid },
  type: 'Normal',
  reason: 'StoredVersionsMigrated',
  message: `${counted(count, 'object')} of kind ${kind} ${count === 1 ? 'is' : 'are'} now stored in ${storage}; ${leaving.join(', ')} left status.storedVersions`,
});
