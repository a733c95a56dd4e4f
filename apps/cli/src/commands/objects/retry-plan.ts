import { unfinishedSteps } from '#core/classic/install-plan/execution/step-install-plan';
import type { DoneStep } from '#core/classic/install-plan/plan/repeat-plan';
import { RETRY_ANNOTATION, type RetryMode, retryAnnotation } from '#core/classic/install-plan/plan/retry-plan';
import { isReplannable } from '#core/classic/subscription/replan';
import { type ClusterServiceVersion, CSV_API } from '#core/kernel/api/cluster-service-version';
import { isCopied } from '#core/kernel/api/csv-facts';
import { INSTALL_PLAN_API, InstallPlan } from '#core/kernel/api/install-plan';
import type { ObjectRef } from '#core/kernel/api/kubernetes-object';
import { readForeign } from '#core/kernel/verdict/read-foreign';
import { KubeApiError, type KubeClient } from '#platform/kube/client/kube-client.port';
import { undoneSteps } from '../../../../../libs/lifecycle/src/classic/install-plans/undone-steps.js';
import { askClusters, fleetVerdict, reportAway } from '../../clusters/ask-clusters.js';
import { exitCodeOf } from '../../output/verdict.js';
import type { Io } from '../../terminal/io.js';

export type RetryOptions = Readonly<{
  namespace: string;
  mode: RetryMode;
  dryRun: boolean;
  /** Every cluster is asked, and one that has no such plan is none that refuses. */
  allClusters: boolean;
  allowMissing: boolean;
}>;

/** The outcome for one plan in one cluster; `lines` are for the user. */
type Retry = Readonly<{ name: string; result: 'asked' | 'idle' | 'refused' | 'absent'; lines: readonly string[] }>;

/**
 * Runs `flotilla retry installplan`: asks the hub, by an annotation of the plan in each of these clusters, to
 * execute it again or to recreate it.
 */
export async function retryPlans(
  clients: readonly KubeClient[],
  io: Io,
  names: readonly string[],
  options: RetryOptions,
): Promise<void> {
  const fleet = await askClusters(clients, async (client) => {
    const retries: Retry[] = [];
    for (const name of names) retries.push(await retryPlan(client, name, options));
    return retries;
  });
  reportAway(fleet.away, io);
  const all = fleet.answers.flatMap(({ value }) => value);
  const isFound = (name: string) => all.some((one) => one.name === name && one.result !== 'absent');
  for (const { name, result, lines } of all) {
    if (result === 'asked' || result === 'idle') io.out(`${lines.join('\n')}\n`);
    else if (result === 'refused' || !options.allClusters || !isFound(name)) io.err(`error: ${lines.join('\n')}\n`);
  }
  const isRefused = all.some(({ result }) => result === 'refused' || (result === 'absent' && !options.allClusters));
  io.exit(exitCodeOf(fleetVerdict(!isRefused && names.every(isFound), fleet, options)));
}

async function retryPlan(client: KubeClient, name: string, options: RetryOptions): Promise<Retry> {
  const { namespace, mode, dryRun } = options;
  const refused = (why: string): Retry => ({ name, result: 'refused', lines: [why] });
  const ref = { ...INSTALL_PLAN_API, name, namespace };
  const where = `InstallPlan ${name} in namespace ${namespace} of ${client.cluster}`;
  const found = await client.get(ref);
  if (found === undefined) return { name, result: 'absent', lines: [`there is no ${where}`] };
  const read = readForeign(InstallPlan, found);
  if ('problem' in read) return refused(`${where} cannot be read: ${read.problem}`);
  const plan = read.value;
  const idle = await nothingToRetry(client, plan, mode);
  if (typeof idle === 'string') {
    return { name, result: 'idle', lines: [`${where} ${idle}: there is nothing to retry`] };
  }
  const phase = plan.status?.phase || 'not set';
  if (phase !== 'Failed' && phase !== 'Complete') return refused(`${where} has not failed (phase ${phase})`);
  const { resourceVersion } = plan.metadata;
  const patch = { metadata: { resourceVersion, annotations: { [RETRY_ANNOTATION]: retryAnnotation(mode) } } };
  try {
    await client.patch(ref, patch, { dryRun });
  } catch (error) {
    if (!KubeApiError.is(error, 'Conflict')) throw error;
    return refused(`${where} changed at the same time: review the plan again, then retry it`);
  }
  const done = `${where} ${dryRun ? 'would be' : 'is to be'} ${mode === 'replan' ? 'recreated' : 'executed again'}`;
  const more = mode === 'replan' ? await whatGoes(client, plan) : whatIsLeft(plan, idle.undone);
  return { name, result: 'asked', lines: [done, ...more.map((line) => `  ${line}`)] };
}

/** A plan that can be retried. `undone`: the steps of a complete plan whose objects are gone. */
type Retryable = Readonly<{ undone: readonly DoneStep[] }>;

/** Asking twice is no error: the first request may have been acted on. */
async function nothingToRetry(client: KubeClient, plan: InstallPlan, mode: RetryMode): Promise<string | Retryable> {
  const { status, metadata } = plan;
  if (status?.phase === 'Installing') return 'is being executed';
  if (status?.phase !== 'Complete') return { undone: [] };
  const csvs =
    (await client.list<ClusterServiceVersion>(CSV_API, { namespace: metadata.namespace ?? '' }))?.items ?? [];
  if (mode === 'replan') return isReplannable(plan, csvs) ? { undone: [] } : 'is complete and its operators exist';
  if (isReplannable(plan, csvs))
    return 'is complete, but its operators do not exist (to restore a deleted operator, use --replan)';
  const hidden: ObjectRef[] = [];
  const undone = await undoneSteps(plan, csvs, (ref) =>
    client.get(ref).catch((error: unknown) => {
      if (!KubeApiError.is(error, 'Forbidden')) throw error;
      hidden.push(ref);
      return undefined;
    }),
  );
  // This login may not read them. The hub may, and finds the objects that are gone.
  const gone = undone.filter(({ ref }) => !hidden.includes(ref));
  return gone.length === 0 && hidden.length === 0 ? 'is complete, and all its objects exist' : { undone: gone };
}

const NAMED = 5;

function whatIsLeft(plan: InstallPlan, undone: readonly DoneStep[]): string[] {
  const steps = undone.length > 0 ? undone.map(({ step }) => step) : unfinishedSteps(plan).map(([, step]) => step);
  const left = steps.map(({ resource }) => `${resource.kind} ${resource.name}`);
  const more = left.length > NAMED ? ` and ${left.length - NAMED} more` : '';
  const doing = undone.length > 0 ? 'makes again' : 'goes on with';
  return left.length === 0 ? [] : [`${doing} ${left.slice(0, NAMED).join(', ')}${more}`];
}

/** Returns the objects to delete before the plan is recreated, as far as they exist. */
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
