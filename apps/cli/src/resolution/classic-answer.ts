import type { Catalog } from '#core/catalog/catalog';
import { loadCatalog } from '#core/catalog/load-catalog';
import type { IndexedCatalog } from '#core/resolution/catalog-slice';
import type { ChosenBundle, Resolution } from '#core/resolution/resolution-problem';
import { type ClassicCase, type ClassicCatalog, observedNamespace } from './classic-case.js';
import { indexOf, resolveOffline } from './resolve-offline.js';

/** Finds the content of a catalog that a case names by `dir` or `ref`. */
export type CatalogFinder = (catalog: ClassicCatalog) => Promise<Catalog>;

/** The answer to one case, in the form the cases' expected answers have. */
export type ClassicAnswer = Readonly<Record<string, unknown> & { id: string; result: Resolution['result'] }>;

/** Answers one Classic case. */
export async function answerClassic(question: ClassicCase, find: CatalogFinder): Promise<ClassicAnswer> {
  const catalogs: IndexedCatalog[] = [];
  for (const catalog of question.catalogs) {
    const { name, namespace, priority, unhealthy } = catalog;
    const content = unhealthy ? undefined : await contentOf(catalog, find);
    catalogs.push({
      key: { name, namespace },
      priority,
      ...(content === undefined ? {} : { index: indexOf(content) }),
    });
  }
  const observed = observedNamespace(question.namespace, question.globalCatalogNamespace, question.objects);
  return { id: question.id, ...answerOf(resolveOffline(observed, catalogs).resolution) };
}

async function contentOf(catalog: ClassicCatalog, find: CatalogFinder): Promise<Catalog> {
  if (catalog.fbc === undefined) return find(catalog);
  const text = catalog.fbc.map((blob) => JSON.stringify(blob)).join('\n');
  return loadCatalog([{ path: `${catalog.namespace}.${catalog.name}.json`, bytes: new TextEncoder().encode(text) }]);
}

function answerOf(resolution: Resolution): Omit<ClassicAnswer, 'id'> & { result: Resolution['result'] } {
  if (resolution.result !== 'resolved') return resolution;
  const { chosen, subscriptionsCreated, subscriptionsUpdated } = resolution;
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
