import { STORED_VERSION_REFUSED } from '../../classic/crd-upgrade/stored-versions.js';
import { installedCondition } from '../../classic/install-plan/plan/plan-conditions.js';
import { isRefusedAsForeign } from '../../classic/install-plan/plan/plan-mark.js';
import { isDone } from '../../classic/install-plan/steps/install-plan-step.js';
import type { InstallPlan, InstallPlanStep } from '../../kernel/api/install-plan.js';
import type { OperatorGroup } from '../../kernel/api/operator-group.js';
import type { Subscription } from '../../kernel/api/subscription.js';
import { counted } from '../../kernel/text/counted.js';
import { ADVICE, type Advice } from '../advice/advice.js';
import { diagnoseGroups } from './diagnose-groups.js';
import { type Diagnosis, diagnosis, sentence } from './diagnosis.js';
import { deciderOfPlan, fleetWorkText } from './fleet-work.js';
import { pullAdvice } from './pull-trouble.js';
import { webhookAdvice } from './stopped-by-webhook.js';

/** Steps named one by one; more are counted. */
const NAMED = 5;

/**
 * Diagnoses the progress of a plan: the event that it waits for, or the step that stops it (spec:
 * install-plans.md §3, §5). `groups` and `subscriptions` are those of its namespace.
 */
export function diagnoseInstallPlan(
  plan: InstallPlan,
  groups: readonly OperatorGroup[],
  subscriptions: readonly Subscription[] = [],
): Diagnosis {
  const { spec, status } = plan;
  const what = spec.clusterServiceVersionNames.join(', ') || 'nothing';
  switch (status?.phase) {
    case 'Complete':
      return diagnosis(
        'well',
        'well',
        `It is complete: ${what} ${spec.clusterServiceVersionNames.length > 1 ? 'are' : 'is'} created.`,
      );
    case 'Failed':
      return diagnosis(
        'plan-failed',
        'failed',
        ['It failed.', ...stopped(plan), ...whoseStep(plan)],
        wayOn(plan, groups),
      );
    case 'RequiresApproval':
      return withoutGroup(plan, groups) ?? approval(plan, what, { subscriptions, groups });
    case 'Installing':
      return withoutGroup(plan, groups) ?? installing(plan, groups);
    default:
      return status === undefined
        ? diagnosis('not-read-yet', 'under-way', 'The hub has not read it yet.')
        : diagnosis('planning', 'under-way', 'It is being planned.');
  }
}

/**
 * Advises on a plan that does not continue. Deleting the plan does not help: once its ClusterServiceVersion
 * exists, no other plan is created for it.
 */
function wayOn(plan: InstallPlan, groups: readonly OperatorGroup[]): readonly Advice[] {
  const { name = '', namespace = '' } = plan.metadata;
  if (isRefusedAsForeign(plan)) return [ADVICE.replanForeign(namespace, name)];
  const corrected = ADVICE.replanCorrected(namespace, name);
  if (steps(plan).some(({ status }) => status === 'UnsupportedResource')) return [corrected];
  const silent = webhookAdvice(plan.status?.message ?? '');
  if (silent.length > 0) return [...silent, ADVICE.retryPlan(namespace, name)];
  const fetched = pullAdvice(plan.status?.message ?? '');
  if (fetched !== undefined) return [...fetched, ADVICE.retryPlan(namespace, name)];
  const object = refusedObject(plan.status?.message ?? '');
  return [...object, storedVersion(plan, groups) ?? ADVICE.retryPlan(namespace, name), corrected];
}

const TOO_STRICT =
  /existing CRs against new CRD's schema for "([^"]+)": error validating \S+, Kind=\S+ "(?:([^"/]+)\/)?([^"/]+)": /;

/** The custom resource that a new schema refuses, as a plan names it. */
function refusedObject(message: string): readonly Advice[] {
  const [, crd, namespace = '', name] = TOO_STRICT.exec(message) ?? [];
  return crd === undefined || name === undefined ? [] : [ADVICE.correctObject(crd, namespace, name)];
}

/** Returns advice for a plan that is stopped because it would remove a stored version of a CRD. */
function storedVersion({ metadata, status }: InstallPlan, [group]: readonly OperatorGroup[]): Advice | undefined {
  if (group === undefined || !(status?.message ?? '').endsWith(STORED_VERSION_REFUSED)) return undefined;
  return ADVICE.migrateStoredVersions(metadata.namespace ?? '', group.metadata.name ?? '');
}

/**
 * A plan that fails the check of its OperatorGroup stays in its phase, approved or not, until
 * there is one that counts.
 */
function withoutGroup(plan: InstallPlan, groups: readonly OperatorGroup[]): Diagnosis | undefined {
  if (installedCondition(plan.status)?.reason !== 'InstallCheckFailed') return undefined;
  const cause = diagnoseGroups(plan.metadata.namespace ?? '', groups);
  if (cause === undefined) return undefined;
  const approve = plan.spec.approved ? [] : approval(plan, '', { subscriptions: [], groups }).todo;
  const seen = `It waits for an OperatorGroup: ${stopped(plan).join(' ')}`;
  return { ...cause, because: [seen, ...cause.because], todo: [...cause.todo, ...approve] };
}

type Around = Readonly<{ subscriptions: readonly Subscription[]; groups: readonly OperatorGroup[] }>;

function approval(plan: InstallPlan, what: string, { subscriptions, groups }: Around): Diagnosis {
  const {
    metadata: { name = '', namespace = '' },
    spec,
    status,
  } = plan;
  if (spec.approved) {
    return diagnosis(
      'plan-approved',
      'under-way',
      `It is approved, and ${counted((status?.plan ?? []).length, 'step')} will be done next.`,
    );
  }
  const decider = deciderOfPlan(plan, subscriptions);
  if (decider !== undefined) {
    return diagnosis(
      'fleet-decides',
      'needs-approval',
      `It waits for approval by ${fleetWorkText(decider)}; then it installs ${what}.`,
      [ADVICE.seeRollouts(decider.operator), ADVICE.takeFromFleet(decider.namespace, decider.subscription)],
    );
  }
  return diagnosis(
    'approval-needed',
    'needs-approval',
    [`It waits for approval; then it installs ${what}.`, ...manualBy(plan, subscriptions)],
    [ADVICE.approve(namespace, name), ...isolation(plan, subscriptions, groups)],
  );
}

const isManual = ({ spec }: Subscription): boolean => spec.installPlanApproval === 'Manual';

/**
 * Returns the Automatic Subscriptions with this plan. A Manual Subscription makes its whole namespace Manual,
 * so the plan needs approval.
 */
const heldUp = ({ metadata }: InstallPlan, subscriptions: readonly Subscription[]): readonly Subscription[] =>
  subscriptions.filter((one) => one.status?.installPlanRef?.name === metadata.name && !isManual(one));

function manualBy(plan: InstallPlan, subscriptions: readonly Subscription[]): readonly string[] {
  const manual = subscriptions.filter(isManual).map(({ metadata }) => metadata.name ?? '');
  const [held, ...others] = heldUp(plan, subscriptions).map(({ metadata }) => metadata.name ?? '');
  if (held === undefined || manual.length === 0) return [];
  const which = others.length === 0 ? `Subscription ${held} is` : `Subscriptions ${[held, ...others].join(', ')} are`;
  return [`${which} Automatic, but every plan of a namespace with a Manual Subscription waits: ${manual.join(', ')}.`];
}

function isolation(
  plan: InstallPlan,
  subscriptions: readonly Subscription[],
  [group]: readonly OperatorGroup[],
): readonly Advice[] {
  if (group === undefined || manualBy(plan, subscriptions).length === 0) return [];
  const { name = '', namespace = '' } = plan.metadata;
  return [ADVICE.isolateSubscriptions(namespace, group.metadata.name ?? ''), ADVICE.planApart(namespace, name)];
}

function installing(plan: InstallPlan, groups: readonly OperatorGroup[]): Diagnosis {
  const open = steps(plan).filter((step) => !isDone(step));
  const reported = stopped(plan);
  const seen = `It is being installed: ${steps(plan).length - open.length} of ${steps(plan).length} steps are done.`;
  const next = open.slice(0, NAMED).map(({ resource }) => `${resource.kind} ${resource.name}`);
  const more = open.length > NAMED ? ` and ${open.length - NAMED} more` : '';
  const missing = open.length === 0 ? [] : [`Still to come: ${next.join(', ')}${more}.`];
  const because = [seen, ...reported, ...(reported.length === 0 ? [] : whoseStep(plan)), ...missing];
  const said = reported.join(' ');
  const remedy = forbidden(said) ?? storedVersion(plan, groups);
  if (remedy !== undefined) return diagnosis('plan-refused', 'blocked', because, remedy);
  const remedies = [...webhookAdvice(said), ...refusedObject(said)];
  if (remedies.length > 0) return diagnosis('objects-refused', 'blocked', because, remedies);
  return diagnosis('plan-installing', 'under-way', because, pullAdvice(said) ?? []);
}

const FORBIDDEN = /\bis forbidden: User "([^"]+)" cannot/;
const SERVICE_ACCOUNT = 'system:serviceaccount:';

/**
 * Returns advice for an account without a required right. OLM retries forever, and a user must grant the
 * right.
 */
function forbidden(text: string): Advice | undefined {
  const user = FORBIDDEN.exec(text)?.[1];
  if (user === undefined) return undefined;
  if (!user.startsWith(SERVICE_ACCOUNT)) return ADVICE.checkHubRights(user);
  return ADVICE.giveRights(user.slice(SERVICE_ACCOUNT.length).replace(':', '/'));
}

/**
 * Names the bundle of the step that stopped a plan of several bundles. The message names only the object, and
 * a plan stops at its first error.
 */
function whoseStep(plan: InstallPlan): string[] {
  const said = stopped(plan).join(' ');
  const words = new Set(said.split(/[\s":,]+/));
  const step = steps(plan).find((one) => !isDone(one) && words.has(one.resource.name));
  const isShared = new Set(steps(plan).map(({ resolving }) => resolving)).size > 1;
  if (step === undefined || !isShared || step.resolving === '' || said.includes(step.resolving)) return [];
  return [
    `The ${step.resource.kind} ${step.resource.name} belongs to bundle ${step.resolving}; later steps wait for it.`,
  ];
}

/**
 * Returns the reason why the plan is stopped, in its own words: those of the condition, otherwise those
 * of the status.
 */
function stopped({ status }: InstallPlan): string[] {
  const condition = installedCondition(status);
  const text = (condition?.status === 'False' ? condition.message : undefined) || status?.message;
  return text ? [sentence(text)] : [];
}

const steps = ({ status }: InstallPlan): readonly InstallPlanStep[] =>
  (status?.plan ?? []).filter((step): step is InstallPlanStep => step !== null);
