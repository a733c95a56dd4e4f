import { useEffect } from 'preact/hooks';
import { filterValue } from '#core/kernel/text/filter-values';
import { labelText, withoutLabel } from '#core/kernel/text/label-filter';
import type { ClusterMap } from '../../../src/api/pictures.schema.js';
import { withQuery } from '../../live/address.js';
import { useLoaded } from '../../live/loaded.js';
import { useQuery } from '../../live/query.js';
import { count, counted } from '../../live/times.js';
import { CodeBlock } from '../../parts/copy.js';
import { Counts, STANDING_ORDER } from '../../parts/standing.js';
import { Answered, Empty } from '../../parts/states.js';

/** Stands for one column in the address: an empty value would be left out of it. */
const NONE = '-';

/** Returns the path of a map. A label that is not named is the server's choice, an empty one is none. */
function mapPath(rows: string | undefined, columns: string | undefined): string {
  if (columns !== NONE) return withQuery('cluster-map', { rows, columns });
  const path = withQuery('cluster-map', { rows });
  return `${path}${path.includes('?') ? '&' : '?'}columns=`;
}

/** Clusters by two of their labels: a table with the states in each cell, and a link to its clusters. */
export function ClusterMapView({ onAnswer }: { onAnswer: (asOf: string) => void }) {
  const [{ rows, columns }] = useQuery();
  const map = useLoaded<ClusterMap>(mapPath(rows, columns));
  const { data } = map;
  useEffect(() => {
    if (data !== undefined) onAnswer(data.asOf);
  }, [data]);
  return (
    <Answered of={map}>
      {(known) => (known.labels.length === 0 ? <NoLabels of={known} /> : <MapOf of={known} />)}
    </Answered>
  );
}

const NoLabels = ({ of }: { of: ClusterMap }) => (
  <Empty title={of.total === 0 ? 'No cluster belongs to this hub yet.' : 'No cluster has labels.'}>
    <p>The map has a row for each value of one label, such as a region, and a column for each value of another.</p>
    <p>Labels of FleetClusters appear here:</p>
    <CodeBlock label="Command" text="kubectl label fleetcluster NAME region=eu tier=prod" />
  </Empty>
);

function MapOf({ of }: { of: ClusterMap }) {
  const left = of.moreRows + of.moreColumns;
  return (
    <>
      <Choices of={of} />
      <div class="cluster-map" style={{ overflowX: 'auto' }}>
        <Table of={of} />
      </div>
      <p class="pale after">
        {counted(of.total, 'cluster')}. A cell counts clusters by their worst status.
        {left > 0 && ` ${counted(left, 'more value')} with ${counted(of.outside, 'cluster')} not shown.`}
      </p>
    </>
  );
}

function Choices({ of }: { of: ClusterMap }) {
  const [, change] = useQuery();
  const titleOf = ({ key, values, clusters }: ClusterMap['labels'][number]) =>
    `${key} (${counted(values, 'value')}, ${counted(clusters, 'cluster')})`;
  const isKnown = (key: string) => of.labels.some((one) => one.key === key);
  const options = (shown: string) => (
    <>
      {shown !== '' && !isKnown(shown) && <option value={shown}>{shown}</option>}
      {of.labels.map((one) => (
        <option key={one.key} value={one.key}>
          {titleOf(one)}
        </option>
      ))}
    </>
  );
  return (
    <div class="line-form">
      <label>
        Rows{' '}
        <select value={of.rows} onChange={(event) => change({ rows: event.currentTarget.value })}>
          {options(of.rows)}
        </select>
      </label>
      <label>
        Columns{' '}
        <select
          value={of.columns === '' ? NONE : of.columns}
          onChange={(event) => change({ columns: event.currentTarget.value })}
        >
          <option value={NONE}>none</option>
          {options(of.columns)}
        </select>
      </label>
      <button type="button" disabled={of.columns === ''} onClick={() => change({ rows: of.columns, columns: of.rows })}>
        Swap
      </button>
      {of.moreLabels > 0 && <span class="pale">and {counted(of.moreLabels, 'more label')}</span>}
    </div>
  );
}

type Value = ClusterMap['rowValues'][number];

/** Returns a value of a label as people read it. */
const nameOf = (key: string, { value }: Value): string => {
  if (key === '') return 'all';
  return value === undefined ? `no ${key}` : value || '(empty)';
};

/** Returns the address of the clusters with these values. */
function listOf(of: ClusterMap, row: Value | undefined, column: Value | undefined): string {
  const pairs = [
    [of.rows, row],
    [of.columns, column],
  ] as const;
  const label = pairs
    .filter(([key, value]) => key !== '' && value !== undefined)
    .map(([key, value]) => filterValue(value?.value === undefined ? withoutLabel(key) : labelText(key, value.value)))
    .join(',');
  return withQuery('/clusters', { label });
}

const Table = ({ of }: { of: ClusterMap }) => (
  <table class="rows">
    <caption class="hidden">
      Clusters by {of.rows || 'nothing'} and {of.columns || 'nothing'}
    </caption>
    <thead>
      <tr>
        <th scope="col">
          {of.rows}
          {of.columns !== '' && ` × ${of.columns}`}
        </th>
        {of.columnValues.map((value) => (
          <th key={value.value ?? '!'} scope="col">
            <a href={listOf(of, undefined, value)}>{nameOf(of.columns, value)}</a>{' '}
            <span class="pale">{count(value.clusters)}</span>
          </th>
        ))}
      </tr>
    </thead>
    <tbody>
      {of.rowValues.map((value, row) => (
        <tr key={value.value ?? '!'}>
          <th scope="row">
            <a href={listOf(of, value, undefined)}>{nameOf(of.rows, value)}</a>{' '}
            <span class="pale">{count(value.clusters)}</span>
          </th>
          {of.columnValues.map((across, column) => (
            <MapCell key={across.value ?? '!'} {...{ of, row, column }} />
          ))}
        </tr>
      ))}
    </tbody>
  </table>
);

function MapCell({ of, row, column }: { of: ClusterMap; row: number; column: number }) {
  const cell = of.cells.find((one) => one.row === row && one.column === column);
  const across = of.columnValues[column];
  const label = across === undefined ? '' : nameOf(of.columns, across);
  if (cell === undefined) {
    return (
      <td data-label={label} class="none">
        <span class="pale">–</span>
      </td>
    );
  }
  const worst = STANDING_ORDER.find((standing) => cell.counts[standing] > 0) ?? 'well';
  return (
    <td data-label={label} class={worst}>
      <a href={listOf(of, of.rowValues[row], across)}>
        <strong>{counted(cell.clusters, 'cluster')}</strong>
        <Counts of={cell.counts} />
        {cell.away > 0 && <span class="second-line">{count(cell.away)} unreachable</span>}
      </a>
    </td>
  );
}
