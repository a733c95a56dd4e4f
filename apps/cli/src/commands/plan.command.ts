import { type Command, Option } from 'commander';
import { ExitCode, type Io, UsageError } from '../io.js';
import type { CatalogOption } from '../resolution/catalog-option.js';
import type { PlanFormat } from '../resolution/print-plan.js';

type Options = Readonly<{
  catalog?: readonly string[];
  filename?: readonly string[];
  namespace?: string;
  globalCatalogNamespace?: string;
  pull?: boolean;
  output: PlanFormat;
}>;

const HELP = `
A catalog REF is a directory of a file-based catalog, a single catalog file, an OCI layout (oci:DIR[:TAG]), or a catalog
image. Manifests are Kubernetes objects as in a cluster: Subscriptions, and where there are any OperatorGroups,
ClusterServiceVersions and CatalogSources. Exit code 0: this would be done; 1: it cannot be, and why.

Examples:
  flotilla plan --catalog community=./catalog -f subscription.yaml
  flotilla plan --catalog community=registry.example/catalog:v1 -f subscription.yaml --pull
  flotilla plan --catalog olm/community:10=./catalog --catalog team/own=./own.yaml -f manifests/ -n team -o yaml`;

/** `flotilla plan`: what would be installed or upgraded, why, and from where; or why not. Writes nothing anywhere. */
export const planCommand = (program: Command, io: Io): Command =>
  program
    .command('plan')
    .description('show what would be installed or upgraded in a namespace, and why, or why not')
    .option('--catalog <[ns/]name[:priority]=ref>', 'a catalog in sight; may be given several times', gathered)
    .option(
      '-f, --filename <path>',
      'manifests: YAML or JSON, a file, a directory or "-"; may be given several times',
      gathered,
    )
    .option('-n, --namespace <namespace>', 'the namespace in question (default: that of the Subscriptions)')
    .option(
      '--global-catalog-namespace <namespace>',
      'the namespace whose catalogs every namespace sees (default: that of the catalogs, else olm)',
    )
    .option('--pull', 'pull the bundle images too, and show the steps and permissions of their manifests')
    .addOption(
      new Option('-o, --output <format>', 'form of the plan').choices(['table', 'json', 'yaml']).default('table'),
    )
    .addHelpText('after', HELP)
    .action((options: Options) => plan(options, io));

const gathered = (value: string, all: readonly string[] = []): string[] => [...all, value];

async function plan(
  { catalog, filename, namespace, globalCatalogNamespace, pull = false, output }: Options,
  io: Io,
): Promise<void> {
  const [
    { parseCatalogOption },
    { readManifests },
    { planQuestion },
    { catalogAt },
    { planAnswer, isYes },
    { printPlan },
    { manifestsOf },
  ] = await Promise.all([
    import('../resolution/catalog-option.js'),
    import('../resolution/read-manifests.js'),
    import('../resolution/plan-question.js'),
    import('../resolution/catalog-shelf.js'),
    import('../resolution/plan-answer.js'),
    import('../resolution/print-plan.js'),
    import('../resolution/bundle-manifests.js'),
  ]);
  if (catalog === undefined) throw new UsageError('no catalog given; name at least one with --catalog NAME=REFERENCE');
  if (filename === undefined) throw new UsageError('no manifests given; name a file or directory with -f, or "-"');
  const catalogs: CatalogOption[] = catalog.map(parseCatalogOption);
  const manifests = await readManifests(filename, io.stdin);
  const question = planQuestion(manifests, { catalogs, namespace, globalNamespace: globalCatalogNamespace });
  const contents = await Promise.all(question.catalogs.map(({ reference }) => catalogAt(reference)));
  const answer = await planAnswer(question, contents, (chosen, catalogs) => manifestsOf(chosen, catalogs, pull));
  for (const note of answer.notes) io.err(`note: ${note}\n`);
  io.out(printPlan(answer, output));
  io.exit(isYes(answer) ? ExitCode.done : ExitCode.no);
}
