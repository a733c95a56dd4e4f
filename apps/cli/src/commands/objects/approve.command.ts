import type { Command } from 'commander';
import { FLEET_HELP, type FleetOptions, withFleetOptions } from '../../clusters/cluster-options.js';
import { namespaceOption } from '../../clusters/namespace-option.js';
import { ANSWER_FORMATS, type AnswerFormat, outputOption } from '../../output/output-option.js';
import { type Io, UsageError } from '../../terminal/io.js';
import type { ApprovalAsked } from './approve-plan.js';
import type { Operand } from './operands.js';

type Options = FleetOptions &
  Readonly<{ namespace?: string; dryRun?: boolean; allClusters?: boolean; output: AnswerFormat }>;

const HELP = `
The same plan has the same name in every cluster. With several -C the command approves it in each of them, with --all-clusters
in each that has it. A Subscription stands for the InstallPlan that it waits for. Lines of "flotilla get ip -o name" are
accepted, too; they name cluster and namespace.
The command approves the plan as it read it: if the plan changes in the same moment, it approves nothing there. Exit code 1,
with the reason, if a plan does not wait for approval.
${FLEET_HELP}

Examples:
  flotilla approve installplan install-6c8b7 -n team --cluster east
  flotilla approve ip/install-6c8b7 -n team -C east -C west --dry-run
  flotilla approve subscription harbor -n team --all-clusters
  flotilla status          shows what waits for approval, with the command that gives it`;

/** Registers `flotilla approve installplan|subscription NAME…`. */
export const approveCommand = (program: Command, io: Io): Command =>
  withFleetOptions(
    program.command('approve').argument('<kind>', 'installplan (ip) or subscription (sub)').argument('[name...]'),
  )
    .description('approve a waiting InstallPlan in one cluster or in several, and print its operators')
    .addOption(namespaceOption('the namespace of the plan, if its name does not include it'))
    .option('--all-clusters', 'in every cluster that has the object')
    .option('--dry-run', 'print the plans that would be approved, and approve nothing')
    .addOption(outputOption('form of the answer', ANSWER_FORMATS))
    .addHelpText('after', HELP)
    .action((kind: string, names: readonly string[], options: Options) => approve([kind, ...names], options, io));

const KINDS: Readonly<Record<string, 'InstallPlan' | 'Subscription'>> = {
  InstallPlan: 'InstallPlan',
  Subscription: 'Subscription',
};

async function approve(words: readonly string[], given: Options, io: Io): Promise<void> {
  const [{ withClusters, withOneCluster }, { approvePlans }, { namedOperands, placeWith }] = await Promise.all([
    import('../../clusters/open-clusters.js'),
    import('./approve-plans.js'),
    import('./operands.js'),
  ]);
  const operands = namedOperands(words, 'approve');
  const options = placeWith(given, operands);
  const { dryRun = false, allClusters = false, allowMissing = false, output } = options;
  if (allClusters && options.cluster !== undefined) {
    throw new UsageError('-C and --all-clusters exclude each other; choose one');
  }
  const asked = await approvalsOf(operands, options);
  const how = { ...options, dryRun, allClusters, allowMissing, output };
  if (allClusters || (options.cluster ?? []).length > 1) {
    return withClusters(io, options, (clients) => approvePlans(clients, io, asked, how));
  }
  await withOneCluster(io, options, (client) => approvePlans([client], io, asked, how), 'or all with --all-clusters');
}

async function approvalsOf(operands: readonly Operand[], options: Options): Promise<readonly ApprovalAsked[]> {
  const { kindsOf } = await import('./live-kinds.js');
  return operands.flatMap(({ kinds, names, cluster, namespace = options.namespace }) =>
    kinds.flatMap((word) => {
      const [kind = ''] = kindsOf(word).map(({ api }) => api.kind);
      const approved = Object.hasOwn(KINDS, kind) ? KINDS[kind] : undefined;
      if (approved === undefined) {
        throw new UsageError(`objects of kind "${word}" cannot be approved; name an installplan or a subscription`);
      }
      if (namespace === undefined) throw new UsageError('specify a namespace with --namespace');
      return names.map((name) => ({ kind: approved, name, namespace, cluster }));
    }),
  );
}
