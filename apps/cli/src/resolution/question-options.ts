import type { Command } from 'commander';
import type { Catalog } from '#core/catalog/model/catalog';
import { namespaceOption } from '../clusters/namespace-option.js';
import type { Manifest } from '../inputs/read-manifests.js';
import { type Io, UsageError } from '../terminal/io.js';
import type { CatalogOption } from './catalog-option.js';
import type { PlanQuestion } from './plan-question.js';

/** The parts of a question about a namespace on the command line. */
export type QuestionOptions = Readonly<{
  catalog?: readonly string[];
  filename?: readonly string[];
  namespace?: string;
  globalCatalogNamespace?: string;
}>;

/** Notes about the names of catalogs and manifests, for the help of every verb that takes them. */
export const QUESTION_HELP = `
A catalog REF is a directory of a file-based catalog, a single catalog file, an OCI layout (oci:DIR[:TAG]), or a catalog
image. Manifests are Kubernetes objects as in a cluster: Subscriptions and, if you have them, OperatorGroups,
ClusterServiceVersions and CatalogSources.`;

/** Adds the options that name catalogs, manifests and namespaces. */
export const withQuestionOptions = (command: Command): Command =>
  command
    .option('--catalog <[ns/]name[:priority]=ref>', 'a visible catalog; may be given several times', gathered)
    .option(
      '-f, --filename <path>',
      'manifests: YAML or JSON, a file, a directory or "-"; may be given several times',
      gathered,
    )
    .addOption(namespaceOption('the namespace in question (default: that of the Subscriptions)'))
    .option(
      '--global-catalog-namespace <namespace>',
      'the namespace whose catalogs every namespace sees (default: that of the catalogs, else olm)',
    );

const gathered = (value: string, all: readonly string[] = []): string[] => [...all, value];

/** Manifests and catalogs as they are named, catalogs not read yet. */
export type Given = Readonly<{ catalogs: readonly CatalogOption[]; manifests: readonly Manifest[] }>;

export async function readGiven({ catalog, filename }: QuestionOptions, io: Io): Promise<Given> {
  const [{ parseCatalogOption }, { readManifests }] = await Promise.all([
    import('./catalog-option.js'),
    import('../inputs/read-manifests.js'),
  ]);
  if (catalog === undefined) throw new UsageError('no catalog given; name at least one with --catalog NAME=REFERENCE');
  if (filename === undefined) throw new UsageError('no manifests given; name a file or directory with -f, or "-"');
  const catalogs = catalog.map(parseCatalogOption);
  return { catalogs, manifests: await readManifests(filename, io.stdin) };
}

/** Reads everything that the options name; the contents are in the order of the question's catalogs. */
export async function readQuestion(
  options: QuestionOptions,
  io: Io,
  given?: Given,
): Promise<Readonly<{ question: PlanQuestion; contents: readonly Catalog[] }>> {
  const [{ planQuestion }, { catalogAt }] = await Promise.all([
    import('./plan-question.js'),
    import('./catalog-shelf.js'),
  ]);
  const { catalogs, manifests } = given ?? (await readGiven(options, io));
  const { namespace, globalCatalogNamespace } = options;
  const question = planQuestion(manifests, { catalogs, namespace, globalNamespace: globalCatalogNamespace });
  const contents = await Promise.all(question.catalogs.map(({ reference }) => catalogAt(reference)));
  return { question, contents };
}
