import type { Command } from 'commander';
import { FLEET_HELP, type FleetOptions, withFleetOptions } from '../../clusters/cluster-options.js';
import { refuseClusterOptions } from '../../clusters/offline-only.js';
import { hubOption } from '../../hub/hub-address.js';
import { ANSWER_FORMATS, type AnswerFormat, outputOption } from '../../output/output-option.js';
import {
  type Given,
  QUESTION_HELP,
  type QuestionOptions,
  readGiven,
  readQuestion,
  withQuestionOptions,
} from '../../resolution/question-options.js';
import { ExitCode, type Io, UsageError } from '../../terminal/io.js';

type Options = QuestionOptions &
  FleetOptions &
  Readonly<{
    live?: boolean;
    pull?: boolean;
    extension?: string;
    allNamespaces?: boolean;
    hub?: string;
    output: AnswerFormat;
  }>;

const HELP = `${QUESTION_HELP} Exit code 0: this would be done; 1: it cannot be done, with the reason.

--live shows the next writes of the hub in the namespaces of clusters (one with -n), and writes nothing. It runs the applier's
own steps, with contents of catalogs as in "flotilla explain". Later steps depend on the answers of the cluster. For
ClusterExtensions (one with --extension) it shows the next bundle, and the objects that would be created, changed (with the
fields), kept and deleted.

--pull renders a ClusterExtension as the hub does: it shows the objects and rights of the bundle, or the reason of the hub's
refusal (exit code 1). Only --live shows collisions, CRD checks and missing rights.
${FLEET_HELP}

Examples:
  flotilla plan --live -C east -n team
  flotilla plan --live -C east --extension lamp
  flotilla plan --catalog community=./catalog -f subscription.yaml
  flotilla plan --catalog community=registry.example/catalog:v1 -f subscription.yaml --pull
  flotilla plan --catalog community=./catalog -f clusterextension.yaml
  flotilla plan --catalog olm/community:10=./catalog --catalog team/own=./own.yaml -f manifests/ -n team -o yaml`;

/**
 * Registers `flotilla plan`: the next installs and upgrades with reason and origin, or the reason against
 * them. Writes nothing anywhere.
 */
export const planCommand = (program: Command, io: Io): Command =>
  withQuestionOptions(withFleetOptions(program.command('plan')))
    .description('show the next installations and upgrades of a namespace, with their reasons and obstacles')
    .option('--live', 'show the next step in clusters, instead of reading catalogs and manifests')
    .option('--extension <name>', 'only this ClusterExtension (with --live)')
    .option('--pull', 'pull the bundle images too, and show the steps and permissions of their manifests')
    .option('-A, --all-namespaces', 'all namespaces, as without -n (with --live)')
    .addOption(hubOption(', the source of catalog contents (with --live)'))
    .addOption(outputOption('form of the plan', ANSWER_FORMATS))
    .addHelpText('after', HELP)
    .action((options: Options) => (options.live ? live(options, io) : plan(options, io)));

async function plan(options: Options, io: Io): Promise<void> {
  const [{ planAnswer, isYes }, { printPlan }, { manifestsOf }] = await Promise.all([
    import('../../resolution/plan-answer.js'),
    import('../../resolution/print-plan.js'),
    import('../../resolution/bundle-manifests.js'),
  ]);
  const { pull = false, output } = options;
  if (options.extension !== undefined) throw new UsageError('--extension is for clusters: add --live');
  if (options.catalog === undefined && options.filename === undefined) {
    throw new UsageError(
      'nothing to plan: name catalogs and manifests (--catalog NAME=REF -f FILE), or ask the clusters with --live',
    );
  }
  refuseClusterOptions(options, 'to ask clusters, add --live');
  const given = await readGiven(options, io);
  if (asksForExtensions(given)) return planForExtensions(given, options, io);
  const { question, contents } = await readQuestion(options, io, given);
  const answer = await planAnswer(question, contents, (chosen, catalogs) => manifestsOf(chosen, catalogs, pull));
  for (const note of answer.notes) io.err(`note: ${note}\n`);
  io.out(printPlan(answer, output));
  io.exit(isYes(answer) ? ExitCode.done : ExitCode.no);
}

/** Manifests with ClusterExtensions and without any Subscription: the question is OLM v1's. */
const asksForExtensions = ({ manifests }: Given): boolean =>
  manifests.some(({ object }) => object.kind === 'ClusterExtension') &&
  !manifests.some(({ object }) => object.kind === 'Subscription');

async function planForExtensions(
  { catalogs, manifests }: Given,
  { output, pull = false }: Options,
  io: Io,
): Promise<void> {
  const [
    { canAllBeMet, planExtensions, printExtensionPlans },
    { catalogAt },
    { extensionGatesOf },
    { commandSettings },
  ] = await Promise.all([
    import('../../resolution/plan-extensions.js'),
    import('../../resolution/catalog-shelf.js'),
    import('#platform/config/extension-gates'),
    import('../../hub/command-settings.js'),
  ]);
  const contents = await Promise.all(catalogs.map(({ reference }) => catalogAt(reference)));
  const gates = extensionGatesOf(commandSettings(process.env));
  const chosen = planExtensions(manifests, catalogs, contents, gates);
  const plans = pull
    ? await (await import('../../resolution/pull-extensions.js')).withContents(chosen, manifests)
    : chosen;
  io.out(printExtensionPlans(plans, output));
  io.exit(canAllBeMet(plans) ? ExitCode.done : ExitCode.no);
}

async function live(options: Options, io: Io): Promise<void> {
  if (options.extension !== undefined && options.namespace !== undefined) {
    throw new UsageError('a ClusterExtension is in no namespace: --extension and -n exclude each other');
  }
  if (options.catalog !== undefined || options.filename !== undefined) {
    throw new UsageError('--live reads clusters, --catalog and -f read files; choose one of the two');
  }
  if (options.pull) {
    throw new UsageError('--pull is for catalogs: --live reads the steps as the hub does; remove --pull');
  }
  if (options.allNamespaces && options.namespace !== undefined) {
    throw new UsageError('-n and -A exclude each other; choose one');
  }
  const { planLive } = await import('./plan-live.js');
  await planLive(options, io);
}
