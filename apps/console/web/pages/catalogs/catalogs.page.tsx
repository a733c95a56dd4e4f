import { useLocation } from 'preact-iso';
import type { CatalogList, CatalogSummary } from '../../../src/api/lists.schema.js';
import { onRowClick } from '../../list/row-click.js';
import { paths, useQuery, withQuery } from '../../live/address.js';
import { useLoaded } from '../../live/loaded.js';
import { count, counted } from '../../live/times.js';
import { CatalogTroubles } from '../../parts/catalog-troubles.js';
import { CodeBlock } from '../../parts/copy.js';
import { Page } from '../../parts/page.js';
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

/** Contents of catalogs by digest, with the clusters that have each content. */
export default function CatalogsPage() {
  const [query] = useQuery();
  const { cluster, namespace, q, catalog } = query;
  const catalogs = useLoaded<CatalogList>(withQuery('catalogs', { cluster, namespace, q, catalog, limit: '200' }));
  return (
    <Page
      title="Catalogs"
      asOf={catalogs.data?.asOf}
      note={cluster && <span class="pale">in sight from {cluster}</span>}
    >
      <Answered of={catalogs}>
        {({ items }) =>
          items.length > 0 ? (
            <>
              <CatalogTroubles catalog={catalog} cluster={cluster} />
              <Contents of={items} />
              {catalog && (
                <p class="after">
                  <a href="/catalogs">All catalogs</a>
                </p>
              )}
            </>
          ) : cluster || namespace || q || catalog ? (
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
      <p>A catalog of the public operators, for example:</p>
      <CodeBlock label="Manifest" text={EXAMPLE} />
    </Empty>
  );
}
