import { OLD_CRD_TEXT } from '#core/catalog/bundle/validate-bundle';
import { apiText, bundleFacts } from '#core/catalog/model/bundle-facts';
import type { Catalog, CatalogBundle } from '#core/catalog/model/catalog';
import { validateCatalog } from '#core/catalog/validate/validate-catalog';
import type { ResolvedResolution } from '#core/classic/install-plan/creation/plan-install';
import { oldCrds } from '#core/classic/install-plan/execution/refuse-unsupported';
import { CRD_KIND } from '#core/classic/install-plan/steps/install-plan-step';
import { withNearPackages } from '#core/classic/resolution/explain/near-packages';
import { renderExplanation } from '#core/classic/resolution/explain/render-explanation';
import { whyChosen } from '#core/classic/resolution/explain/why-chosen';
import { withoutBundles } from '#core/classic/resolution/isolation/without-bundles';
import type { ChosenBundle, DesiredNamespace } from '#core/classic/resolution/problem/resolution-problem';
import { byCodeUnit } from '#core/kernel/canonical/canonical-json';
import { verdictLine } from '#core/kernel/verdict/verdict-line';
import { placeWithin } from '../inputs/place-within.js';
import { NEXT } from '../output/next-commands.js';
import {
  blobOf,
  bundleFault,
  type CatalogsInSight,
  type FoundManifests,
  installFault,
  OTHER_BUNDLE,
} from './bundle-manifests.js';
import { groupProblem } from './install-modes.js';
import type { PlanQuestion } from './plan-question.js';
import { type BundleSteps, stepsByBundle } from './plan-steps.js';
import { indexOf, resolveOffline } from './resolve-offline.js';

/** One bundle of the plan, with the facts that a person needs before it is installed. */
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
  /** Images of the operator and those that it starts, as far as the catalog names them. */
  relatedImages: readonly string[];
  deprecated?: string;
}> &
  /** Absent if the manifests lie in the image and it was not pulled. */
  Partial<BundleSteps>;

/** The answer to `flotilla plan`, also printed by `-o json`. */
export type PlanAnswer = Readonly<{ namespace: string; notes: readonly string[] }> &
  (
    | Readonly<{
        result: 'resolved';
        bundles: readonly PlannedBundle[];
        subscriptionsCreated: readonly Readonly<Record<string, string>>[];
        subscriptionsUpdated: readonly Readonly<{ name: string; currentCSV: string }>[];
        /** Subscriptions that cannot be met and bundles that cannot be used; the others continue. */
        unresolved: readonly Readonly<{ kind: string; name: string; message: string; story: string }>[];
        /** Bundles that are installed and then fail, one line each. */
        failing: readonly string[];
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

/** Finds the parts of a resolution that depend on the place of the manifests. */
export type ManifestsOf = (chosen: readonly ChosenBundle[], catalogs: CatalogsInSight) => Promise<FoundManifests>;

/** Resolves the question with the catalogs given, in the order of `question.catalogs`. */
export async function planAnswer(
  question: PlanQuestion,
  contents: readonly Catalog[],
  findManifests: ManifestsOf,
): Promise<PlanAnswer> {
  const { observed, notes } = question;
  const catalogs = question.catalogs.flatMap(({ key, priority }, position) => {
    const content = contents[position];
    return content === undefined ? [] : [{ key, priority, content, index: indexOf(content) }];
  });
  const { problem, resolution: plain } = resolveOffline(observed, catalogs);
  const resolution = withNearPackages(plain, catalogs);
  const common = { namespace: observed.namespace, notes: [...notes, ...invalidCatalogs(question, contents)] };
  if (resolution.result === 'error') return { ...common, ...resolution };
  if (resolution.result === 'unsatisfiable') {
    return { ...common, ...resolution, story: renderExplanation(resolution.explanation, resolution.advice) };
  }
  const wanted = resolution.chosen.filter(({ upToDate }) => upToDate === undefined);
  const installed = new Set(problem.wishes.csvs.map(({ name }) => name));
  const found = await findManifests(wanted, catalogs);
  const { rest, refused } = usablePart(resolution, found, problem.wishes);
  const [first] = refused;
  if (first !== undefined && rest.subscriptionsUpdated.length === 0) {
    return { ...common, result: 'error', message: first.message, advice: OTHER_BUNDLE };
  }
  const { subscriptionsCreated, subscriptionsUpdated } = rest;
  const chosen = rest.chosen.filter(({ upToDate }) => upToDate === undefined);
  const steps = stepsByBundle(question.observed, rest, found.manifests);
  const { failing, assumed } = failingOf(question, chosen, catalogs, found.manifests);
  return {
    ...common,
    notes: [...common.notes, ...assumed],
    result: 'resolved',
    bundles: chosen.map((bundle) => ({
      ...described(bundle, installed, blobOf(bundle, catalogs)),
      because: whyChosen(bundle, resolution.chosen, problem.wishes),
      ...fromManifests(steps.get(bundle.name)),
    })),
    subscriptionsCreated: subscriptionsCreated.map(({ name, spec }) => ({
      name,
      package: spec['name'] ?? '',
      channel: spec['channel'] ?? '',
      startingCSV: spec['startingCSV'] ?? '',
    })),
    subscriptionsUpdated,
    unresolved: [
      ...(resolution.unresolved ?? []).map(({ kind, name, message, explanation, advice }) => ({
        ...{ kind, name, message },
        story: explanation.length === 0 ? `${message}\n${advice}` : renderExplanation(explanation, advice),
      })),
      ...refused,
    ],
    failing,
  };
}

/** Returns bundles that the cluster would not take, or whose group is one that the plan only assumes. */
function failingOf(
  { observed, assumesGroup }: PlanQuestion,
  chosen: readonly ChosenBundle[],
  catalogs: CatalogsInSight,
  found: FoundManifests['manifests'],
): Readonly<{ failing: readonly string[]; assumed: readonly string[] }> {
  const groups = chosen.flatMap((bundle) => {
    const sources = { manifests: found.get(bundle.name), blob: blobOf(bundle, catalogs) };
    return groupProblem(bundle.name, observed, sources) ?? [];
  });
  const unserved = chosen.flatMap(({ name }) =>
    oldCrds(found.get(name) ?? []).map(({ metadata }) =>
      verdictLine([name, `${CRD_KIND} ${metadata.name ?? ''}`], OLD_CRD_TEXT),
    ),
  );
  return assumesGroup ? { failing: unserved, assumed: groups } : { failing: [...groups, ...unserved], assumed: [] };
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
    relatedImages: relatedImagesOf(chosen, bundle),
  };
}

/** Returns the facts from the manifests, which know the CRDs better than the catalog. */
function fromManifests(known: BundleSteps | undefined) {
  if (known === undefined) return {};
  const crds = known.steps.filter(({ kind }) => kind === CRD_KIND).map(({ name }) => name);
  return { ...known, customResourceDefinitions: crds.sort(byCodeUnit) };
}

/** The part of a resolution that the hub would carry out, and Subscriptions that need another bundle. */
function usablePart(resolution: ResolvedResolution, { manifests, unusable }: FoundManifests, wishes: DesiredNamespace) {
  const problems = new Map(unusable);
  for (const chosen of resolution.chosen) {
    const objects = manifests.get(chosen.name);
    const fault = objects && (bundleFault(chosen, objects) ?? installFault(chosen.name, objects));
    if (fault !== undefined) problems.set(chosen.name, fault);
  }
  const { rest, refusals } = withoutBundles(resolution, new Set(problems.keys()), wishes);
  const refused = refusals.flatMap(({ bundle, subscriptions }) => {
    const message = problems.get(bundle) ?? '';
    return subscriptions.map((name) => ({
      kind: 'subscription',
      ...{ name, message, story: `${message}\n${OTHER_BUNDLE}` },
    }));
  });
  return { rest, refused };
}

/** A registry refuses to serve an invalid catalog as a whole, so a plan from it may not come true. */
function invalidCatalogs({ catalogs }: PlanQuestion, contents: readonly Catalog[]): string[] {
  return contents.flatMap((content, position) => {
    const [first] = validateCatalog(content);
    const { key, reference = '' } = catalogs[position] ?? {};
    if (first === undefined || key === undefined) return [];
    const where = first.place === undefined ? '' : `${placeWithin(reference, first.place)}: `;
    return [
      `catalog ${key.namespace}/${key.name} is invalid, no registry would serve it: ${where}${first.message}; see ${NEXT.validateCatalog(reference)}`,
    ];
  });
}

/** A bundle names its own image among them too. */
const relatedImagesOf = ({ source }: ChosenBundle, bundle: CatalogBundle | undefined): string[] => {
  const own = 'image' in source ? source.image : '';
  const images = (bundle?.relatedImages ?? [])
    .map(({ image }) => image)
    .filter((image) => image !== own && image !== '');
  return [...new Set(images)].sort(byCodeUnit);
};

/**
 * Returns names of the CRDs of a bundle: from its manifests, if the catalog holds them, and from its CSV's
 * description.
 */
function crdsOf({ objects, properties }: CatalogBundle): string[] {
  const inline = objects.flatMap((object) =>
    object['kind'] === 'CustomResourceDefinition' ? nameOf(object['metadata']) : [],
  );
  const described = properties
    .filter(({ type }) => type === 'olm.csv.metadata')
    .flatMap(({ value }) => listAt(at(at(value, 'crdDescriptions'), 'owned')))
    .flatMap(nameOf);
  return [...new Set([...inline, ...described])].sort(byCodeUnit);
}

const at = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[key] : undefined;
const listAt = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const nameOf = (value: unknown): string[] => {
  const name = at(value, 'name');
  return typeof name === 'string' ? [name] : [];
};

/** True if the answer is a yes to everything: exit code 0 of `flotilla plan`. */
export const isYes = (answer: PlanAnswer): boolean =>
  answer.result === 'resolved' && answer.unresolved.length === 0 && answer.failing.length === 0;
