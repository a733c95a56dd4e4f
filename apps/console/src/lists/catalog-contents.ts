import { urgency } from '#core/cluster/diagnosis/diagnosis';
import type { CatalogRow } from '#core/view/rows/rows';
import type { CatalogSummary } from '../api/lists.schema.js';
import { byText } from '../rows/sorted-rows.js';
import type { RowColumns } from './filter.js';

export const contentColumns: RowColumns<CatalogSummary> = {
  id: (row) => row.id,
  catalog: (row) => row.name,
  name: (row) => row.name,
  digest: (row) => row.digest,
  standing: (row) => row.standing,
  clusters: (row) => row.clusters,
  packages: (row) => row.packages,
  image: (row) => row.image,
  polledAt: (row) => row.polledAt,
};

const fullName = ({ namespace, name }: CatalogRow): string => (namespace === '' ? name : `${namespace}/${name}`);

/**
 * Returns the name of a content in addresses. A CatalogSource and a ClusterCatalog without content have
 * different ones: no namespace has a dot.
 */
export const contentId = (row: CatalogRow): string => {
  if (row.digest !== '') return row.digest.replace(/^sha256:/, '').slice(0, 16);
  return row.namespace === '' ? `none.${row.name}` : `none-${row.namespace}.${row.name}`;
};

const newest = (times: readonly string[]): string => times.toSorted(byText).at(-1) ?? '';

/** Catalogs of the fleet, told apart by name and content. */
export function catalogContents(rows: readonly CatalogRow[]): CatalogSummary[] {
  const groups = Map.groupBy(rows, (row) => `${row.source} ${fullName(row)} ${contentId(row)}`);
  const digests = new Map<string, Set<string>>();
  for (const row of rows) {
    const name = `${row.source} ${fullName(row)}`;
    if (row.digest !== '') digests.set(name, (digests.get(name) ?? new Set()).add(row.digest));
  }
  const summaries = [...groups.values()].flatMap((own) => {
    const [first] = own.toSorted((a, b) => urgency(a.standing) - urgency(b.standing));
    if (first === undefined) return [];
    const states = [...Map.groupBy(own, ({ state }) => state)].map(([state, of]) => ({ state, clusters: of.length }));
    const { source, image, digest, packages, standing, message } = first;
    const others = digests.get(`${source} ${fullName(first)}`)?.size ?? 0;
    return [
      {
        id: contentId(first),
        name: fullName(first),
        source,
        image,
        digest,
        packages,
        clusters: new Set(own.map(({ cluster }) => cluster)).size,
        otherDigests: Math.max(0, others - (digest === '' ? 0 : 1)),
        states: states.toSorted((a, b) => b.clusters - a.clusters || byText(a.state, b.state)),
        standing,
        message,
        polledAt: newest(own.map(({ polledAt }) => polledAt)),
        nextAt: newest(own.map(({ nextAt }) => nextAt)),
      },
    ];
  });
  return summaries.toSorted((a, b) => byText(a.name, b.name) || b.clusters - a.clusters || byText(a.id, b.id));
}
