import type { OperatorRow } from '#core/view/rows/rows';
import { paths } from '../live/address.js';
import { Icon } from '../parts/icon.js';
import { Standing } from '../parts/standing.js';
import { Ago, Name } from '../parts/text.js';
import type { Column } from './table.js';

/** The version in the name of a bundle. */
export const versionOf = (bundle: string, name: string): string =>
  bundle.startsWith(`${name}.`) ? bundle.slice(name.length + 1).replace(/^v(?=\d)/, '') : bundle;

/** Shows the installed version and, if there is one, the next. */
export function Version({ of }: { of: OperatorRow }) {
  return (
    <span class="cut" title={[of.version, versionOf(of.next, of.package)].filter((one) => one !== '').join(' → ')}>
      {of.version || <span class="pale">none</span>}
      {of.next !== '' && of.next !== of.installed && (
        <>
          <span class="pale"> → </span>
          {versionOf(of.next, of.package)}
        </>
      )}
    </span>
  );
}

const ALL: readonly Column<OperatorRow>[] = [
  {
    key: 'package',
    title: 'Operator',
    width: 'minmax(130px, 1.4fr)',
    sort: 'package',
    place: 'title',
    cell: (row) => (
      <a
        class="named"
        href={paths.operator(row)}
        tabIndex={-1}
        aria-label={row.deprecated ? `${row.package} deprecated` : row.package}
      >
        <Name of={row.package} />
        {row.deprecated && (
          <span class="mark-deprecated" title="deprecated">
            {' '}
            <Icon of="warning" />
            <span class="hidden"> deprecated</span>
          </span>
        )}
      </a>
    ),
  },
  {
    key: 'cluster',
    title: 'Cluster',
    width: 'minmax(100px, 1fr)',
    sort: 'cluster',
    place: 'note',
    cell: (row) => <Name of={row.cluster} />,
  },
  {
    key: 'namespace',
    title: 'Namespace',
    width: 'minmax(100px, 1fr)',
    sort: 'namespace',
    place: 'note',
    cell: (row) => (row.namespace === '' ? <span class="pale">extension</span> : <Name of={row.namespace} />),
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
    title: 'Cause',
    width: 'minmax(120px, 2.6fr)',
    place: 'gone',
    cell: ({ cause }) => (
      <span class="cut" title={cause?.text}>
        {cause?.text}
      </span>
    ),
  },
  {
    key: 'version',
    title: 'Version',
    width: 'minmax(120px, 0.9fr)',
    sort: 'version',
    place: 'note',
    cell: (row) => <Version of={row} />,
  },
  {
    key: 'channel',
    title: 'Channel',
    width: 'minmax(72px, 0.5fr)',
    wide: true,
    sort: 'channel',
    place: 'gone',
    cell: (row) => <span class="cut">{row.channel || '–'}</span>,
  },
  {
    key: 'since',
    title: 'Since',
    width: '72px',
    wide: true,
    sort: 'since',
    number: true,
    place: 'gone',
    cell: (row) => <Ago time={row.since} />,
  },
];

/**
 * Returns the columns. A card of a narrow page needs a title: if all rows are of one package, the cluster is
 * the title.
 */
export const operatorColumns = (...without: readonly string[]): readonly Column<OperatorRow>[] =>
  ALL.filter(({ key }) => !without.includes(key)).map((column) =>
    column.key === 'cluster' && without.includes('package') ? { ...column, place: 'title' } : column,
  );
