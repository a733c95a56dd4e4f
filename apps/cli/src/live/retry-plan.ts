import { type ClusterServiceVersion, CSV_API } from '#core/api/cluster-service-version';
import { INSTALL_PLAN_API, InstallPlan } from '#core/api/install-plan';
import { isCopied } from '#core/csv/csv-facts';
import { RETRY_ANNOTATION, type RetryMode, retryAnnotation } from '#core/install-plan/retry-plan';
import { isReplannable, unfinishedSteps } from '#core/install-plan/step-install-plan';
import { KubeApiError, type KubeClient } from '#platform/kube/kube-client.port';
import { ExitCode, type Io } from '../io.js';

export type RetryOptions = Readonly<{ namespace: string; mode: RetryMode; dryRun: boolean }>;

/** `flotilla retry installplan`: asks the hub, by an annotation of the plan, to execute it again or to make it anew. */
export async function retryPlans(
  client: KubeClient,
  io: Io,
  names: readonly string[],
  options: RetryOptions,
): Promise<void> {
  let allAsked = true;
  for (const name of names) allAsked = (await retryPlan(client, io, name, options)) && allAsked;
  io.exit(allAsked ? ExitCode.done : ExitCode.no);
}

async function retryPlan(client: KubeClient, io: Io, name: string, options: RetryOptions): Promise<boolean> {
  const { namespace, mode, dryRun } = options;
  const ref = { ...INSTALL_PLAN_API, name, namespace };
  const where = `InstallPlan ${name} in namespace ${namespace} of ${client.cluster}`;
  const found = await client.get(ref);
  if (found === undefined) return refuse(io, `there is no ${where}`);
  const plan = InstallPlan.parse(found);
  const idle = await nothingToRetry(client, plan, mode);
  if (idle !== undefined) {
    io.out(`${where} ${idle}: there is nothing to retry\n`);
    return true;
  }
  const phase = plan.status?.phase || 'not set';
  if (phase !== 'Failed' && phase !== 'Complete') return refuse(io, `${where} has not failed (phase ${phase})`);
  const { resourceVersion } = plan.metadata;
  const patch = { metadata: { resourceVersion, annotations: { [RETRY_ANNOTATION]: retryAnnotation(mode) } } };
  try {
    await client.patch(ref, patch, { dryRun });
  } catch (error) {
    if (!KubeApiError.is(error, 'Conflict')) throw error;
    return refuse(io, `${where} changed in the same moment: look at it again, then retry it`);
  }
  io.out(`${where} ${dryRun ? 'would be' : 'is to be'} ${mode === 'replan' ? 'made anew' : 'executed again'}\n`);
  for (const line of mode === 'replan' ? await whatGoes(client, plan) : whatIsLeft(plan)) io.out(`  ${line}\n`);
  return true;
}

/** Asking twice is no error: the first request may have been acted on. */
async function nothingToRetry(client: KubeClient, plan: InstallPlan, mode: RetryMode): Promise<string | undefined> {
  const { status, metadata } = plan;
  if (status?.phase === 'Installing') return 'is being executed';
  if (status?.phase !== 'Complete') return undefined;
  if (mode === 'steps') return 'is complete';
  const csvs = await client.list<ClusterServiceVersion>(CSV_API, { namespace: metadata.namespace ?? '' });
  return isReplannable(plan, csvs?.items ?? []) ? undefined : 'is complete and its operators are there';
}

function refuse(io: Io, why: string): false {
  io.err(`error: ${why}\n`);
  return false;
}

const NAMED = 5;

function whatIsLeft(plan: InstallPlan): string[] {
  const left = unfinishedSteps(plan).map(([, { resource }]) => `${resource.kind} ${resource.name}`);
  const more = left.length > NAMED ? ` and ${left.length - NAMED} more` : '';
  return left.length === 0 ? [] : [`goes on with ${left.slice(0, NAMED).join(', ')}${more}`];
}

/** What is deleted before the plan is made anew, as far as it is there. */
async function whatGoes(client: KubeClient, { metadata: { namespace = '', name }, spec }: InstallPlan) {
  const found = await Promise.all(
    spec.clusterServiceVersionNames.map((csv) =>
      client.get<ClusterServiceVersion>({ ...CSV_API, name: csv, namespace }),
    ),
  );
  const own = found.filter((csv) => csv !== undefined).filter((csv) => !isCopied(csv));
  const csvs = own.map(({ metadata }) => `ClusterServiceVersion ${metadata.name}`);
  return [`deletes ${[...csvs, `InstallPlan ${name}`].join(', ')}, unless one of its operators is installed`];
}
