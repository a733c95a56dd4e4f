import type { CatalogRow } from '#core/view/rows/rows';
import type { CatalogRowList } from '../../src/api/lists.schema.js';
import type { Explanation } from '../../src/api/questions.schema.js';
import { exactly, paths, withQuery } from '../live/address.js';
import { useLoaded } from '../live/loaded.js';
import { useQuestion } from '../live/question.js';
import { count } from '../live/times.js';
import { Because } from './because.js';
import { Section } from './page.js';
import { Bones, Trouble } from './states.js';

/** Each is asked about in one of its clusters. */
const MOST = 5;
const NAMED = 5;

const fullName = ({ namespace, name }: CatalogRow): string => (namespace === '' ? name : `${namespace}/${name}`);

/** `catalog`: as its row names it; absent: all. */
type CatalogTroublesProps = Readonly<{ catalog?: string | undefined; cluster?: string | undefined }>;

/** Catalogs that are not well, even if they block no operator: the reason and the next action. */
export function CatalogTroubles({ catalog, cluster }: CatalogTroublesProps) {
  const unwell = { standing: 'failed,blocked,under-way', ...exactly({ catalog, cluster }), limit: '200' };
  const { data } = useLoaded<CatalogRowList>(withQuery('catalog-rows', unwell));
  const isCut = data !== undefined && data.total > data.items.length;
  const alike = [...Map.groupBy(data?.items ?? [], (row) => [fullName(row), row.cause?.text].join('\0')).values()];
  if (alike.length === 0) return null;
  return (
    <Section title="Not well">
      {alike.slice(0, MOST).map((rows) => (
        <CatalogTrouble key={`${rows[0]?.cluster}${rows[0]?.id}`} of={rows} isCut={isCut} />
      ))}
      {alike.length > MOST && <p class="pale">and {count(alike.length - MOST)} more, in the list below.</p>}
    </Section>
  );
}

/** `isCut`: there are more rows than were read. */
type TroubleProps = Readonly<{ of: readonly CatalogRow[]; isCut: boolean }>;

function CatalogTrouble({ of, isCut }: TroubleProps) {
  const [row] = of;
  const clusters = of.map(({ cluster }) => cluster);
  return row === undefined ? null : <ExplainedCatalog row={row} clusters={clusters} isCut={isCut} />;
}

type ExplainedProps = Readonly<{ row: CatalogRow; clusters: readonly string[]; isCut: boolean }>;

function ExplainedCatalog({ row, clusters, isCut }: ExplainedProps) {
  const { cluster, source: kind, namespace, name } = row;
  const explained = useQuestion<Explanation>('explain', { cluster, kind, namespace, name }, row.updatedAt);
  const { data, refusal, ask } = explained;
  return (
    <article class="catalog-trouble">
      <h3>
        {kind} {fullName(row)} in{' '}
        {clusters.slice(0, NAMED).map((one, at) => (
          <span key={one}>
            {at > 0 && ', '}
            <a href={paths.cluster(one)}>{one}</a>
          </span>
        ))}
        {clusters.length > NAMED && ` and ${isCut ? 'at least ' : ''}${count(clusters.length - NAMED)} more`}
      </h3>
      <Because
        cause={row.cause?.text}
        standing={row.standing}
        because={data?.because ?? []}
        since=""
        todo={row.cause?.todo}
        advice={data?.advice}
        where={clusters.length > 1 ? `, in ${cluster}` : ''}
      />
      {refusal && <Trouble refusal={refusal} since={undefined} renew={ask} />}
      {data === undefined && !refusal && <Bones lines={2} />}
    </article>
  );
}
