import type { InstallPlanStep } from '../../../kernel/api/install-plan.js';
import { KIND } from '../../../kernel/api/kinds.js';
import type { KubernetesObject } from '../../../kernel/api/kubernetes-object.js';
import { decideCrd } from '../crds/decide-crd.js';
import {
  BUNDLE_SECRET_KIND,
  CRD_KIND,
  CSV_KIND,
  isDone,
  type StepStatus,
  SUBSCRIPTION_KIND,
} from '../steps/install-plan-step.js';
import { startedCsv, startedPart } from '../steps/start-marks.js';
import { isClusterScoped, manifestOf } from '../steps/step-manifest.js';
import { listIn, objectIn, readKey, type StepContext, type StepDecision, type StepWorld } from '../steps/step-world.js';
import { competingOwner } from './competing-owner.js';
import { overwrite, ownedByCsv } from './decide-owned.js';
import { decideServiceAccount } from './decide-service-account.js';
import { csvListOf, isPullSecret, sourceSecretOf, targetOf } from './reads-for-step.js';
import { decideOverCopy } from './replace-copy.js';
import { replanCommand } from './replan-command.js';

/** The error of a plan that cannot be executed: OLM's words. */
export const INVALID_PLAN = 'the InstallPlan contains invalid data';

/** Annotation of a Subscription that a plan made: the plan's name. */
export const GENERATED_BY = 'olm.generated-by';

type Decide = (step: InstallPlanStep, object: KubernetesObject, context: StepContext, world: StepWorld) => StepDecision;

const decideCsv: Decide = (step, object, context, world) => {
  const live = liveOf(step, context, world);
  if (live !== undefined) return decideOverCopy(placed(object, context), live, context) ?? present;
  if (!context.clusterServiceVersionNames.includes(step.resource.name)) {
    const refusal = competingOwner(object, context.plan.namespace, listIn(world, csvListOf(context)));
    if (refusal !== undefined) return { fail: refusal };
  }
  const created = startedCsv(placed(object, context), context.startMarks);
  return { actions: [{ do: 'create', object: created }], status: 'Created' };
};

const decideSubscription: Decide = (step, object, context, world) => {
  if (liveOf(step, context, world) !== undefined) return present;
  const { status: _neverInstalled, ...rest } = placed(object, context);
  const annotations = { ...object.metadata.annotations, [GENERATED_BY]: context.plan.name };
  const { apiVersion, kind, metadata } = placed(object, context);
  const created = { ...rest, apiVersion, kind, metadata: { ...metadata, annotations } };
  return { actions: [{ do: 'create', object: created }], status: 'Created' };
};

const decideOwned: Decide = (step, object, context, world) => {
  const owned = ownedByCsv(step, placed(object, context), context, world);
  return 'fail' in owned ? owned : overwrite(started(owned.object, step, context), liveOf(step, context, world));
};

const decideAccount: Decide = (step, object, context, world) => {
  const owned = ownedByCsv(step, placed(object, context), context, world);
  if ('fail' in owned) return owned;
  return decideServiceAccount(started(owned.object, step, context), liveOf(step, context, world));
};

/**
 * Several versions of an operator may share a role: the newest is its owner (OLM makes it so only when it
 * overwrites).
 */
const decideClusterRole: Decide = (step, object, context, world) => {
  const wanted = placed(object, context);
  const owner = step.resolving === '' ? {} : { 'olm.owner': step.resolving };
  const labels = { ...wanted.metadata.labels, ...owner };
  const role = { ...wanted, metadata: { ...wanted.metadata, labels } };
  return overwrite(started(role, step, context), liveOf(step, context, world));
};

/**
 * A step of kind `Secret` copies a pull secret from the operator's namespace; an existing one is left as it
 * is. OLM copies whatever Secret the step names; here a catalog of that namespace must list it.
 */
function decidePullSecret(step: InstallPlanStep, context: StepContext, world: StepWorld): StepDecision {
  if (liveOf(step, context, world) !== undefined) return present;
  const { name } = step.resource;
  if (!isPullSecret(step, context, world)) {
    const where = context.operatorNamespace;
    return { fail: `secret ${name} is not copied: no CatalogSource of namespace ${where} lists it in spec.secrets` };
  }
  const source = objectIn(world, sourceSecretOf(step, context));
  if (source === undefined) return { fail: `secret ${name} does not exist - secrets "${name}" not found` };
  const { data, type } = source;
  const metadata = { name, namespace: context.plan.namespace, labels: { 'olm.managed': 'true' } };
  const object = { ...KIND.Secret, metadata, ...defined({ data, type }) };
  return { actions: [{ do: 'create', object }], status: 'Created' };
}

const defined = (fields: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

const byKind: Readonly<Record<string, Decide>> = {
  [CSV_KIND]: decideCsv,
  [SUBSCRIPTION_KIND]: decideSubscription,
  [CRD_KIND]: decideCrd,
  [BUNDLE_SECRET_KIND]: decideOwned,
  ServiceAccount: decideAccount,
  Role: decideOwned,
  RoleBinding: decideOwned,
  ClusterRole: decideClusterRole,
  ClusterRoleBinding: decideClusterRole,
  Service: decideOwned,
  ConfigMap: decideOwned,
  PrometheusRule: decideOwned,
  ServiceMonitor: decideOwned,
  PodDisruptionBudget: decideOwned,
  PriorityClass: decideOwned,
  VerticalPodAutoscaler: decideOwned,
  ConsoleYAMLSample: decideOwned,
  ConsoleQuickStart: decideOwned,
  ConsoleCLIDownload: decideOwned,
  ConsoleLink: decideOwned,
  ConsolePlugin: decideOwned,
  NetworkPolicy: decideOwned,
};

/** Kinds that a plan may hold (spec: install-plans.md §5). `Secret` there means a pull secret. */
export const SUPPORTED_STEP_KINDS: readonly string[] = [...Object.keys(byKind), 'Secret'];

/**
 * Decides one step, given every answer that `readsForStep` asked for. The decision is idempotent: an existing
 * object is left, merged or overwritten as the table says. Spec: install-plans.md §5, §7.
 */
export function decideStep(step: InstallPlanStep, context: StepContext, world: StepWorld): StepDecision {
  if (isDone(step)) return { actions: [], status: step.status === 'Created' ? 'Created' : 'Present' };
  const waiting = step.status === 'WaitingForApi';
  if (waiting && step.resource.kind !== CRD_KIND) return { actions: [], status: 'WaitingForApi' };
  if (!waiting && step.status !== 'Unknown' && step.status !== 'NotPresent') return { fail: INVALID_PLAN };
  const unread = unreadTarget(step, context, world);
  if (unread !== undefined) return unread;
  if (step.resource.kind === 'Secret') return decidePullSecret(step, context, world);
  const decide = Object.hasOwn(byKind, step.resource.kind) ? byKind[step.resource.kind] : undefined;
  if (decide === undefined) return { fail: INVALID_PLAN, status: 'UnsupportedResource' };
  const manifest = manifestOf(step);
  if ('object' in manifest) return decide(step, manifest.object, context, world);
  const { fail, needsReplan } = manifest;
  return { fail: needsReplan ? `${fail}: recreate the plan: ${replanCommand(context.plan)}` : fail };
}

/** The step's own object could not be read: nothing is known, so nothing is done. */
function unreadTarget(step: InstallPlanStep, context: StepContext, world: StepWorld): StepDecision | undefined {
  const ref = targetOf(step, context);
  const answer = ref === undefined ? undefined : world.answers.get(readKey({ read: 'get', ref }));
  if (answer === undefined || !('failed' in answer)) return undefined;
  const { failed, forbidden = false } = answer;
  return { fail: `error getting ${step.resource.kind.toLowerCase()} ${step.resource.name}: ${failed}`, forbidden };
}

const present: StepDecision = { actions: [], status: 'Present' satisfies StepStatus };

const liveOf = (step: InstallPlanStep, context: StepContext, world: StepWorld): KubernetesObject | undefined => {
  const ref = targetOf(step, context);
  return ref === undefined ? undefined : objectIn(world, ref);
};

const started = (object: KubernetesObject, { resolving }: InstallPlanStep, context: StepContext): KubernetesObject =>
  startedPart(object, { resolving, namespace: context.plan.namespace }, context.startMarks);

/** The manifest as it goes into the cluster: in the plan's namespace, marked as ours. */
function placed(object: KubernetesObject, { plan }: StepContext): KubernetesObject {
  const { namespace: _bundles, ...metadata } = object.metadata;
  const labels = { ...metadata.labels, 'olm.managed': 'true' };
  const where = isClusterScoped(object.kind) ? {} : { namespace: plan.namespace };
  return { ...object, metadata: { ...metadata, ...where, labels } };
}
