import type { Command } from 'commander';
import { CLUSTER_HELP, type ClusterOptions, withClusterOptions } from '../../clusters/cluster-options.js';
import { refuseClusterOptions } from '../../clusters/offline-only.js';
import { hubOption } from '../../hub/hub-address.js';
import { isData } from '../../output/data-format.js';
import { ANSWER_FORMATS, type AnswerFormat, outputOption } from '../../output/output-option.js';
import { printData } from '../../output/print-data.js';
import { exitCodeOf, verdictOf } from '../../output/verdict.js';
import {
  QUESTION_HELP,
  type QuestionOptions,
  readGiven,
  readQuestion,
  withQuestionOptions,
} from '../../resolution/question-options.js';
import { type Io, UsageError } from '../../terminal/io.js';

type Options = QuestionOptions & ClusterOptions & Readonly<{ hub?: string; output: AnswerFormat }>;

const HELP = `
In a cluster KIND is subscription (sub), installplan (ip), clusterserviceversion (csv), catalogsource, clustercatalog or
extension. The command resolves a Subscription again if that adds something. The content of catalogs then comes from the hub,
otherwise from the registry with the logins of the cluster and of this machine.
${CLUSTER_HELP}

With --catalog and -f the command asks no cluster. KIND is subscription, csv or extension, and NAME an object of the
manifests, or a CSV that would be installed.
${QUESTION_HELP}
Exit code 0: healthy, or it becomes so without help; 1: not healthy, with the reason.

Examples:
  flotilla explain subscription harbor -n team -C east
  flotilla explain csv harbor.v1.0.0 -n team -C east -o json
  flotilla explain extension lamp -C east
  flotilla explain subscription harbor --catalog community=./catalog -f namespace.yaml
  flotilla explain extension lamp --catalog community=./catalog -f clusterextension.yaml
  kubectl get sub,csv,og -n team -o yaml | flotilla explain sub harbor --catalog community=registry.example/catalog:v1 -f -`;

/**
 * Registers `flotilla explain`: the one reason behind an object, such as a failure, a wait, or the absence of
 * a newer version.
 */
export const explainCommand = (program: Command, io: Io): Command =>
  withQuestionOptions(withClusterOptions(program.command('explain').argument('<kind>').argument('[name]')))
    .description('explain the state of an object: its cause, the obstacle, and the next step')
    .addOption(hubOption(', the source of catalog contents and of obstacles of the hub in the cluster'))
    .addOption(outputOption('form of the answer', ANSWER_FORMATS))
    .addHelpText('after', HELP)
    .action(async (kind: string, name: string | undefined, given: Options) => {
      const { namedOperands, placeWith } = await import('../objects/operands.js');
      const operands = namedOperands(name === undefined ? [kind] : [kind, name], 'explain');
      const [operand, ...more] = operands;
      const { kinds: [word = '', ...words] = [], names: [named = ''] = [], namespace } = operand ?? {};
      const options = { ...placeWith(given, operands), ...(namespace === undefined ? {} : { namespace }) };
      if (more.length > 0 || words.length > 0) throw new UsageError('explain is about one object; name one');
      if (options.catalog === undefined && options.filename === undefined) {
        return explainInCluster(word, named, options, io);
      }
      refuseClusterOptions(options, 'to ask a cluster, remove --catalog and -f');
      return explain(word, named, options, io);
    });

/** An offline answer; `well` is its verdict under the name it had first. */
async function print(answer: Readonly<{ well: boolean; text: string }>, { output }: Options, io: Io): Promise<void> {
  const verdict = verdictOf(answer.well);
  if (isData(output)) await printData(io, { verdict, ...answer }, output);
  else io.out(`${answer.text}\n`);
  io.exit(exitCodeOf(verdict));
}

async function explain(kind: string, name: string, options: Options, io: Io): Promise<void> {
  if (EXTENSION.test(kind)) return explainExtension(name, options, io);
  const { explainAnswer, subjectKind } = await import('../../resolution/explain-answer.js');
  const subject = subjectKind(kind);
  const { question, contents } = await readQuestion(options, io);
  const answer = explainAnswer({ kind: subject, name }, question, contents);
  for (const note of question.notes) io.err(`note: ${note}\n`);
  await print(answer, options, io);
}

const EXTENSION = /^(cluster)?extensions?$/i;

async function explainExtension(name: string, options: Options, io: Io): Promise<void> {
  const [{ explainPlanned }, { planExtensions }, { catalogAt }, { extensionGatesOf }, { commandSettings }] =
    await Promise.all([
      import('../../resolution/explain-extension-answer.js'),
      import('../../resolution/plan-extensions.js'),
      import('../../resolution/catalog-shelf.js'),
      import('#platform/config/extension-gates'),
      import('../../hub/command-settings.js'),
    ]);
  const gates = extensionGatesOf(commandSettings(process.env));
  const { catalogs, manifests } = await readGiven(options, io);
  const contents = await Promise.all(catalogs.map(({ reference }) => catalogAt(reference)));
  await print(explainPlanned(name, planExtensions(manifests, catalogs, contents, gates)), options, io);
}

async function explainInCluster(word: string, name: string, options: Options, io: Io): Promise<void> {
  const [
    { withOneCluster },
    { commandAccess },
    { explainLive, liveSubject, liveText },
    { openLiveContents },
    { clusterTroubles },
    { commandSettings },
    { consoleLine, pageOf },
  ] = await Promise.all([
    import('../../clusters/open-clusters.js'),
    import('../../clusters/command-access.js'),
    import('./explain-live.js'),
    import('../../preview/live-contents.js'),
    import('../../hub/cluster-troubles.js'),
    import('../../hub/command-settings.js'),
    import('../../hub/console-page.js'),
  ]);
  const asked = { kind: liveSubject(word), name, namespace: options.namespace };
  const { globalCatalogNamespace } = options;
  const read = commandSettings(process.env);
  const settings = globalCatalogNamespace === undefined ? read : { ...read, globalCatalogNamespace };
  await withOneCluster(io, options, async (client) => {
    const access = commandAccess(client, options);
    const answer = await explainLive(client, asked, {
      settings,
      access,
      contents: () => openLiveContents(settings, options.hub),
      troubles: (cluster) => clusterTroubles(cluster, settings, options.hub),
    });
    const verdict = verdictOf(answer.standing === 'well' || answer.standing === 'under-way');
    if (isData(options.output)) await printData(io, { verdict, ...answer }, options.output);
    else io.out(`${liveText(answer, access)}${consoleLine(settings, pageOf(answer))}`);
    io.exit(exitCodeOf(verdict));
  });
}
