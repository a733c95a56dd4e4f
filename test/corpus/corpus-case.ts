import { SeededDraws } from '#testing/seeded-draws';
import { baselineBundle } from './bundles/baseline.js';
import type { BundleDraft } from './bundles/bundle-draft.js';
import { baselineCatalog, type CatalogDraft } from './catalogs/catalog-draft.js';
import { BUNDLE_ODDITIES, isOfFiles, OF_CATALOGS } from './oddities/all-oddities.js';
import type { CatalogOddity } from './oddities/catalog-oddities.js';
import type { BundleOddity, Expectation } from './oddities/oddity.js';
import { type ExpectedOutcome, expectedOutcome } from './oracle/expected-outcome.js';

/** A bundle or a catalog with its oddities, and its expected outcome. */
export type CorpusCase = Readonly<{
  number: number;
  /** The bundle that is installed. */
  draft: BundleDraft;
  /** Set if the oddities are in the catalog; otherwise the bundle is offered with those of other cases. */
  catalog?: CatalogDraft;
  oddities: readonly string[];
  expected: ExpectedOutcome;
}>;

export type CorpusPlan = Readonly<{
  seed: number;
  count: number;
  /** Selects the oddities whose names have this text. */
  only?: string;
  /** A case has the oddities that are dealt to it, and none by chance. */
  plain?: boolean;
}>;

type AnyOddity = Readonly<{ name: string; weight: number; slot: string; kind?: string; inline?: true | undefined }>;

const MOST_TOGETHER = 6;
const IN_ALL = 10_000;
/** A large corpus has each oddity so often, however rare it is in the field. */
const DEALT = 3;
const LARGE = 1_000;
/** Share of catalogs among the cases; a catalog has an oddity far less often than a bundle. */
const CATALOGS = 0.25;

/** The cases of a corpus: each oddity at least once, and the others as often as in the field. */
export function corpusCases({ seed, count, only = '', plain = false }: CorpusPlan): CorpusCase[] {
  const chosen = <O extends AnyOddity>(all: readonly O[]): O[] => all.filter(({ name }) => name.includes(only));
  const [ofBundles, ofCatalogs] = [chosen(BUNDLE_ODDITIES), chosen(OF_CATALOGS)];
  const draws = new SeededDraws(seed);
  const [byChance, inCatalogs] = plain ? [[], []] : [ofBundles, ofCatalogs];
  const catalogs = ofBundles.length === 0 ? count : ofCatalogs.length === 0 ? 0 : Math.round(count * CATALOGS);
  const bundleCases = deal(ofBundles, count - catalogs, draws).map(
    (first) => (number: number, own: SeededDraws) => bundleCase(number, first, byChance, own),
  );
  const catalogCases = deal(ofCatalogs, catalogs, draws).map(
    (first) => (number: number, own: SeededDraws) => catalogCase(number, first, inCatalogs, own),
  );
  return draws
    .shuffled([...bundleCases, ...catalogCases])
    .map((make, at) => make(at + 1, new SeededDraws(draws.between(0, 2 ** 31))));
}

/** For each case the oddities that it must have. */
function deal<O extends AnyOddity>(oddities: readonly O[], count: number, draws: SeededDraws): O[][] {
  const cases = Array.from({ length: count }, (): O[] => []);
  const copies = count >= LARGE ? DEALT : 1;
  for (let copy = 0; copy < copies; copy += 1) {
    const order = draws.shuffled(oddities).toSorted((a, b) => rarity(b) - rarity(a));
    for (const [at, oddity] of order.entries()) {
      // Catalogs of rare kinds are few: several oddities share one.
      const start = rarity(oddity) > 0 ? 0 : at + copy * oddities.length;
      const free = cases.keys().find((ahead) => fits(cases[(start + ahead) % count] ?? [], oddity));
      if (free !== undefined) cases[(start + free) % count]?.push(oddity);
    }
  }
  return cases;
}

/** True if two oddities can meet; a slot with a bar counts as two. */
const areApart = (a: string, b: string): boolean => {
  const others = b.split('|');
  return a.split('|').every((slot) => !others.includes(slot));
};

const rarity = ({ kind, inline }: AnyOddity): number => Number(kind === 'configMap') + Number(inline === true);

/** Oddities of catalogs of different kinds exclude each other, too. */
const fits = (taken: readonly AnyOddity[], one: AnyOddity): boolean =>
  taken.length < MOST_TOGETHER &&
  taken.every((other) => areApart(other.slot, one.slot) && other.kind === one.kind && other.inline === one.inline);

function withMore<O extends AnyOddity>(first: readonly O[], oddities: readonly O[], draws: SeededDraws): O[] {
  const chosen = [...first];
  for (const oddity of draws.shuffled(oddities))
    if (draws.next() * IN_ALL < oddity.weight && fits(chosen, oddity)) chosen.push(oddity);
  return chosen;
}

function bundleCase(
  number: number,
  first: readonly BundleOddity[],
  oddities: readonly BundleOddity[],
  draws: SeededDraws,
): CorpusCase {
  const chosen = withMore(first, oddities, draws);
  const draft = baselineBundle(number, draws);
  // A replaced value comes after an added one. Replaced bytes of a file come last.
  const order = chosen.toSorted((a, b) => rank(a) - rank(b));
  const expectations = order.map((oddity) => oddity.put(draft, draws));
  if (!chosen.some(isOfFiles) && expectations.every(isAnywhere) && draws.next() < 0.15) draft.delivery = 'inline';
  if (draft.layers.manifests === 'docker') draft.asked = 'image';
  return { number, draft, oddities: order.map(({ name }) => name), expected: expectedOutcome(expectations) };
}

function rank(oddity: BundleOddity): number {
  if (oddity.movesFiles === true) return 3;
  return isOfFiles(oddity) ? 2 : Number(oddity.replacesValues === true);
}

/** The same of manifests in images and in catalogs. */
const isAnywhere = (one: Expectation): boolean =>
  one.verdict === 'accepted' || one.verdict === 'unmet' || (one.verdict === 'refused' && one.reading !== true);

function catalogCase(
  number: number,
  first: readonly CatalogOddity[],
  oddities: readonly CatalogOddity[],
  draws: SeededDraws,
): CorpusCase {
  const chosen = withMore(first, oddities, draws);
  const draft = baselineBundle(number, draws);
  const [{ kind = 'files', inline = false } = {}] = chosen;
  if (inline) draft.delivery = 'inline';
  if (kind === 'configMap') draft.delivery = 'configMap';
  const catalog = { ...baselineCatalog(draft), kind };
  if (catalog.kind === 'configMap')
    draft.manifests = draft.manifests.filter(({ tree }) => WITH_A_CONFIG_MAP.includes(String(tree['kind'])));
  const order = chosen.toSorted((a, b) => catalogRank(a) - catalogRank(b));
  const expected = expectedOutcome(order.map((oddity) => oddity.put(catalog, draws)));
  return { number, draft, catalog, oddities: order.map(({ name }) => name), expected };
}

/** Another way of writing a value comes after its changes, and the bytes of a file come last. */
const catalogRank = ({ slot }: CatalogOddity): number => ['entries', 'property', 'encoding'].indexOf(slot);

const WITH_A_CONFIG_MAP = ['ClusterServiceVersion', 'CustomResourceDefinition'];
