import { type Command, Option } from 'commander';
import { ExitCode, type Io } from '../io.js';
import { CLUSTER_HELP, type ClusterOptions, withClusterOptions } from '../live/cluster-options.js';
import {
  QUESTION_HELP,
  type QuestionOptions,
  readGiven,
  readQuestion,
  withQuestionOptions,
} from '../resolution/question-options.js';

type Options = QuestionOptions & ClusterOptions & Readonly<{ output: 'text' | 'json' }>;

const HELP = `
In a cluster KIND is subscription (sub), installplan (ip), clusterserviceversion (csv), catalogsource, clustercatalog or
extension. A Subscription is resolved anew where that adds something: the content of catalogs comes from the hub, or else
from the registry with the logins of the cluster and of this machine.
${CLUSTER_HELP}

With --catalog and -f nothing is asked but these: KIND is subscription, csv or extension, NAME an object of the manifests,
or a CSV that would be installed.
${QUESTION_HELP}
Exit code 0: it is well, or time alone will do; 1: it is not, and why.

Examples:
  flotilla explain subscription harbor -n team -C east
  flotilla explain csv harbor.v1.0.0 -n team -C east -o json
  flotilla explain extension lamp -C east
  flotilla explain subscription harbor --catalog community=./catalog -f namespace.yaml
  flotilla explain extension lamp --catalog community=./catalog -f clusterextension.yaml
  kubectl get sub,csv,og -n team -o yaml | flotilla explain sub harbor --catalog community=registry.example/catalog:v1 -f -`;

/** `flotilla explain`: the one reason behind an object; why it fails, what it waits for, or why nothing newer comes. */
export const explainCommand = (program: Command, io: Io): Command =>
  withQuestionOptions(withClusterOptions(program.command('explain').argument('<kind>').argument('<name>')))
    .description('tell why an object is as it is: what it waits for, what stops it, and what to do')
    .addOption(new Option('-o, --output <format>', 'form of the answer').choices(['text', 'json']).default('text'))
    .addHelpText('after', HELP)
    .action((kind: string, name: string, options: Options) =>
      options.catalog === undefined && options.filename === undefined
        ? explainInCluster(kind, name, options, io)
        : explain(kind, name, options, io),
    );

async function explain(kind: string, name: string, options: Options, io: Io): Promise<void> {
  if (EXTENSION.test(kind)) return explainExtension(name, options, io);
  const { explainAnswer, subjectKind } = await import('../resolution/explain-answer.js');
  const subject = subjectKind(kind);
  const { question, contents } = await readQuestion(options, io);
  const answer = explainAnswer({ kind: subject, name }, question, contents);
  for (const note of question.notes) io.err(`note: ${note}\n`);
  io.out(options.output === 'json' ? `${JSON.stringify(answer, undefined, 2)}\n` : `${answer.text}\n`);
  io.exit(answer.well ? ExitCode.done : ExitCode.no);
}

const EXTENSION = /^(cluster)?extensions?$/i;

async function explainExtension(name: string, options: Options, io: Io): Promise<void> {
  const [{ explainPlanned }, { planExtensions }, { catalogAt }, { extensionGatesOf }, { commandSettings }] =
    await Promise.all([
      import('../resolution/explain-extension-answer.js'),
      import('../resolution/plan-extensions.js'),
      import('../resolution/catalog-shelf.js'),
      import('#platform/config/extension-gates'),
      import('../command-settings.js'),
    ]);
  const gates = extensionGatesOf(commandSettings(process.env));
  const { catalogs, manifests } = await readGiven(options, io);
  const contents = await Promise.all(catalogs.map(({ reference }) => catalogAt(reference)));
  const answer = explainPlanned(name, planExtensions(manifests, catalogs, contents, gates));
  io.out(options.output === 'json' ? `${JSON.stringify(answer, undefined, 2)}\n` : `${answer.text}\n`);
  io.exit(answer.well ? ExitCode.done : ExitCode.no);
}

async function explainInCluster(word: string, name: string, options: Options, io: Io): Promise<void> {
  const [{ withOneCluster }, { explainLive, liveSubject, liveText }, { openLiveContents }, { commandSettings }] =
    await Promise.all([
      import('../live/open-clusters.js'),
      import('../live/explain-live.js'),
      import('../live/live-contents.js'),
      import('../command-settings.js'),
    ]);
  const asked = { kind: liveSubject(word), name, namespace: options.namespace };
  const { globalCatalogNamespace } = options;
  const read = commandSettings(process.env);
  const settings = globalCatalogNamespace === undefined ? read : { ...read, globalCatalogNamespace };
  await withOneCluster(options, async (client) => {
    const answer = await explainLive(client, asked, { settings, contents: () => openLiveContents(settings) });
    io.out(options.output === 'json' ? `${JSON.stringify(answer, undefined, 2)}\n` : liveText(answer));
    io.exit(answer.standing === 'well' || answer.standing === 'under-way' ? ExitCode.done : ExitCode.no);
  });
}
