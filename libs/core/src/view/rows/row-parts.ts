import { isDone } from '../../classic/install-plan/steps/install-plan-step.js';
import { SERVICE_ACCOUNT_CONDITION } from '../../classic/operator-group/select-targets.js';
import { ROW_CONDITIONS } from '../../classic/subscription/subscription-conditions.js';
import { fleetMarksOf } from '../../cluster/diagnosis/fleet-work.js';
import { isMarkedCopy } from '../../cluster/observation/observed-part.js';
import type { ClusterServiceVersion, RequirementStatus } from '../../kernel/api/cluster-service-version.js';
import { isCopied } from '../../kernel/api/csv-facts.js';
import { InstallPlan, type InstallPlanStep } from '../../kernel/api/install-plan.js';
import { KIND } from '../../kernel/api/kinds.js';
import type { KubernetesObject } from '../../kernel/api/kubernetes-object.js';
import type { OperatorGroup } from '../../kernel/api/operator-group.js';
import { type SubscriptionCondition, SubscriptionStatus } from '../../kernel/api/subscription.js';
import { asList, asRecord, asText } from '../../kernel/crd/loose-value.js';
import { stepsHash } from '../../rollout/review/hop-hash.js';
import { type GivenApproval, givenApproval } from '../actions/given-approval.js';

/**
 * The parts of an object that rows need beyond the poller's cache. Objects at rest have next to nothing.
 * Texts, steps and requirements are kept, cut, only for unhealthy objects.
 */
export type RowPart =
  | Readonly<{
      kind: 'Subscription';
      plan: string;
      conditions: readonly SubscriptionCondition[];
      /** The fleet's annotations, if the fleet works the Subscription. */
      marks?: Readonly<Record<string, string>>;
    }>
  | Readonly<{
      kind: 'InstallPlan';
      plan: InstallPlan;
      steps: string;
      createdAt: string;
      approval?: GivenApproval;
    }>
  | Readonly<{ kind: 'ClusterServiceVersion'; status: NonNullable<ClusterServiceVersion['status']> }>
  | Readonly<{ kind: 'OperatorGroup'; account: string; status: NonNullable<OperatorGroup['status']> }>;

const LONGEST = 400;
const MOST_REQUIREMENTS = 10;
/** Counted, and not named. */
const FURTHER: RequirementStatus = { group: '', version: '', kind: '', name: '', status: 'NotPresent', message: '' };
/** Most dependents of one requirement: the text of a row holds no more. */
const MOST_DEPENDENTS = 3;
const cut = (text: unknown): string => asText(text).slice(0, LONGEST);

/**
 * Returns the part of an object. Returns undefined if the cache has everything that rows need, or if the
 * object has another shape.
 */
export function rowPart(kind: string, object: KubernetesObject, globalCatalogNamespace: string): RowPart | undefined {
  switch (kind) {
    case 'Subscription':
      return subscriptionPart(object);
    case 'InstallPlan':
      return planPart(object, globalCatalogNamespace);
    case 'ClusterServiceVersion':
      return csvPart(object);
    case 'OperatorGroup':
      return groupPart(object);
    default:
      return undefined;
  }
}

function subscriptionPart(object: KubernetesObject): RowPart | undefined {
  const read = SubscriptionStatus.optional().safeParse(object['status']);
  if (!read.success || read.data === undefined) return undefined;
  const { installPlanRef, conditions = [] } = read.data;
  const marks = fleetMarksOf(object);
  const kept = conditions
    .filter(({ type, status }) => status === 'True' && ROW_CONDITIONS.has(type))
    .map(({ type, status, reason = '', message }) => ({ type, status, reason, message: cut(message) }));
  const plan = installPlanRef?.name ?? '';
  if (plan === '' && kept.length === 0 && marks === undefined) return undefined;
  return { kind: 'Subscription', plan, conditions: kept, ...(marks && { marks }) };
}

/**
 * Projects a plan. A complete plan explains nothing, and its steps are long: they are neither read nor
 * hashed.
 */
function planPart(object: KubernetesObject, globalCatalogNamespace: string): RowPart | undefined {
  const isComplete = asRecord(object['status'])['phase'] === 'Complete';
  return isComplete ? undefined : planFacts(object, globalCatalogNamespace);
}

/**
 * Returns the facts of a plan that rows need, complete or not. Returns undefined if the object is no plan.
 */
export function planFacts(
  object: KubernetesObject,
  globalCatalogNamespace: string,
): Extract<RowPart, { kind: 'InstallPlan' }> | undefined {
  const api = KIND.InstallPlan;
  const read = InstallPlan.safeParse({ ...object, ...api });
  if (!read.success) return undefined;
  const { metadata, spec, status } = read.data;
  const { name = '', namespace = '', creationTimestamp } = metadata;
  const plan: InstallPlan = {
    ...api,
    metadata: { name, namespace },
    spec: { ...spec, clusterServiceVersionNames: spec.clusterServiceVersionNames.slice(0, 50) },
    ...(status && {
      status: {
        phase: status.phase,
        catalogSources: [],
        ...(status.message && { message: cut(status.message) }),
        conditions: (status.conditions ?? []).map(({ type, status: holds, reason = '', message }) => ({
          ...{ type, status: holds, reason, message: cut(message) },
        })),
        plan: (status.plan ?? []).flatMap((step) => (step === null ? [] : [openStep(step)])),
      },
    }),
  };
  const steps = stepsHash(read.data, globalCatalogNamespace);
  const approval = givenApproval(read.data);
  return { kind: 'InstallPlan', plan, steps, createdAt: asText(creationTimestamp), ...(approval && { approval }) };
}

/**
 * Projects a step. A completed step keeps only its status. Definitions and rights keep their names, for the
 * approvers.
 */
function openStep(step: InstallPlanStep): InstallPlanStep {
  const { kind, name } = step.resource;
  const isNamed = !isDone(step) || kind === 'CustomResourceDefinition';
  const nothing = { sourceName: '', sourceNamespace: '', group: '', version: '' };
  return { resolving: '', status: step.status, resource: { ...nothing, kind, name: isNamed ? name : '' } };
}

/** Projects a CSV. A copy, and a CSV that has succeeded, explains nothing. */
function csvPart(object: KubernetesObject): RowPart | undefined {
  const status = asRecord(object['status']);
  if (isMarkedCopy(object) || isCopied(object as ClusterServiceVersion) || status['phase'] === 'Succeeded') {
    return undefined;
  }
  const unmet = (asList(status['requirementStatus']) as RequirementStatus[])
    .filter((one) => !['Present', 'DeploymentFound'].includes(asText(asRecord(one)['status'])))
    .map((one, at) =>
      at >= MOST_REQUIREMENTS
        ? FURTHER
        : {
            ...{
              group: asText(one.group),
              version: asText(one.version),
              kind: asText(one.kind),
              name: asText(one.name),
            },
            ...{ status: asText(one.status), message: cut(one.message) },
            ...dependentsOf(one),
          },
    );
  return {
    kind: 'ClusterServiceVersion',
    status: {
      ...{ phase: asText(status['phase']), reason: asText(status['reason']), message: cut(status['message']) },
      ...(unmet.length > 0 && { requirementStatus: unmet }),
    },
  };
}

/** Returns the rights that an account is missing. Without them a row would only say that some are missing. */
function dependentsOf({ dependents }: RequirementStatus): Pick<RequirementStatus, 'dependents'> {
  const missing = asList(dependents)
    .map(asRecord)
    .filter(({ status }) => status !== 'Satisfied')
    .slice(0, MOST_DEPENDENTS)
    .map(({ kind, status, message }) => ({
      ...{ group: '', version: '', kind: asText(kind), status: asText(status) },
      ...(typeof message === 'string' && { message: cut(message) }),
    }));
  return missing.length === 0 ? {} : { dependents: missing };
}

function groupPart(object: KubernetesObject): RowPart | undefined {
  const conditions = asList(asRecord(object['status'])['conditions'])
    .map(asRecord)
    .filter(({ type, status }) => type === SERVICE_ACCOUNT_CONDITION && status === 'True')
    .map(({ type, status, message }) => ({ type: asText(type), status: asText(status), message: cut(message) }));
  if (conditions.length === 0) return undefined;
  const account = asText(asRecord(object['spec'])['serviceAccountName']);
  return { kind: 'OperatorGroup', account, status: { conditions } };
}
