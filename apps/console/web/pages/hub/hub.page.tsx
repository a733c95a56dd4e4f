import type { HubRow, QueueCounts } from '#core/view/rows/hub-row';
import type { HubSummary } from '../../../src/api/lists.schema.js';
import { paths } from '../../live/address.js';
import { useLoaded } from '../../live/loaded.js';
import { count } from '../../live/times.js';
import { CodeBlock } from '../../parts/copy.js';
import { Page, Section } from '../../parts/page.js';
import { SameCommand } from '../../parts/same-command.js';
import { Inked, Labelled, Standing } from '../../parts/standing.js';
import { Answered, Empty } from '../../parts/states.js';
import { Ago } from '../../parts/text.js';

/** A service reports itself every five seconds; later than this it does not answer. */
const SILENT = 15_000;

const isSilent = ({ updatedAt }: HubRow, asOf: string): boolean => Date.parse(asOf) - Date.parse(updatedAt) > SILENT;
const isWell = (row: HubRow, asOf: string): boolean => !isSilent(row, asOf) && row.checks.every(({ ok }) => ok);

export default function HubPage() {
  const hub = useLoaded<HubSummary>('hub');
  return (
    <Page title="Hub" asOf={hub.data?.asOf}>
      <Answered of={hub}>
        {(data) =>
          data.services.length === 0 ? (
            <Empty title="No service has reported itself yet.">
              <p>Each service of the hub reports within seconds of its start. See which of them answer:</p>
              <CodeBlock label="Command" text="flotilla health" />
            </Empty>
          ) : (
            <>
              <Services of={data} />
              <Sources of={data.services} />
              <Receivers of={data.services} />
              <div class="columns wide-left">
                <Queues of={data.services} />
                <Slowest of={data.services} />
              </div>
            </>
          )
        }
      </Answered>
      <SameCommand command="flotilla health" />
    </Page>
  );
}

function Services({ of }: { of: HubSummary }) {
  const sorted = of.services.toSorted(
    (a, b) => Number(isWell(a, of.asOf)) - Number(isWell(b, of.asOf)) || a.service.localeCompare(b.service),
  );
  return (
    <Section title="Services" aside={<span class="pale">Redis: {of.redis}</span>}>
      <table class="rows">
        <thead>
          <tr>
            <th scope="col">Service</th>
            <th scope="col">Status</th>
            <th scope="col">Checks</th>
            <th scope="col">Version</th>
            <th scope="col" class="number">
              Reported
            </th>
          </tr>
        </thead>
        <tbody>
          {sorted.map((row) => (
            <tr key={row.instance}>
              <th scope="row">
                {row.service} <span class="pale small">{row.instance}</span>
              </th>
              <td>
                {isWell(row, of.asOf) ? (
                  <Standing of="well" />
                ) : (
                  <Labelled of="failed">
                    <span>{isSilent(row, of.asOf) ? 'silent' : 'not well'}</span>
                  </Labelled>
                )}
              </td>
              <td class="grow">
                <Checks of={row} />
              </td>
              <td data-label="version">{row.version}</td>
              <td class="number" data-label="reported">
                <Ago time={row.updatedAt} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Section>
  );
}

function Checks({ of }: { of: HubRow }) {
  const bad = of.checks.filter(({ ok }) => !ok);
  if (bad.length === 0) return <span class="pale">{of.checks.map(({ name }) => name).join(', ') || 'none'}</span>;
  return (
    <ul class="bare">
      {bad.map(({ name, message }) => (
        <li key={name}>
          <strong>{name}</strong>: {message}
        </li>
      ))}
    </ul>
  );
}

/** FleetClusterSources with the tool that they follow. Each is in the report of one poller. */
function Sources({ of }: { of: readonly HubRow[] }) {
  const sources = of
    .flatMap((row) => row.sources ?? [])
    .toSorted((a, b) => Number(a.message === '') - Number(b.message === '') || a.name.localeCompare(b.name));
  if (sources.length === 0) return null;
  return (
    <Section title="Cluster sources">
      <table class="rows">
        <thead>
          <tr>
            <th scope="col">FleetClusterSource</th>
            <th scope="col">Tool</th>
            <th scope="col">Status</th>
            {['Clusters', 'Refused', 'Left'].map((title) => (
              <th key={title} scope="col" class="number">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {sources.map((one) => (
            <tr key={one.name}>
              <th scope="row">{one.name}</th>
              <td data-label="tool">
                {one.from} {one.namespace !== '' && <span class="pale">in namespace {one.namespace}</span>}
              </td>
              <td class="grow" data-label="status">
                {one.paused ? (
                  'paused'
                ) : one.message === '' ? (
                  <Standing of="well" />
                ) : (
                  <>
                    <Standing of="blocked" /> {one.message}
                  </>
                )}
              </td>
              <td class="number" data-label="clusters">
                {count(one.clusters)}
              </td>
              <td class="number" data-label="refused">
                {count(one.refused)}
              </td>
              <td class="number" data-label="left the tool">
                {count(one.left)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Section>
  );
}

/** Receivers of FleetNotifications. Notifiers report the same ones; the newest report counts. */
function Receivers({ of }: { of: readonly HubRow[] }) {
  const newest = of
    .filter(({ receivers }) => receivers !== undefined)
    .toSorted((a, b) => b.updatedAt.localeCompare(a.updatedAt))[0];
  const receivers = newest?.receivers ?? [];
  if (receivers.length === 0) return null;
  return (
    <Section title="Notifications">
      <table class="rows">
        <thead>
          <tr>
            <th scope="col">FleetNotification</th>
            <th scope="col">Receiver</th>
            <th scope="col">Status</th>
            {['Delivered', 'Waiting'].map((title) => (
              <th key={title} scope="col" class="number">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {receivers.map((one) => (
            <tr key={`${one.notification}/${one.receiver}`}>
              <th scope="row">{one.notification}</th>
              <td data-label="receiver">
                {one.receiver} <span class="pale">{one.type}</span>
              </td>
              <td class="grow" data-label="status">
                <Standing of={one.failure === '' ? 'well' : 'blocked'} /> {one.failure}
              </td>
              <td class="number" data-label="delivered">
                {count(one.delivered)}
              </td>
              <td class="number" data-label="waiting">
                {count(one.waiting)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Section>
  );
}

/** Services count the same queues; of each queue the newest report is shown. */
function queuesOf(services: readonly HubRow[]): readonly QueueCounts[] {
  const newestFirst = services.toSorted((a, b) => b.updatedAt.localeCompare(a.updatedAt));
  const found = new Map<string, QueueCounts>();
  for (const queue of newestFirst.flatMap(({ queues }) => queues))
    if (!found.has(queue.queue)) found.set(queue.queue, queue);
  return [...found.values()].sort((a, b) => a.queue.localeCompare(b.queue));
}

function Queues({ of }: { of: readonly HubRow[] }) {
  const queues = queuesOf(of);
  return (
    <Section title="Queues">
      {queues.length === 0 ? (
        <Empty title="No service has counted its queues yet." />
      ) : (
        <table class="rows">
          <thead>
            <tr>
              <th scope="col">Queue</th>
              {['Waiting', 'Active', 'Delayed', 'Failed', 'Oldest waits'].map((title) => (
                <th key={title} scope="col" class="number">
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {queues.map((one) => (
              <tr key={one.queue}>
                <th scope="row">{one.queue}</th>
                <td class="number" data-label="waiting">
                  {count(one.waiting)}
                </td>
                <td class="number" data-label="active">
                  {count(one.active)}
                </td>
                <td class="number" data-label="delayed">
                  {count(one.delayed)}
                </td>
                <td class={`number ${one.failed > 0 ? 'ink-failed' : ''}`} data-label="failed">
                  {one.failed > 0 ? <Inked of="failed">{count(one.failed)}</Inked> : count(one.failed)}
                </td>
                <td class="number" data-label="oldest">
                  {one.waiting === 0 ? '–' : `${one.oldestSeconds.toFixed(1)} s`}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Section>
  );
}

function Slowest({ of }: { of: readonly HubRow[] }) {
  const slowest = of
    .flatMap((row) => row.slowest)
    .sort((a, b) => b.milliseconds - a.milliseconds)
    .slice(0, 10);
  const most = slowest[0]?.milliseconds ?? 1;
  return (
    <Section title="Slowest clusters" aside={<span class="pale">longest pass of the last minutes</span>}>
      {slowest.length === 0 ? (
        <Empty title="No pass over a cluster in the last minutes." />
      ) : (
        <ul class="behind">
          {slowest.map(({ cluster, milliseconds }) => (
            <li key={cluster}>
              <a class="cut" href={paths.cluster(cluster)}>
                {cluster}
              </a>
              <span class="bar-line">
                <span class="bar" aria-hidden="true">
                  <span class="bar-fill" style={{ width: `${(milliseconds / most) * 100}%` }} />
                </span>
                <span class="bar-number">{count(Math.round(milliseconds))} ms</span>
              </span>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}
