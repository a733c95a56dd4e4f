import { INSTALL_PLAN_API, InstallPlan } from '#core/api/install-plan';
import { SUBSCRIPTION_API, type Subscription } from '#core/api/subscription';
import { KubeApiError, type KubeClient } from '#platform/kube/kube-client.port';
import { ExitCode, type Io } from '../io.js';

export type ApproveOptions = Readonly<{ namespace: string; dryRun: boolean }>;

/**
 * `flotilla approve installplan`: approves what is waiting and says what that installs. The plan that was shown is the one
 * that is approved: the write carries its resourceVersion.
 */
export async function approvePlans(
  client: KubeClient,
  io: Io,
  names: readonly string[],
  options: ApproveOptions,
): Promise<void> {
  let allApproved = true;
  for (const name of names) allApproved = (await approvePlan(client, io, name, options)) && allApproved;
  io.exit(allApproved ? ExitCode.done : ExitCode.no);
}

async function approvePlan(client: KubeClient, io: Io, name: string, options: ApproveOptions): Promise<boolean> {
  const { namespace, dryRun } = options;
  const where = `InstallPlan ${name} in namespace ${namespace} of ${client.cluster}`;
  const found = await client.get({ ...INSTALL_PLAN_API, name, namespace });
  const refused = found === undefined ? `there is no ${where}` : refusal(where, InstallPlan.parse(found));
  if (found === undefined || refused !== undefined) {
    io.err(`error: ${refused}\n`);
    return false;
  }
  const plan = InstallPlan.parse(found);
  const change = { metadata: { resourceVersion: plan.metadata.resourceVersion }, spec: { approved: true } };
  try {
    await client.patch({ ...INSTALL_PLAN_API, name, namespace }, change, { dryRun });
  } catch (error) {
    if (!KubeApiError.is(error, 'Conflict')) throw error;
    io.err(`error: ${where} changed in the same moment and is not approved: look at it again, then approve it\n`);
    return false;
  }
  io.out(`${where} ${dryRun ? 'would be approved' : 'is approved'}\n`);
  for (const line of await whatItDoes(client, plan)) io.out(`  ${line}\n`);
  return true;
}

/** Why this plan cannot be approved; undefined where it can. */
function refusal(where: string, { spec, status }: InstallPlan): string | undefined {
  const phase = status?.phase ?? '';
  if (phase === 'Complete') return `${where} is complete: there is nothing to approve`;
  if (phase === 'Failed') {
    return `${where} has failed, approval does not revive it: mend the cause (flotilla explain installplan) and delete it`;
  }
  if (spec.approved) return `${where} is approved already`;
  if (phase === 'RequiresApproval') return undefined;
  return `${where} is not waiting for approval yet (phase ${phase || 'not set'}): its steps are not known; try again later`;
}

/** What each CSV of the plan is for the Subscriptions of its namespace: news, or a newer version. */
async function whatItDoes(client: KubeClient, { metadata, spec, status }: InstallPlan): Promise<string[]> {
  const list = await client.list<Subscription>(SUBSCRIPTION_API, { namespace: metadata.namespace ?? '' });
  const steps = (status?.plan ?? []).filter((step) => step !== null);
  return spec.clusterServiceVersionNames.map((name) => {
    const subscription = list?.items.find((one) => one.status?.currentCSV === name);
    const installed = subscription?.status?.installedCSV;
    const objects = steps.filter(({ resolving }) => resolving === name).length;
    const what = installed && installed !== name ? `upgrades ${installed} to ${name}` : `installs ${name}`;
    return `${what} (${objects} ${objects === 1 ? 'object' : 'objects'})`;
  });
}
