import type { FleetTrend } from '../../../src/api/pictures.schema.js';
import { useMinutely } from '../../live/loaded.js';
import { count, timeOfDay } from '../../live/times.js';
import { Section } from '../../parts/page.js';
import { Answered } from '../../parts/states.js';
import { Ago } from '../../parts/text.js';
import { TimeStrip } from '../../pictures/time-strip.js';

const LINES = [
  ['failed', 'Failed operators', 'fill-failed', '/operators?standing=failed'],
  ['blocked', 'Blocked operators', 'fill-blocked', '/operators?standing=blocked'],
  ['done', 'Versions installed', 'fill-well', '/changes?kind=version&since=1d'],
] as const;

const APART = { display: 'flex', gap: '8px', justifyContent: 'space-between' };

/** Failed, blocked and done in the last 24 hours, each as a picture, and all of them as a table. */
export function Trend() {
  const trend = useMinutely<FleetTrend>('trend');
  const since = trend.data?.knownSince ?? '';
  const isShort = trend.data !== undefined && !(Date.parse(since) <= Date.parse(trend.data.begin));
  return (
    <Section
      title="Last 24 hours"
      aside={
        isShort &&
        since !== '' && (
          <span class="pale">
            history of the last <Ago time={since} />
          </span>
        )
      }
    >
      <Answered of={trend} lines={3}>
        {(data) => (
          <>
            <ul class="trend">
              {LINES.map(([key, title, colour, href]) => (
                <TrendLine key={key} {...{ of: data, name: key, title, colour, href }} />
              ))}
            </ul>
            <p class="pale after">
              {isShort ? 'Grey: not known. ' : ''}Operators that were removed count until their last change.
            </p>
            <TrendTable of={data} />
          </>
        )}
      </Answered>
    </Section>
  );
}

type LineProps = Readonly<{
  of: FleetTrend;
  name: 'failed' | 'blocked' | 'done';
  title: string;
  colour: string;
  href: string;
}>;

function TrendLine({ of: { items, parts }, name, title, colour, href }: LineProps) {
  const counts = items.map((one) => one[name]);
  // Versions are counted in each hour, troubles at its end.
  const shown = name === 'done' ? counts.reduce((sum, one) => sum + one, 0) : (counts.at(-1) ?? 0);
  return (
    <li>
      <span style={APART}>
        <a href={href}>{title}</a>
        <span>
          <strong>{count(shown)}</strong> <span class="pale">{name === 'done' ? 'in all' : 'now'}</span>
        </span>
      </span>
      <TimeStrip
        label={title}
        counts={counts}
        times={items.map(({ at }) => at)}
        parts={parts}
        most={Math.max(...counts)}
        colour={colour}
      />
      <span class="pale" style={APART}>
        <span>24 h ago</span>
        <span>at most {count(Math.max(0, ...counts))}</span>
        <span>now</span>
      </span>
    </li>
  );
}

const TrendTable = ({ of }: { of: FleetTrend }) => (
  <details>
    <summary>As a table</summary>
    <table class="rows">
      <thead>
        <tr>
          <th scope="col">Until</th>
          <th scope="col" class="number">
            Failed then
          </th>
          <th scope="col" class="number">
            Blocked then
          </th>
          <th scope="col" class="number">
            Versions installed
          </th>
        </tr>
      </thead>
      <tbody>
        {of.items.toReversed().map(({ at, failed, blocked, done }) => (
          <tr key={at}>
            <th scope="row">
              <time dateTime={at}>{timeOfDay(at)}</time>
            </th>
            <td class="number" data-label="failed">
              {count(failed)}
            </td>
            <td class="number" data-label="blocked">
              {count(blocked)}
            </td>
            <td class="number" data-label="installed">
              {count(done)}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </details>
);
