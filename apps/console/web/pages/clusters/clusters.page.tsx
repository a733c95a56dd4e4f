import { useState } from 'preact/hooks';
import type { ClusterRow } from '#core/view/rows/rows';
import { List } from '../../list/list.js';
import type { Column } from '../../list/table.js';
import { paths } from '../../live/address.js';
import { useQuery } from '../../live/query.js';
import { NoCluster } from '../../parts/no-cluster.js';
import { Page } from '../../parts/page.js';
import { SameCommand } from '../../parts/same-command.js';
import { Counts, Reached, type ReachName, Standing } from '../../parts/standing.js';
import { Tabs } from '../../parts/tabs.js';
import { LastSeen, Name } from '../../parts/text.js';
import { ClusterMapView } from './cluster-map.js';

const COLUMNS: readonly Column<ClusterRow>[] = [
  {
    key: 'cluster',
    title: 'Cluster',
    width: 'minmax(140px, 1fr)',
    sort: 'cluster',
    place: 'title',
    cell: ({ cluster }) => (
      <a class="named" href={paths.cluster(cluster)} tabIndex={-1} aria-label={cluster}>
        <Name of={cluster} />
      </a>
    ),
  },
  {
    key: 'standing',
    title: 'Status',
    width: '136px',
    sort: 'standing',
    place: 'mark',
    cell: (row) => <Standing of={row.standing} />,
  },
  {
    key: 'cause',
    title: 'First cause',
    width: 'minmax(160px, 3fr)',
    place: 'note',
    cell: ({ cause }) => (
      <span class="cut" title={cause?.text}>
        {cause?.text}
      </span>
    ),
  },
  {
    key: 'counts',
    title: 'Operators',
    width: 'minmax(130px, 1fr)',
    place: 'gone',
    cell: ({ counts }) => <Counts of={counts} />,
  },
  {
    key: 'catalogs',
    title: 'Catalogs',
    width: '80px',
    wide: true,
    place: 'gone',
    cell: ({ catalogsWell, catalogs }) => `${catalogsWell}/${catalogs}`,
  },
  {
    key: 'version',
    title: 'Kubernetes',
    width: '100px',
    sort: 'version',
    place: 'gone',
    cell: ({ version }) => version || '–',
  },
  {
    key: 'reach',
    title: 'Reach',
    width: '110px',
    sort: 'reach',
    place: 'gone',
    cell: ({ reach }) => <Reached of={reach as ReachName} />,
  },
  {
    key: 'seen',
    title: 'Last seen',
    width: '80px',
    wide: true,
    number: true,
    place: 'gone',
    cell: (row) => <LastSeen of={row} />,
  },
];

const VIEWS = [
  { view: 'list', title: 'List' },
  { view: 'map', title: 'Map' },
];

export default function ClustersPage() {
  const [query] = useQuery();
  const [asOf, setAsOf] = useState('');
  return (
    <Page title="Clusters" asOf={asOf}>
      <Tabs tabs={VIEWS} label="Views of clusters" />
      {query['view'] === 'map' ? (
        <ClusterMapView onAnswer={setAsOf} />
      ) : (
        <List<ClusterRow>
          label="Clusters"
          noun="cluster"
          resource="clusters"
          filters={['q', 'standing', 'reach', 'version', 'label', 'cause']}
          columns={COLUMNS}
          href={({ cluster }) => paths.cluster(cluster)}
          empty={<NoCluster />}
          onList={(list) => setAsOf(list.asOf)}
        />
      )}
      <SameCommand command="flotilla clusters list" />
    </Page>
  );
}
