import { loadCatalog } from '#core/catalog/load/load-catalog';
import { renderExplanation } from '#core/classic/resolution/explain/render-explanation';
import type { CatalogIndex, IndexedCatalog } from '#core/classic/resolution/problem/catalog-slice';
import type { ChosenBundle, Resolution } from '#core/classic/resolution/problem/resolution-problem';
import { type ClassicCase, type ClassicCatalog, observedNamespace } from '../../resolution/classic-case.js';
import { indexOf, type OfflineResolution, resolveOffline } from '../../resolution/resolve-offline.js';

/** Finds the content of a catalog that a case names by `dir` or `ref`. */
export type CatalogFinder = (catalog: ClassicCatalog) => Promise<CatalogIndex>;

/** The answer to one case, in the form the cases' expected answers have. */
type ClassicAnswer = Readonly<Record<string, unknown> & { id: string; result: Resolution['result'] }>;

/** Answers one Classic case. */
export async function answerClassic(question: ClassicCase, find: CatalogFinder): Promise<ClassicAnswer> {
  return { id: question.id, ...answerOf((await resolveClassic(question, find)).resolution) };
}

/** Returns the problem of one Classic case and the resolver's answer. */
export async function resolveClassic(question: ClassicCase, find: CatalogFinder): Promise<OfflineResolution> {
  const catalogs: IndexedCatalog[] = [];
  for (const catalog of question.catalogs) {
    const { name, namespace, priority, unhealthy } = catalog;
    const content = unhealthy ? undefined : await contentOf(catalog, find);
    catalogs.push({
      key: { name, namespace },
      priority,
      ...(content === undefined ? {} : { index: content }),
    });
  }
  const observed = observedNamespace(question.namespace, question.globalCatalogNamespace, question.objects);
  return resolveOffline(observed, catalogs);
}

async function contentOf(catalog: ClassicCatalog, find: CatalogFinder): Promise<CatalogIndex> {
  if (catalog.fbc === undefined) return find(catalog);
  const text = catalog.fbc.map((blob) => JSON.stringify(blob)).join('\n');
  return indexOf(
    loadCatalog([{ path: `${catalog.namespace}.${catalog.name}.json`, bytes: new TextEncoder().encode(text) }]),
  );
}

function answerOf(resolution: Resolution): Omit<ClassicAnswer, 'id'> & { result: Resolution['result'] } {
  if (resolution.result === 'error') return resolution;
  if (resolution.result === 'unsatisfiable') {
    return { ...resolution, story: renderExplanation(resolution.explanation, resolution.advice) };
  }
  const { chosen, subscriptionsCreated, subscriptionsUpdated, unresolved } = resolution;
  return {
    result: 'resolved',
    chosen: chosen.map(chosenAnswer),
    subscriptionsCreated: subscriptionsCreated.map(({ name, spec }) => ({
      ...spec,
      name,
      package: spec['name'],
      resolving: spec['startingCSV'],
    })),
    subscriptionsUpdated,
    ...(unresolved === undefined ? {} : { unresolved }),
  };
}

const chosenAnswer = ({ replaces, version, startingCSV, ...bundle }: ChosenBundle) => ({
  name: bundle.name,
  package: bundle.package,
  channel: bundle.channel,
  catalog: bundle.catalog,
  catalogNamespace: bundle.catalogNamespace,
  version,
  ...(replaces === '' ? {} : { replaces }),
  ...(startingCSV === undefined ? {} : { startingCSV }),
});
