import { decidedByFleet, deciderOfPlan } from '#core/cluster/diagnosis/fleet-work';
import { INSTALL_PLAN_API, InstallPlan } from '#core/kernel/api/install-plan';
import { SUBSCRIPTION_API, type Subscription } from '#core/kernel/api/subscription';
import { counted } from '#core/kernel/text/counted';
import { readForeign } from '#core/kernel/verdict/read-foreign';
import { KubeApiError, type KubeClient } from '#platform/kube/client/kube-client.port';
import { NEXT, type PlanPlace } from '../../output/next-commands.js';

/** The approval in one cluster: a plan by its name, or the plan that a Subscription waits for. */
export type ApprovalAsked = Readonly<{
  kind: 'InstallPlan' | 'Subscription';
  name: string;
  namespace: string;
  /** Approves in this cluster only. Undefined: in every requested cluster. */
  cluster?: string | undefined;
}>;

/** The outcome of one approval, also an item of `-o json`. */
export type Approval = Readonly<{
  cluster: string;
  namespace: string;
  kind: ApprovalAsked['kind'];
  name: string;
  /** The InstallPlan; absent if there is none. */
  installPlan?: string;
  /** `absent`: the cluster has no such object. */
  result: 'approved' | 'would-be-approved' | 'refused' | 'absent';
  /** The reason against the approval. */
  because?: string;
  /** The CSVs that the plan installs or upgrades. */
  installs: readonly string[];
}>;

/** Approves the waiting plan. The write fails if the plan has changed since it was read. */
export async function approvePlan(
  client: KubeClient,
  asked: ApprovalAsked,
  { dryRun, access }: Readonly<{ dryRun: boolean; access: string }>,
): Promise<Approval> {
  const base = { ...asked, cluster: client.cluster, installs: [] };
  const { namespace } = asked;
  const found = await planOf(client, asked);
  if ('absent' in found) return { ...base, result: 'absent', because: found.absent };
  const { plan } = found;
  const name = plan.metadata.name ?? '';
  const at = { access, namespace, name };
  const where = `InstallPlan ${name} in namespace ${namespace} of ${client.cluster}`;
  const known = { ...base, installPlan: name };
  const refused = refusal(where, at, plan);
  if (refused !== undefined) return { ...known, result: 'refused', because: refused };
  const subscriptions = (await client.list<Subscription>(SUBSCRIPTION_API, { namespace }))?.items ?? [];
  const decided = ofFleet(where, plan, subscriptions);
  if (decided !== undefined) return { ...known, result: 'refused', because: decided };
  const change = { metadata: { resourceVersion: plan.metadata.resourceVersion }, spec: { approved: true } };
  try {
    await client.patch({ ...INSTALL_PLAN_API, name, namespace }, change, { dryRun });
  } catch (error) {
    if (!KubeApiError.is(error, 'Conflict')) throw error;
    const changed = `${where} changed at the same time and is not approved: review the plan again, then approve it`;
    return { ...known, result: 'refused', because: changed };
  }
  return { ...known, result: dryRun ? 'would-be-approved' : 'approved', installs: whatItDoes(plan, subscriptions) };
}

async function planOf(
  client: KubeClient,
  { kind, name, namespace }: ApprovalAsked,
): Promise<Readonly<{ plan: InstallPlan } | { absent: string }>> {
  const where = `in namespace ${namespace} of ${client.cluster}`;
  const planName = kind === 'InstallPlan' ? name : await planOfSubscription(client, name, namespace);
  if (planName === undefined) return { absent: `there is no Subscription ${name} ${where}` };
  if (planName === '')
    return { absent: `Subscription ${name} ${where} has no InstallPlan: nothing waits for approval` };
  const plan = await client.get({ ...INSTALL_PLAN_API, name: planName, namespace });
  if (plan === undefined) return { absent: `there is no InstallPlan ${planName} ${where}` };
  const read = readForeign(InstallPlan, plan);
  if ('problem' in read) return { absent: `InstallPlan ${planName} ${where} cannot be read: ${read.problem}` };
  return { plan: read.value };
}

/**
 * Returns the name of the plan that a Subscription refers to, '' if it refers to none. Returns undefined
 * without a Subscription.
 */
async function planOfSubscription(client: KubeClient, name: string, namespace: string): Promise<string | undefined> {
  const found = await client.get<Subscription>({ ...SUBSCRIPTION_API, name, namespace });
  return found === undefined ? undefined : (found.status?.installPlanRef?.name ?? '');
}

/** Returns the reason against an approval of this plan. Returns undefined if the plan can be approved. */
function refusal(where: string, at: PlanPlace, { spec, status }: InstallPlan): string | undefined {
  const phase = status?.phase ?? '';
  if (phase === 'Complete') return `${where} is complete: there is nothing to approve`;
  if (phase === 'Failed') {
    return `${where} has failed and approval does not restart it. Fix the cause (${NEXT.explainPlan(at)}); the plan then continues, at once with ${NEXT.retryPlan(at)}`;
  }
  if (spec.approved) return `${where} is already approved`;
  if (phase === 'RequiresApproval') return undefined;
  return `${where} is not waiting for approval yet (phase ${phase || 'not set'}): its steps are not known; try again later`;
}

/** Returns the refusal of a plan that a rollout of the fleet decides about. */
function ofFleet(where: string, plan: InstallPlan, subscriptions: readonly Subscription[]): string | undefined {
  const decider = deciderOfPlan(plan, subscriptions);
  return decider && `${where} is not approved: ${decidedByFleet(decider)}`;
}

/**
 * Returns the effect of each CSV of the plan on the Subscriptions of its namespace: a new operator, or a
 * newer version.
 */
function whatItDoes({ spec, status }: InstallPlan, subscriptions: readonly Subscription[]): string[] {
  const steps = (status?.plan ?? []).filter((step) => step !== null);
  return spec.clusterServiceVersionNames.map((name) => {
    const subscription = subscriptions.find((one) => one.status?.currentCSV === name);
    const installed = subscription?.status?.installedCSV;
    const objects = steps.filter(({ resolving }) => resolving === name).length;
    const what = installed && installed !== name ? `upgrades ${installed} to ${name}` : `installs ${name}`;
    return `${what} (${counted(objects, 'object')})`;
  });
}
