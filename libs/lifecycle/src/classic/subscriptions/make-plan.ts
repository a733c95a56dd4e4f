import { BundleNotInstallable } from '#core/classic/install-plan/creation/bundle-steps';
import { planInstall, type ResolvedResolution } from '#core/classic/install-plan/creation/plan-install';
import { PLAN_MARK_ANNOTATION } from '#core/classic/install-plan/plan/plan-mark';
import { webhookIn } from '#core/kernel/admission/webhook-refusal';
import type { InstallPlan, InstallPlanStatus } from '#core/kernel/api/install-plan';
import type { Subscription } from '#core/kernel/api/subscription';
import { CHANGE_ANNOTATION } from '#core/kernel/change/change-id';
import { KubeApiError } from '#platform/kube/client/kube-client.port';
import type { Log } from '#platform/telemetry/log.port';
import type { Tracer } from '#platform/telemetry/tracing/tracer.port';
import { namingWebhook } from '../../engine/passes/name-webhook.js';
import { isRefusal } from '../../engine/passes/refusal.js';
import type { BundleContent } from '../bundles/bundle-contents.js';
import type { PlanMarks } from '../install-plans/plan-marks.js';
import { namingSharedCrds, reportSharedCrds, sharedCrdsAmong } from '../install-plans/shared-crds.js';
import type { NamespaceStageInput } from '../namespaces/namespace-stage.js';
import type { UnpackFailure } from './unpack-bundles.js';

/** Dependencies of the shell that makes plans. */
export type PlanDeps = Readonly<{ log: Log; marks: PlanMarks | undefined; tracer?: Tracer | undefined }>;

/** A plan with its status, made now or by an interrupted pass. Undefined if nothing must be installed. */
type MadePlan = Readonly<{ plan: InstallPlan | undefined }>;

/** The content of one InstallPlan. `subscriptions`: those that ask for it. */
type PlanContent = Readonly<{
  resolution: ResolvedResolution;
  subscriptions: readonly Subscription[];
  bundles: ReadonlyMap<string, BundleContent>;
}>;

/** Makes the InstallPlan, or finds the one of an interrupted pass, with its status. */
export async function makePlan(
  deps: PlanDeps,
  input: NamespaceStageInput,
  { resolution, subscriptions, bundles }: PlanContent,
): Promise<MadePlan> {
  const { namespace, installPlans: existingPlans } = input.read;
  const planned = planInstall({ namespace, subscriptions, resolution, bundles, existingPlans });
  if (planned.result === 'nothing') return { plan: undefined };
  const mark = deps.marks?.markOf(input.client.cluster, planned.plan, planned.status);
  const made = planned.existing ?? (await createPlan(input, marked(planned.plan, mark, input.change), bundles));
  if (planned.existing === undefined) tellMade(deps, input, made);
  // Two writes, as in OLM: the API server drops a status that comes with the object.
  const live = made.status === undefined ? await putStatus(input, made, { status: planned.status, mark }) : made;
  input.reader.noteWritten(live);
  return { plan: live };
}

function tellMade({ log, tracer }: PlanDeps, input: NamespaceStageInput, { metadata, spec }: InstallPlan): void {
  const { change, client, read, now } = input;
  const where = { cluster: client.cluster, namespace: read.namespace, name: metadata.name };
  log.info({ ...where, change, csvs: spec.clusterServiceVersionNames }, 'InstallPlan made');
  if (tracer === undefined || change === undefined) return;
  tracer.ended({ name: 'plan', change, startMs: now.getTime(), endMs: tracer.nowMs(), attributes: where });
}

/**
 * Returns the condition of a plan that could not be made; the queue retries other errors. A webhook that does
 * not answer refuses this plan alone, and no bundle is at fault. Spec: subscriptions.md §2.7, §2.8.
 */
export async function planFailure({ reader }: NamespaceStageInput, error: unknown): Promise<UnpackFailure> {
  if (error instanceof BundleNotInstallable) {
    return { effect: 'unpackFailed', reason: 'ErrorPreventedUnpacking', message: error.message };
  }
  if (!isRefusal(error) || (error.status >= 500 && webhookIn(error.said) === undefined)) throw error;
  const { said } = await namingWebhook(reader, error);
  const message = `error ensuring InstallPlan: ${said}`;
  return { effect: 'unpackFailed', reason: 'EnsureInstallPlanFailed', message };
}

async function createPlan(
  input: NamespaceStageInput,
  planned: InstallPlan,
  bundles: PlanContent['bundles'],
): Promise<InstallPlan> {
  const manifests = [...bundles.values()].flatMap(({ objects }) => objects);
  const shared = await sharedCrdsAmong(input, manifests);
  const wanted = namingSharedCrds(planned, shared);
  try {
    const { object } = await input.client.create(wanted);
    await reportSharedCrds(input, object, shared);
    return object;
  } catch (error) {
    if (!KubeApiError.is(error, 'AlreadyExists')) throw error;
    const { name = '', namespace } = wanted.metadata;
    const ref = { apiVersion: wanted.apiVersion, kind: wanted.kind, name, namespace };
    const found = await input.client.get<InstallPlan>(ref);
    if (found === undefined) throw error;
    return found;
  }
}

/** A plan of an interrupted pass may have the mark of another content: of a tag that has moved since, say. */
async function putStatus(
  { client }: NamespaceStageInput,
  made: InstallPlan,
  { status, mark }: Readonly<{ status: InstallPlanStatus; mark: string | undefined }>,
): Promise<InstallPlan> {
  const wanted = marked(made, mark);
  const isMarked = mark === made.metadata.annotations?.[PLAN_MARK_ANNOTATION];
  const plan = mark === undefined || isMarked ? made : (await client.update(wanted)).object;
  return (await client.updateStatus({ ...plan, status })).object;
}

/** A plan that is made to be shown alone has no mark, and names no change. */
const marked = (plan: InstallPlan, mark: string | undefined, change?: string): InstallPlan => ({
  ...plan,
  metadata: {
    ...plan.metadata,
    annotations: {
      ...plan.metadata.annotations,
      ...(mark !== undefined && { [PLAN_MARK_ANNOTATION]: mark }),
      ...(mark !== undefined && change !== undefined && { [CHANGE_ANNOTATION]: change }),
    },
  },
});
