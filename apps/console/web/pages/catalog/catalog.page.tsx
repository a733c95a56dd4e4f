import { useCallback, useEffect } from 'preact/hooks';
import { useRoute } from 'preact-iso';
import { shellWord } from '#core/kernel/text/shell-word';
import type { PackageTile } from '../../../src/api/catalogs.schema.js';
import type { CatalogList, CatalogSummary } from '../../../src/api/lists.schema.js';
import { useWindows } from '../../list/list.js';
import { exactly, paths, rowPaths, withQuery } from '../../live/address.js';
import { useLoaded } from '../../live/loaded.js';
import { useQuery } from '../../live/query.js';
import { count, counted } from '../../live/times.js';
import { CatalogTroubles } from '../../parts/catalog-troubles.js';
import { Fact } from '../../parts/fact.js';
import { Page } from '../../parts/page.js';
import { SameCommand } from '../../parts/same-command.js';
import { Deprecated, Inked, Standing } from '../../parts/standing.js';
import { Bones, Empty, Trouble } from '../../parts/states.js';
import { Ago, PackageIcon, shortDigest } from '../../parts/text.js';

/** The packages of one content. */
export default function CatalogPage() {
  const id = useRoute().params['id'] ?? '';
  const catalogs = useLoaded<CatalogList>(rowPaths.content(id));
  const same = catalogs.data?.items ?? [];
  const [one] = same;
  return (
    <Page title={one?.name ?? `Catalog ${id}`} asOf={catalogs.data?.asOf} above={<a href="/catalogs">Catalogs</a>}>
      {catalogs.refusal && <Trouble refusal={catalogs.refusal} since={catalogs.failingSince} renew={catalogs.renew} />}
      {catalogs.data !== undefined && one === undefined ? (
        <Empty title="No cluster uses this content now.">
          <p>
            <a href="/catalogs">Contents that clusters have now</a> · <a href="/changes">What changed</a>
          </p>
        </Empty>
      ) : (
        <>
          {one && <Facts of={one} others={same.slice(1)} total={catalogs.data?.total ?? 0} />}
          {one && one.standing !== 'well' && <CatalogTroubles catalog={one.name} />}
          {one?.digest === '' ? <NoContent /> : <Tiles id={id} />}
        </>
      )}
      {one && one.image !== '' && <SameCommand command={`flotilla catalog packages ${shellWord(one.image)}`} />}
    </Page>
  );
}

const NoContent = () => (
  <Empty title="No content of this catalog is held.">
    <p>Its packages appear here as soon as its image was read.</p>
  </Empty>
);

/** `total`: the number of catalogs with this content. */
type FactsProps = Readonly<{ of: CatalogSummary; others: readonly CatalogSummary[]; total: number }>;
const NAMED = 5;

function Facts({ of, others, total }: FactsProps) {
  return (
    <>
      <dl class="facts">
        <Fact name="Status">
          <Standing of={of.standing} />
        </Fact>
        <Fact name="Kind">{of.source}</Fact>
        <Fact name="Content">
          <span class="mono" title={of.digest}>
            {shortDigest(of.digest) || 'none held'}
          </span>
        </Fact>
        <Fact name="Clusters">
          <a href={withQuery('/operators', exactly({ catalog: of.name }))}>{count(of.clusters)}</a>
        </Fact>
        <Fact name="Polled">
          <Ago time={of.polledAt} /> ago
        </Fact>
        <Fact name="Image">{of.image}</Fact>
      </dl>
      {of.message !== '' && of.standing === 'well' && <p class="notice">{of.message}</p>}
      {of.otherDigests > 0 && (
        <p class="notice">
          Other clusters have {counted(of.otherDigests, 'other content', 'other contents')} under this name.{' '}
          <a href={withQuery('/catalogs', exactly({ catalog: of.name }))}>Compare</a>
        </p>
      )}
      {others.length > 0 && (
        <p class="pale">
          The same content is also named{' '}
          {others
            .slice(0, NAMED)
            .map(({ name }) => name)
            .join(', ')}
          {total - 1 > NAMED && (
            <>
              {' '}
              and <a href={withQuery('/catalogs', { id: of.id })}>{count(total - 1 - NAMED)} more</a>
            </>
          )}
          .
        </p>
      )}
    </>
  );
}

function Tiles({ id }: { id: string }) {
  const [query, change] = useQuery();
  const q = query['q'] ?? '';
  const list = useWindows<PackageTile>(withQuery(`catalogs/${encodeURIComponent(id)}/packages`, { q }));
  const all = list.total ?? 0;
  const more = useCallback(() => list.show(0, Math.min(all - 1, 199)), [list, all]);
  useEffect(more, [more]);
  const tiles = Array.from({ length: Math.min(all, 200) }, (_, index) => list.row(index)).flatMap((one) => one ?? []);
  return (
    <>
      <div class="filters">
        <input
          type="search"
          class="words"
          aria-label="Search packages"
          placeholder="Filter packages"
          value={q}
          onInput={(event) => change({ q: event.currentTarget.value })}
        />
        <span class="filters-end" role="status">
          {list.total !== undefined && counted(all, 'package')}
        </span>
      </div>
      {list.refusal && <Trouble refusal={list.refusal} since={list.failingSince} renew={list.renew} />}
      {list.total === undefined && !list.refusal && <Bones />}
      {list.total === 0 && <Empty title={q === '' ? 'This content has no packages.' : `No package matches “${q}”.`} />}
      <ul class="package-tiles">
        {tiles.map((tile) => (
          <Tile key={tile.package} of={tile} id={id} />
        ))}
      </ul>
      {all > tiles.length && tiles.length > 0 && (
        <p class="pale">and {count(all - tiles.length)} more: narrow them down by words.</p>
      )}
    </>
  );
}

function Tile({ of, id }: { of: PackageTile; id: string }) {
  return (
    <li>
      <a href={paths.catalogPackage(id, of.package)} class="package-tile">
        <PackageIcon icon={of.icon} name={of.displayName || of.package} />
        <span class="package-tile-text">
          <strong class="cut">{of.displayName || of.package}</strong>
          <span class="pale cut small">{of.provider || of.package}</span>
          <span class="two-lines small tile-summary">{of.summary}</span>
          <span class="tile-foot small">
            <span class="cut">{of.newest}</span>
            {of.deprecated && <Deprecated />}
            {of.clusters > 0 && <Inked of="well">in {counted(of.clusters, 'cluster')}</Inked>}
          </span>
        </span>
      </a>
    </li>
  );
}
