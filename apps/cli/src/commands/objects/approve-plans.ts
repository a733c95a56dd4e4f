import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { askClusters, fleetVerdict, reportAway } from '../../clusters/ask-clusters.js';
import type { ClusterOptions } from '../../clusters/cluster-options.js';
import { ownAccess } from '../../clusters/command-access.js';
import { isData } from '../../output/data-format.js';
import { dataText } from '../../output/data-text.js';
import type { AnswerFormat } from '../../output/output-option.js';
import { exitCodeOf } from '../../output/verdict.js';
import type { Io } from '../../terminal/io.js';
import { type Approval, type ApprovalAsked, approvePlan } from './approve-plan.js';

export type ApproveOptions = Pick<ClusterOptions, 'kubeconfig' | 'context'> &
  Readonly<{
    dryRun: boolean;
    /** Every cluster is asked, and one that has no such object is none that refuses. */
    allClusters: boolean;
    allowMissing: boolean;
    output: AnswerFormat;
  }>;

/**
 * Runs `flotilla approve`: approves the same plans, or Subscriptions, in each of these clusters, and names
 * the installed CSVs.
 */
export async function approvePlans(
  clients: readonly KubeClient[],
  io: Io,
  asked: readonly ApprovalAsked[],
  options: ApproveOptions,
): Promise<void> {
  const fleet = await askClusters(clients, async (client) => {
    const approvals: Approval[] = [];
    const here = asked.filter(({ cluster }) => (cluster ?? client.cluster) === client.cluster);
    const { dryRun } = options;
    const access = ownAccess(client, options).options;
    for (const one of here) approvals.push(await approvePlan(client, one, { dryRun, access }));
    return approvals;
  });
  reportAway(fleet.away, io);
  const items = fleet.answers.flatMap(({ value }) => value);
  const verdict = fleetVerdict(items.every(isDone) && isFoundSomewhere(asked, items), fleet, options);
  if (isData(options.output)) io.out(dataText({ verdict, away: fleet.away, items }, options.output));
  else for (const item of items) print(item, io);
  io.exit(exitCodeOf(verdict));

  function isDone({ result }: Approval): boolean {
    return result === 'approved' || result === 'would-be-approved' || (result === 'absent' && options.allClusters);
  }
}

const isFoundSomewhere = (asked: readonly ApprovalAsked[], items: readonly Approval[]): boolean =>
  asked.every((one) =>
    items.some(({ kind, name, result }) => kind === one.kind && name === one.name && result !== 'absent'),
  );

function print({ cluster, namespace, installPlan, result, because, installs }: Approval, io: Io): void {
  if (because !== undefined) {
    io.err(`error: ${because}\n`);
    return;
  }
  const done = result === 'approved' ? 'is approved' : 'would be approved';
  io.out(`InstallPlan ${installPlan} in namespace ${namespace} of ${cluster} ${done}\n`);
  for (const line of installs) io.out(`  ${line}\n`);
}
