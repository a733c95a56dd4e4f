import { useLocation } from 'preact-iso';
import { filterValues } from '#core/kernel/text/filter-values';
import type { CatalogList, CatalogSummary } from '../../../src/api/lists.schema.js';
import { ActiveFilters, Words } from '../../list/filters.js';
import { Pager, placeIn, WINDOW } from '../../list/pager.js';
import { onRowClick } from '../../list/row-click.js';
import { paths, withQuery } from '../../live/address.js';
import { useLoaded } from '../../live/loaded.js';
import { useQuery } from '../../live/query.js';
import { count, counted } from '../../live/times.js';
import { CatalogTroubles } from '../../parts/catalog-troubles.js';
import { CodeBlock } from '../../parts/copy.js';
import { Page } from '../../parts/page.js';
import { SameCommand } from '../../parts/same-command.js';
import { Standing } from '../../parts/standing.js';
import { Answered, Empty } from '../../parts/states.js';
import { Ago, shortDigest } from '../../parts/text.js';

const EXAMPLE = `apiVersion: operators.coreos.com/v1alpha1
kind: CatalogSource
metadata:
  name: community
  namespace: olm
spec:
  sourceType: grpc
  image: quay.io/operatorhubio/catalog:latest
`;

const FILTERS = ['cluster', 'namespace', 'q', 'catalog', 'id'];

/** Contents of catalogs by digest, with the clusters that have each content. */
export default function CatalogsPage() {
  const [query, change] = useQuery();
  const { cluster, namespace, q, catalog, id } = query;
  const at = placeIn(query['offset']);
  const asked = { cluster, namespace, q, catalog, id };
  const window = { limit: String(WINDOW), offset: at > 0 ? String(at) : undefined };
  const catalogs = useLoaded<CatalogList>(withQuery('catalogs', { ...asked, ...window }));
  return (
    <Page
      title="Catalogs"
      asOf={catalogs.data?.asOf}
      note={cluster && <span class="pale">visible to {filterValues(cluster).join(', ')}</span>}
    >
      <div class="filters">
        <Words value={q ?? ''} onChange={(words) => change({ q: words, offset: undefined })} nouns="catalogs" />
        <span class="filters-end" role="status">
          {catalogs.data && counted(catalogs.data.total, 'content')}
        </span>
      </div>
      <ActiveFilters keys={FILTERS} />
      <Answered of={catalogs}>
        {({ items, total }) =>
          items.length > 0 ? (
            <>
              <CatalogTroubles
                catalog={catalog && filterValues(catalog)[0]}
                cluster={cluster && filterValues(cluster)[0]}
              />
              <Contents of={items} />
              <Pager at={at} shown={items.length} total={total} />
              {(catalog ?? id) && (
                <p class="after">
                  <a href="/catalogs">All catalogs</a>
                </p>
              )}
            </>
          ) : Object.values(asked).some(Boolean) ? (
            <Empty title="No catalog matches.">
              <p>
                <a href="/catalogs">All catalogs</a>
              </p>
            </Empty>
          ) : (
            <NoCatalog />
          )
        }
      </Answered>
      <SameCommand command="flotilla get catalogs" />
    </Page>
  );
}

function Contents({ of }: { of: readonly CatalogSummary[] }) {
  const { route } = useLocation();
  return (
    <table class="rows">
      <thead>
        <tr>
          <th scope="col">Catalog</th>
          <th scope="col">Status</th>
          <th scope="col">Content</th>
          <th scope="col" class="number">
            Packages
          </th>
          <th scope="col" class="number">
            Clusters
          </th>
          <th scope="col" class="number">
            Polled
          </th>
        </tr>
      </thead>
      <tbody>
        {of.map((one) => (
          <tr key={`${one.name}${one.id}`} onClick={onRowClick(() => route(paths.catalog(one.id)))}>
            <th scope="row" class="grow">
              <a href={paths.catalog(one.id)}>{one.name}</a> <span class="pale small">{one.source}</span>
              <span class="second-line">{one.image}</span>
              {one.message !== '' && <span class="second-line two-lines">{one.message}</span>}
            </th>
            <td>
              <Standing of={one.standing} />
              <span class="second-line">
                {one.states.map(({ state, clusters }) => `${state} ${count(clusters)}`).join(' · ')}
              </span>
            </td>
            <td>
              <span class="mono">{shortDigest(one.digest) || 'none held'}</span>
              {one.otherDigests > 0 && <span class="second-line">{counted(one.otherDigests, 'other digest')}</span>}
            </td>
            <td class="number" data-label="packages">
              {count(one.packages)}
            </td>
            <td class="number" data-label="clusters">
              {count(one.clusters)}
            </td>
            <td class="number" data-label="polled">
              <Ago time={one.polledAt} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function NoCatalog() {
  return (
    <Empty title="No cluster has a catalog.">
      <p>
        A catalog and its packages appear here as soon as a cluster has a CatalogSource or a ClusterCatalog. To add the
        public operators, apply this manifest with kubectl:
      </p>
      <CodeBlock label="Manifest" text={EXAMPLE} />
    </Empty>
  );
}
