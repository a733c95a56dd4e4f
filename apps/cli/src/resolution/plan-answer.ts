import type { Catalog, CatalogBundle } from '#core/catalog/catalog';
import { validateCatalog } from '#core/catalog/validate-catalog';
import { apiText, bundleFacts } from '#core/resolution/bundle-facts';
import { renderExplanation } from '#core/resolution/explain/render-explanation';
import type { ChosenBundle, Resolution } from '#core/resolution/resolution-problem';
import { whyChosen } from '#core/resolution/why-chosen';
import type { PlanQuestion } from './plan-question.js';
import { indexOf, resolveOffline } from './resolve-offline.js';

/** One bundle of the plan, with what a person wants to know before it is installed. */
export type PlannedBundle = Readonly<{
  name: string;
  action: 'install' | 'upgrade';
  package: string;
  version: string;
  channel: string;
  /** `namespace/name` of the CatalogSource. */
  catalog: string;
  image?: string;
  replaces?: string;
  because: readonly string[];
  apis: readonly string[];
  customResourceDefinitions: readonly string[];
  deprecated?: string;
}>;

/** The answer to `flotilla plan`; also what `-o json` prints. */
export type PlanAnswer = Readonly<{ namespace: string; notes: readonly string[] }> &
  (
    | Readonly<{
        result: 'resolved';
        bundles: readonly PlannedBundle[];
        subscriptionsCreated: readonly Readonly<Record<string, string>>[];
        subscriptionsUpdated: readonly Readonly<{ name: string; currentCSV: string }>[];
      }>
    | Readonly<{
        result: 'unsatisfiable';
        message: string;
        story: string;
        explanation: readonly unknown[];
        advice: string;
      }>
    | Readonly<{ result: 'error'; message: string; advice: string }>
  );

/** Resolves the question with the catalogs given, in the order of `question.catalogs`. */
export function planAnswer(question: PlanQuestion, contents: readonly Catalog[]): PlanAnswer {
  const { observed, notes } = question;
  const catalogs = question.catalogs.map(({ key, priority }, position) => {
    const content = contents[position];
    return { key, priority, ...(content === undefined ? {} : { index: indexOf(content) }) };
  });
  const { problem, resolution } = resolveOffline(observed, catalogs);
  const common = { namespace: observed.namespace, notes: [...notes, ...invalidCatalogs(question, contents)] };
  if (resolution.result === 'error') return { ...common, ...resolution };
  if (resolution.result === 'unsatisfiable') {
    return { ...common, ...resolution, story: renderExplanation(resolution.explanation, resolution.advice) };
  }
  const { chosen, subscriptionsCreated, subscriptionsUpdated } = resolution;
  const installed = new Set(problem.wishes.csvs.map(({ name }) => name));
  return {
    ...common,
    result: 'resolved',
    bundles: chosen.map((bundle) => ({
      ...described(bundle, installed, bundleOf(bundle, question, contents)),
      because: whyChosen(bundle, chosen, problem.wishes),
    })),
    subscriptionsCreated: subscriptionsCreated.map(({ name, spec }) => ({
      name,
      package: spec['name'] ?? '',
      channel: spec['channel'] ?? '',
      startingCSV: spec['startingCSV'] ?? '',
    })),
    subscriptionsUpdated,
  };
}

function described(
  chosen: ChosenBundle,
  installed: ReadonlySet<string>,
  bundle: CatalogBundle | undefined,
): Omit<PlannedBundle, 'because'> {
  const { name, package: packageName, version, channel, catalog, catalogNamespace, replaces, source } = chosen;
  const upgrade = installed.has(replaces);
  return {
    name,
    action: upgrade ? 'upgrade' : 'install',
    package: packageName,
    version,
    channel,
    catalog: `${catalogNamespace}/${catalog}`,
    ...('image' in source ? { image: source.image } : {}),
    ...(upgrade ? { replaces } : {}),
    apis: bundleFacts(chosen.properties).apis.map(apiText),
    customResourceDefinitions: bundle === undefined ? [] : crdsOf(bundle),
  };
}

function bundleOf(
  chosen: ChosenBundle,
  { catalogs }: PlanQuestion,
  contents: readonly Catalog[],
): CatalogBundle | undefined {
  const position = catalogs.findIndex(
    ({ key }) => key.name === chosen.catalog && key.namespace === chosen.catalogNamespace,
  );
  return contents[position]?.bundles.find(
    ({ name, package: packageName }) => name === chosen.name && packageName === chosen.package,
  );
}

/** A registry refuses to serve an invalid catalog as a whole, so a plan from it may not come true. */
function invalidCatalogs({ catalogs }: PlanQuestion, contents: readonly Catalog[]): string[] {
  return contents.flatMap((content, position) => {
    const [first] = validateCatalog(content);
    const { key, reference } = catalogs[position] ?? {};
    if (first === undefined || key === undefined) return [];
    const name = `${key.namespace}/${key.name}`;
    return [
      `catalog ${name} is invalid, no registry would serve it: ${first.message}; see flotilla catalog validate ${reference}`,
    ];
  });
}

/** Names of the CRDs a bundle brings: from its manifests where the catalog holds them, else from its CSV's description. */
function crdsOf({ objects, properties }: CatalogBundle): string[] {
  const inline = objects.flatMap((object) =>
    object['kind'] === 'CustomResourceDefinition' ? nameOf(object['metadata']) : [],
  );
  const described = properties
    .filter(({ type }) => type === 'olm.csv.metadata')
    .flatMap(({ value }) => listAt(at(at(value, 'crdDescriptions'), 'owned')))
    .flatMap(nameOf);
  return [...new Set([...inline, ...described])].sort();
}

const at = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[key] : undefined;
const listAt = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const nameOf = (value: unknown): string[] => {
  const name = at(value, 'name');
  return typeof name === 'string' ? [name] : [];
};

/** Whether the answer is a yes: exit code 0 of `flotilla plan`. */
export const isYes = ({ result }: PlanAnswer): boolean => (result satisfies Resolution['result']) === 'resolved';
