import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import type { ClusterRow } from '#core/view/rows/rows';
import type { CauseGroup, ClusterList, FleetSummary } from '../../../src/api/lists.schema.js';
import { onRowClick } from '../../list/row-click.js';
import { exactly, paths, withQuery } from '../../live/address.js';
import { UNWELL_CLUSTERS } from '../../live/first-look.js';
import { useLoaded } from '../../live/loaded.js';
import { count, counted } from '../../live/times.js';
import { Bar } from '../../parts/bars.js';
import { Icon } from '../../parts/icon.js';
import { NoCluster } from '../../parts/no-cluster.js';
import { Page, Section } from '../../parts/page.js';
import { SameCommand } from '../../parts/same-command.js';
import { Counts, Reached, type ReachName, reachWord, STANDING_ORDER, Standing } from '../../parts/standing.js';
import { Answered, Empty } from '../../parts/states.js';
import { Ago, LastSeen, Name } from '../../parts/text.js';
import { Trend } from './trend.js';

const REACH_ORDER = ['stale', 'away', 'left-to-olm', 'refused'] as const;

export default function FleetPage() {
  const fleet = useLoaded<FleetSummary>('fleet');
  return (
    <Page title="Fleet" asOf={fleet.data?.asOf}>
      <Answered of={fleet} lines={9}>
        {(data) => (data.clusters === 0 && data.filling === undefined ? <NoCluster /> : <Summary of={data} />)}
      </Answered>
      <SameCommand command="flotilla status" />
    </Page>
  );
}

function Summary({ of }: { of: FleetSummary }) {
  return (
    <>
      <Tiles of={of} />
      <div class="columns wide-left">
        <Section title="Causes" aside={<span class="pale">{counted(of.causes.length + of.moreCauses, 'cause')}</span>}>
          <Causes of={of} />
        </Section>
        <Section title="Versions behind" aside={<a href="/operators?view=packages">All packages</a>}>
          <Behind of={of} />
        </Section>
      </div>
      <Trend />
      <Section
        title="Unhealthy clusters"
        aside={
          <span>
            <a href="/clusters?view=map">Map</a> · <a href="/clusters">All {counted(of.clusters, 'cluster')}</a>
          </span>
        }
      >
        <Unwell total={of.unwellClusters} />
      </Section>
    </>
  );
}

function Tiles({ of }: { of: FleetSummary }) {
  return (
    <div class="fleet-top">
      <ul class="tiles" aria-label="Operators by status">
        {STANDING_ORDER.map((standing) => (
          <li key={standing}>
            <a class={`tile ${of.counts[standing] === 0 ? 'none' : standing}`} href={`/operators?standing=${standing}`}>
              <span>
                <span class="tile-number">{count(of.counts[standing])}</span>{' '}
                <span class="pale">{of.counts[standing] === 1 ? 'operator' : 'operators'}</span>
              </span>
              <Standing of={standing} />
            </a>
          </li>
        ))}
      </ul>
      <p class="reach-line">
        <span class="pale">Clusters</span> <a href="/clusters?reach=fresh">{count(of.reach.fresh)} reached</a>
        {REACH_ORDER.filter((reach) => of.reach[reach] > 0).map((reach) => (
          <span key={reach}>
            {' · '}
            <a href={`/clusters?reach=${reach}`}>
              {count(of.reach[reach])} {reachWord(reach)}
            </a>
          </span>
        ))}
      </p>
    </div>
  );
}

const isCatalog = (kind: string): boolean => kind === 'CatalogSource' || kind === 'ClusterCatalog';

/**
 * Returns the page of a cause's objects. They may be less urgent than the group: it is as urgent as its
 * worst.
 */
function causeHref({ key, cause, operators, clusters, example }: CauseGroup): string {
  if (operators > 0) return withQuery('/operators', { cause: key });
  if (isCatalog(cause.kind)) return withQuery('/catalogs', exactly({ catalog: cause.names[0] }));
  if (cause.kind !== 'Cluster') return '/catalogs';
  return clusters === 1 ? paths.cluster(example) : withQuery('/clusters', { cause: key });
}

/** Names the subjects of a cause that its text leaves out. */
function aboutCause({ cause: { names, text, kind }, clusters, example }: CauseGroup): string {
  // The names of a cluster's cause are its class.
  const unsaid = kind === 'Cluster' ? [] : names.filter((name) => !text.includes(name));
  const about = unsaid.length > 3 ? [...unsaid.slice(0, 3), `${count(unsaid.length - 3)} more`] : unsaid;
  if (clusters > 1) return about.join(', ');
  const where = kind === 'Cluster' ? example : `in ${example}`;
  return [about.join(', '), where].filter((part) => part !== '').join(' ');
}

/** Causes that are shown at first: the most urgent ones, so that the clusters stand on the first screen, too. */
const FIRST_CAUSES = 8;

function Causes({ of }: { of: FleetSummary }) {
  const { route } = useLocation();
  const [all, setAll] = useState(false);
  if (of.causes.length === 0) return <Empty title="Every operator is healthy." />;
  const hidden = all ? 0 : Math.max(0, of.causes.length - FIRST_CAUSES);
  return (
    <>
      <table class="rows causes">
        <thead>
          <tr>
            <th scope="col">Cause</th>
            <th scope="col" class="number">
              Clusters
            </th>
            <th scope="col" class="number">
              Operators
            </th>
            <th scope="col" class="number">
              Since
            </th>
          </tr>
        </thead>
        <tbody>
          {of.causes.slice(0, of.causes.length - hidden).map((cause) => (
            <CauseLine key={cause.key} of={cause} onOpen={() => route(causeHref(cause))} />
          ))}
        </tbody>
      </table>
      {hidden > 0 && (
        <p class="after">
          <button type="button" onClick={() => setAll(true)}>
            Show {counted(hidden, 'more cause')}
          </button>
        </p>
      )}
      {hidden === 0 && of.moreCauses > 0 && (
        <p class="after">
          <a href="/operators?standing=failed,blocked,needs-approval">and {count(of.moreCauses)} more</a>
        </p>
      )}
    </>
  );
}

/** One cause, with what to do, and the numbers of objects that have it. */
function CauseLine({ of, onOpen }: { of: CauseGroup; onOpen: () => void }) {
  const { cause, standing, clusters, operators, since } = of;
  return (
    <tr onClick={onRowClick(onOpen)}>
      <td>
        <a class="cause" href={causeHref(of)}>
          <Standing of={standing} glyphOnly />
          <span>
            <span class="two-lines">{cause.text}</span>
            <span class="second-line">{aboutCause(of)}</span>
            {cause.todo && (
              <span class="todo">
                <Icon of="right" /> {cause.todo}
              </span>
            )}
          </span>
        </a>
      </td>
      <td class="number">{count(clusters)}</td>
      <td class="number">{count(operators)}</td>
      <td class="number">
        <Ago time={since} />
      </td>
    </tr>
  );
}

function Behind({ of }: { of: FleetSummary }) {
  if (of.behind.length === 0) return <p class="pale">Every operator has the newest version of its channel.</p>;
  return (
    <ul class="behind">
      {of.behind.map((one) => (
        <li key={one.package}>
          <a class="named" href={paths.package(one.package)} aria-label={one.package}>
            <Name of={one.package} />
          </a>
          <Bar done={one.upToDate} of={one.operators} label={`${one.package} up to date`} />
        </li>
      ))}
    </ul>
  );
}

function Unwell({ total }: { total: number }) {
  const { route } = useLocation();
  const clusters = useLoaded<ClusterList>(UNWELL_CLUSTERS);
  if (total === 0) return <Empty title="Every cluster is healthy." />;
  return (
    <Answered of={clusters}>
      {({ items }) => (
        <>
          <table class="rows unwell">
            <thead>
              <tr>
                <th scope="col">Cluster</th>
                <th scope="col">Status</th>
                <th scope="col">First cause</th>
                <th scope="col">Operators</th>
                <th scope="col">Reach</th>
                <th scope="col" class="number">
                  Last seen
                </th>
              </tr>
            </thead>
            <tbody>
              {items.map((cluster) => (
                <UnwellRow key={cluster.cluster} of={cluster} onOpen={() => route(paths.cluster(cluster.cluster))} />
              ))}
            </tbody>
          </table>
          {total > items.length && (
            <p class="after">
              <a href="/clusters">and {count(total - items.length)} more</a>
            </p>
          )}
        </>
      )}
    </Answered>
  );
}

function UnwellRow({ of, onOpen }: { of: ClusterRow; onOpen: () => void }) {
  return (
    <tr onClick={onRowClick(onOpen)} class={of.reach === 'away' ? 'away' : ''}>
      <th scope="row">
        <a class="named" href={paths.cluster(of.cluster)} aria-label={of.cluster}>
          <Name of={of.cluster} />
        </a>
      </th>
      <td>
        <Standing of={of.standing} />
      </td>
      <td class="grow">
        <span class="two-lines">{of.cause?.text ?? ''}</span>
      </td>
      <td>
        <Counts of={of.counts} />
      </td>
      <td>
        <Reached of={of.reach as ReachName} />
      </td>
      <td class="number">
        <LastSeen of={of} />
      </td>
    </tr>
  );
}
