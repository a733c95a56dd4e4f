import { RequestRefused, read } from './ask.js';

const WINDOW = 200;
export const TOO_MANY = 429;
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

/** All rows of a list, read window by window, as tables read them. */
export async function allRows<R>(path: string, onProgress: (read: number, of: number) => void = () => undefined) {
  const rows: R[] = [];
  for (let total = 1; rows.length < total; ) {
    const answer = await windowAt<R>(path, rows.length);
    if (answer.items.length === 0) break;
    rows.push(...answer.items);
    total = answer.total;
    onProgress(rows.length, total);
  }
  return rows;
}
