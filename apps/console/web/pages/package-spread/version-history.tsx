import { useLocation } from 'preact-iso';
import type { VersionTrend } from '../../../src/api/pictures.schema.js';
import { exactly, paths, withQuery } from '../../live/address.js';
import { useMinutely } from '../../live/loaded.js';
import { useQuery } from '../../live/query.js';
import { count, counted, fullTime } from '../../live/times.js';
import { Section } from '../../parts/page.js';
import { Answered } from '../../parts/states.js';
import { Ago } from '../../parts/text.js';
import { TimeStrip } from '../../pictures/time-strip.js';

const SPANS = [
  ['1d', '24 hours'],
  ['7d', '7 days'],
  ['30d', '30 days'],
] as const;

/** The versions of a package over time, for clusters that are behind and the time since then. */
export function VersionHistory({ package: name }: { package: string }) {
  const { path } = useLocation();
  const [query] = useQuery();
  const span = SPANS.find(([one]) => one === query['span'])?.[0] ?? '1d';
  const trend = useMinutely<VersionTrend>(withQuery('version-trend', { package: name, span }));
  return (
    <Section
      title="Versions over time"
      aside={
        <nav class="chips" aria-label="Span">
          {SPANS.map(([one, title]) => (
            <a
              key={one}
              class="chip"
              aria-current={one === span ? 'true' : undefined}
              href={withQuery(path, { ...query, span: one === '1d' ? undefined : one })}
            >
              {title}
            </a>
          ))}
        </nav>
      }
    >
      <Answered of={trend} lines={3}>
        {(data) => <Strips of={data} package={name} />}
      </Answered>
    </Section>
  );
}

function Strips({ of, package: name }: { of: VersionTrend; package: string }) {
  const isShort = !(Date.parse(of.knownSince) <= Date.parse(of.begin));
  const most = Math.max(1, ...of.clusters);
  const strip = { times: of.times, parts: of.parts, most };
  return (
    <>
      <ul class="trend versions">
        {of.versions.map(({ bundle, version, clusters }) => (
          <li key={bundle}>
            <a class="cut" href={withQuery(paths.package(name), exactly({ runs: bundle }))} title={bundle}>
              {version}
            </a>
            <TimeStrip {...strip} label={version} counts={clusters} colour="bar-fill" />
            <span class="number">{count(clusters.at(-1) ?? 0)}</span>
          </li>
        ))}
        {of.otherVersions > 0 && (
          <li>
            <span>{counted(of.otherVersions, 'other version')}</span>
            <TimeStrip {...strip} label="other versions" counts={of.other} colour="bar-fill" />
            <span class="number">{count(of.other.at(-1) ?? 0)}</span>
          </li>
        )}
      </ul>
      <p class="pale after">
        A full bar is {counted(most, 'cluster')}.{' '}
        {isShort && of.knownSince !== '' && (
          <>
            The history has the last <Ago time={of.knownSince} />; before it is grey.{' '}
          </>
        )}
        A cluster without a known change counts with its present version.
      </p>
      <VersionTable of={of} />
    </>
  );
}

const VersionTable = ({ of }: { of: VersionTrend }) => (
  <details>
    <summary>As a table</summary>
    <table class="rows">
      <thead>
        <tr>
          <th scope="col">Until</th>
          <th scope="col" class="number">
            Clusters
          </th>
          <th scope="col">Versions</th>
        </tr>
      </thead>
      <tbody>
        {of.times.map((time, at) => (
          <tr key={time}>
            <th scope="row">
              <time dateTime={time}>{fullTime(time)}</time>
            </th>
            <td class="number" data-label="clusters">
              {count(of.clusters[at] ?? 0)}
            </td>
            <td class="grow">{versionsAt(of, at)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </details>
);

/** Returns the versions at a time in words, as `1.1.0 in 12`. */
function versionsAt({ versions, other }: VersionTrend, at: number): string {
  const words = versions
    .filter(({ clusters }) => (clusters[at] ?? 0) > 0)
    .map(({ version, clusters }) => `${version} in ${count(clusters[at] ?? 0)}`);
  const rest = other[at] ?? 0;
  return [...words, ...(rest > 0 ? [`others in ${count(rest)}`] : [])].join(', ') || 'none';
}
