import { count, fullTime } from '../live/times.js';

/** Counts at the ends of parts of time. `parts` before the first count are not known. */
type TimeStripProps = Readonly<{
  label: string;
  counts: readonly number[];
  times: readonly string[];
  /** Parts of the whole window. */
  parts: number;
  most: number;
  /** Class of the bars, as `fill-failed`. */
  colour: string;
}>;

/** Counts over time as bars; unknown parts are grey. A table beside it has the numbers. */
export function TimeStrip({ label, counts, times, parts, most, colour }: TimeStripProps) {
  const missing = Math.max(0, parts - counts.length);
  const [first = 0, last = 0] = [counts[0], counts.at(-1)];
  const words = `${label}: ${count(first)} at first, ${count(last)} now, ${count(Math.max(0, ...counts))} at most`;
  return (
    <span class="time-strip" role="img" aria-label={words}>
      {missing > 0 && <span class="fill-waiting" style={{ flexGrow: missing }} title="not known" />}
      {counts.map((one, at) => (
        <span key={times[at]} title={`${fullTime(times[at] ?? '')}: ${count(one)}`}>
          {one > 0 && <span class={colour} style={{ height: `${(one / Math.max(1, most)) * 100}%` }} />}
        </span>
      ))}
    </span>
  );
}
