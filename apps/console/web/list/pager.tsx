import { useQuery } from '../live/query.js';
import { count } from '../live/times.js';

/** Rows of one answer. */
export const WINDOW = 200;

/** The place of the page in its list, from its address. */
export const placeIn = (offset: string | undefined): number => Math.max(0, Math.floor(Number(offset)) || 0);

type PagerProps = Readonly<{ at: number; shown: number; total: number; before?: string; after?: string }>;

/** The ways to the rows before and after those of the page. */
export function Pager({ at, shown, total, before = 'Previous', after = 'Next' }: PagerProps) {
  const [, change] = useQuery();
  if (at === 0 && shown >= total) return null;
  return (
    <p class="pager">
      {at > 0 && (
        <button type="button" onClick={() => change({ offset: at > WINDOW ? String(at - WINDOW) : undefined })}>
          {before}
        </button>
      )}
      {at + shown < total && (
        <button type="button" onClick={() => change({ offset: String(at + WINDOW) })}>
          {after}, {count(total - at - shown)} more
        </button>
      )}
    </p>
  );
}
