import { useState } from 'preact/hooks';
import type { OperatorRow } from '#core/view/rows/rows';
import type { PackageSpread } from '../../../src/api/lists.schema.js';
import type { CsvColumns } from '../../list/csv-button.js';
import { List } from '../../list/list.js';
import { operatorColumns, versionOf } from '../../list/operator-columns.js';
import type { Selecting } from '../../list/selection.js';
import type { Column } from '../../list/table.js';
import { paths } from '../../live/address.js';
import { type Query, useQuery } from '../../live/query.js';
import { me } from '../../live/session.js';
import { count } from '../../live/times.js';
import { Spread } from '../../parts/bars.js';
import { Page } from '../../parts/page.js';
import { SameCommand } from '../../parts/same-command.js';
import { Counts, Deprecated } from '../../parts/standing.js';
import { Empty } from '../../parts/states.js';
import { Tabs } from '../../parts/tabs.js';
import { Name } from '../../parts/text.js';
import { RetryMany } from './retry-many.js';

const TABS = [
  { view: 'flat', title: 'Each operator' },
  { view: 'packages', title: 'By package' },
];

const FILTERS = [
  'q',
  'standing',
  'package',
  'cluster',
  'namespace',
  'catalog',
  'channel',
  'version',
  'api',
  'deprecated',
  'cause',
];

const PACKAGES: readonly Column<PackageSpread>[] = [
  {
    key: 'package',
    title: 'Package',
    width: 'minmax(150px, 1.2fr)',
    sort: 'package',
    place: 'title',
    cell: (row) => (
      <a class="named" href={paths.package(row.package)} tabIndex={-1} aria-label={row.package}>
        <Name of={row.package} />
      </a>
    ),
  },
  {
    key: 'clusters',
    title: 'Clusters',
    width: '80px',
    sort: 'clusters',
    number: true,
    place: 'gone',
    cell: (row) => count(row.clusters),
  },
  {
    key: 'versions',
    title: 'Versions',
    width: 'minmax(160px, 2.5fr)',
    place: 'note',
    cell: (row) => <Spread of={row} />,
  },
  {
    key: 'newest',
    title: 'Newest',
    width: '128px',
    place: 'gone',
    cell: (row) => (
      <span class="cut" title={row.newest}>
        {row.newest === '' ? '–' : versionOf(row.newest, row.package)}
      </span>
    ),
  },
  {
    key: 'upToDate',
    title: 'Up to date',
    width: '104px',
    number: true,
    place: 'gone',
    cell: (row) => `${count(row.upToDate)}/${count(row.operators)}`,
  },
  {
    key: 'counts',
    title: 'Status',
    width: 'minmax(160px, 1fr)',
    place: 'mark',
    cell: (row) => <Counts of={row.counts} />,
  },
  {
    key: 'deprecated',
    title: 'Deprecated',
    width: '88px',
    wide: true,
    number: true,
    place: 'gone',
    cell: (row) => (row.deprecated === 0 ? '–' : <Deprecated>{count(row.deprecated)}</Deprecated>),
  },
];

const CSV: CsvColumns<OperatorRow> = {
  ...{ cluster: (row) => row.cluster, namespace: (row) => row.namespace, name: (row) => row.name },
  ...{ api: (row) => row.api, package: (row) => row.package, catalog: (row) => row.catalog },
  ...{ channel: (row) => row.channel, version: (row) => row.version, installed: (row) => row.installed },
  ...{ next: (row) => row.next, newest: (row) => row.newest, approval: (row) => row.approval },
  ...{ status: (row) => row.standing, since: (row) => row.since, cause: (row) => row.cause?.text },
  deprecated: (row) => row.deprecated,
};

const NONE = (
  <Empty title="No operator is installed or requested.">
    <p>
      Operators appear here as soon as a cluster has a Subscription or a ClusterExtension.{' '}
      <a href="/catalogs">Catalogs</a> show what can be installed.
    </p>
  </Empty>
);

export default function OperatorsPage() {
  const [query] = useQuery();
  const [asOf, setAsOf] = useState('');
  const onList = (list: { asOf: string }) => setAsOf(list.asOf);
  return (
    <Page title="Operators" asOf={asOf}>
      <Tabs tabs={TABS} label="How operators are shown" />
      {query['view'] === 'packages' ? (
        <List<PackageSpread>
          key="packages"
          label="Packages"
          noun="package"
          resource="packages"
          filters={['q', 'standing', 'catalog', 'deprecated']}
          columns={PACKAGES}
          href={(row) => paths.package(row.package)}
          empty={NONE}
          onList={onList}
        />
      ) : (
        <List<OperatorRow>
          key="flat"
          label="Operators"
          noun="operator"
          resource="operators"
          filters={FILTERS}
          columns={operatorColumns()}
          csv={CSV}
          href={paths.operator}
          empty={NONE}
          onList={onList}
          {...(me.value?.may.retry && {
            selected: (of: Selecting<OperatorRow>, asked: Query) => <RetryMany of={of} asked={asked} />,
          })}
        />
      )}
      <SameCommand command="flotilla get subscriptions,extensions" />
    </Page>
  );
}
