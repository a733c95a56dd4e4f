import { useState } from 'preact/hooks';
import { withQuery } from '../live/address.js';
import { allRows } from '../live/all-rows.js';
import { count } from '../live/times.js';
import { csvOf } from './csv.js';
import { saveFile } from './save-file.js';

export type CsvColumns<R> = Readonly<Record<string, (row: R) => unknown>>;

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
      setState('not read, try again');
    }
  };
  return (
    <button type="button" class="plain" onClick={() => void save()}>
      <span aria-hidden="true">↓ </span>CSV{state !== '' && `: ${state}`}
    </button>
  );
}
