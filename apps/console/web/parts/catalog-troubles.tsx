import type { CatalogRow } from '#core/view/rows/rows';
import type { CatalogRowList } from '../../src/api/lists.schema.js';
import type { Explanation } from '../../src/api/questions.schema.js';
import { paths, withQuery } from '../live/address.js';
import { useLoaded } from '../live/loaded.js';
import { useQuestion } from '../live/question.js';
import { count } from '../live/times.js';
import { Because, Steps } from './because.js';
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
  const unwell = { standing: 'failed,blocked,under-way', catalog, cluster, limit: '200' };
  const { data } = useLoaded<CatalogRowList>(withQuery('catalog-rows', unwell));
  const alike = [...Map.groupBy(data?.items ?? [], (row) => [fullName(row), row.cause?.text].join('\0')).values()];
  if (alike.length === 0) return null;
  return (
    <Section title="Not well">
      {alike.slice(0, MOST).map((rows) => (
        <CatalogTrouble key={`${rows[0]?.cluster}${rows[0]?.id}`} of={rows} />
      ))}
      {alike.length > MOST && <p class="pale">and {count(alike.length - MOST)} more, in the list below.</p>}
    </Section>
  );
}

function CatalogTrouble({ of }: { of: readonly CatalogRow[] }) {
  const [row] = of;
  return row === undefined ? null : <ExplainedCatalog row={row} clusters={of.map(({ cluster }) => cluster)} />;
}

function ExplainedCatalog({ row, clusters }: { row: CatalogRow; clusters: readonly string[] }) {
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
        {clusters.length > NAMED && ` and ${count(clusters.length - NAMED)} more`}
      </h3>
      <Because cause={row.cause?.text} standing={row.standing} because={data?.because ?? []} since="" />
      {refusal && <Trouble refusal={refusal} since={undefined} renew={ask} />}
      {data === undefined && !refusal && <Bones lines={2} />}
      {data && data.advice.length > 0 && (
        <>
          <h4>What to do{clusters.length > 1 && `, in ${cluster}`}</h4>
          <Steps of={data.advice} />
        </>
      )}
    </article>
  );
}
