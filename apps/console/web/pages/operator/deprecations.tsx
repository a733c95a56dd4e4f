import type { OperatorRow } from '#core/view/rows/rows';
import type { PackageDetail } from '../../../src/api/catalogs.schema.js';
import type { CatalogList, CatalogSummary } from '../../../src/api/lists.schema.js';
import { paths, rowPaths, withQuery } from '../../live/address.js';
import { useLoaded } from '../../live/loaded.js';
import { Deprecated } from '../../parts/standing.js';

/** The content of the catalog that an operator comes from, as its cluster has it. */
export function useContent(of: OperatorRow): CatalogSummary | undefined {
  const { cluster, catalog } = of;
  const catalogs = useLoaded<CatalogList>(catalog === '' ? undefined : rowPaths.contentIn(cluster, catalog));
  return catalogs.data?.items.find(({ digest }) => digest !== '');
}

/** Shows the catalog's deprecations of the installed package, channel and version. */
export function Deprecations({ of }: { of: OperatorRow }) {
  return of.deprecated ? <Messages of={of} /> : null;
}

function Messages({ of }: { of: OperatorRow }) {
  const content = useContent(of);
  const id = content && encodeURIComponent(content.id);
  const detail = useLoaded<PackageDetail>(id && `catalogs/${id}/packages/${encodeURIComponent(of.package)}`);
  if (content === undefined || detail.data === undefined) return null;
  const { deprecation, channels } = detail.data;
  const channel = channels.find(({ name }) => name === of.channel);
  const version = channels.flatMap(({ entries }) => entries).find(({ bundle }) => bundle === of.installed);
  const told = [
    ['This package', deprecation],
    ['Its channel', channel?.deprecation ?? ''],
    ['Its version', version?.deprecation ?? ''],
  ] as const;
  const versions = withQuery(paths.catalogPackage(content.id, of.package), { view: 'versions' });
  return (
    <>
      {told.map(
        ([what, text]) =>
          text !== '' && (
            <p key={what} class="notice deprecated">
              <strong>
                <Deprecated>{what} is deprecated.</Deprecated>
              </strong>{' '}
              {text} <a href={versions}>What else there is</a>
            </p>
          ),
      )}
    </>
  );
}
