import { useState } from 'preact/hooks';
import { withQuery } from '../live/address.js';
import { RequestRefused, read } from '../live/ask.js';
import { count } from '../live/times.js';
import { csvOf } from './csv.js';
import { saveFile } from './save-file.js';

export type CsvColumns<R> = Readonly<Record<string, (row: R) => unknown>>;

const WINDOW = 200;
const TOO_MANY = 429;
type Answer<R> = Readonly<{ items: readonly R[]; total: number }>;

/** One window; a console that wants a pause gets it. */
async function windowAt<R>(path: string, offset: number): Promise<Answer<R>> {
  const joint = path.includes('?') ? '&' : '?';
  for (;;) {
    try {
      return await read<Answer<R>>(`${path}${joint}offset=${offset}&limit=${WINDOW}`);
    } catch (error) {
      if (!(error instanceof RequestRefused) || error.refusal.status !== TOO_MANY) throw error;
    }
  }
}

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
    const rows: R[] = [];
    try {
      for (let total = 1; rows.length < total; ) {
        const answer = await windowAt<R>(path, rows.length);
        if (answer.items.length === 0) break;
        rows.push(...answer.items);
        total = answer.total;
        setState(`${count(rows.length)} of ${count(total)}`);
      }
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
