import { useState } from 'preact/hooks';
import { withQuery } from '../live/address.js';
import { allRows } from '../live/all-rows.js';
import { count } from '../live/times.js';
import { Icon } from '../parts/icon.js';
import { saveFile } from './save-file.js';

export type CsvColumns<R> = Readonly<Record<string, (row: R) => unknown>>;

/** A value of a row, as a spreadsheet takes it: quoted, and never a formula. */
function cell(value: unknown): string {
  const text = value === undefined || value === null ? '' : String(value);
  const plain = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}

/** Rows as RFC 4180 has them. */
const csvOf = <R,>(rows: readonly R[], columns: Readonly<Record<string, (row: R) => unknown>>): string =>
  [Object.keys(columns), ...rows.map((row) => Object.values(columns).map((value) => value(row)))]
    .map((line) => line.map(cell).join(','))
    .join('\r\n');

/** All rows that the filters leave, as a file: read window by window, as the table reads them. */
export function CsvButton<R>(props: {
  name: string;
  resource: string;
  query: Readonly<Record<string, string | undefined>>;
  columns: CsvColumns<R>;
}) {
  const [state, setState] = useState('');
  const save = async () => {
    const path = withQuery(props.resource, props.query);
    try {
      const rows = await allRows<R>(path, (read, of) => setState(`${count(read)} of ${count(of)}`));
      saveFile(`${props.name}.csv`, 'text/csv', csvOf(rows, props.columns));
      setState('');
    } catch {
      setState('not read, retry');
    }
  };
  return (
    <button type="button" class="plain" onClick={() => void save()}>
      <Icon of="save" />
      CSV{state !== '' && `: ${state}`}
    </button>
  );
}
