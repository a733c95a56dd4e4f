import { useRoute } from 'preact-iso';
import type { ClusterRow, OperatorRow } from '#core/view/rows/rows';
import type { CatalogList, ChangeList, ClusterList, OperatorList } from '../../../src/api/lists.schema.js';
import { List } from '../../list/list.js';
import { operatorColumns, Version } from '../../list/operator-columns.js';
import { exactly, paths, rowPaths, withQuery } from '../../live/address.js';
import { handOverCheck } from '../../live/cluster-commands.js';
import { useLoaded } from '../../live/loaded.js';
import { useQuery } from '../../live/query.js';
import { count } from '../../live/times.js';
import { Because } from '../../parts/because.js';
import { ChangeLines, MoreChanges } from '../../parts/change-lines.js';
import { CodeBlock } from '../../parts/copy.js';
import { Fact } from '../../parts/fact.js';
import { Icon } from '../../parts/icon.js';
import { Page, Section } from '../../parts/page.js';
import { SameCommand } from '../../parts/same-command.js';
import { Reached, type ReachName, Standing } from '../../parts/standing.js';
import { Answered, Bones, Empty, Trouble } from '../../parts/states.js';
import { Tabs } from '../../parts/tabs.js';
import { Ago, LastSeen, shortDigest } from '../../parts/text.js';
import { clusterAdvice } from './cluster-advice.js';

const ATTENTION = 'failed,blocked,needs-approval,under-way';

export default function ClusterPage() {
  const cluster = useRoute().params['cluster'] ?? '';
  const [query] = useQuery();
  const found = useLoaded<ClusterList>(rowPaths.cluster(cluster));
  const row = found.data?.items[0];
  const tabs = [
    { view: 'findings', title: 'Problem' },
    { view: 'operators', title: 'Operators', note: row && count(total(row)) },
    { view: 'catalogs', title: 'Catalogs', note: row && `${row.catalogsWell}/${row.catalogs}` },
    { view: 'changes', title: 'Changes' },
  ];
  return (
    <Page title={cluster} asOf={found.data?.asOf} above={<a href="/clusters">Clusters</a>}>
      {found.refusal && <Trouble refusal={found.refusal} since={found.failingSince} renew={found.renew} />}
      {found.data === undefined && !found.refusal && <Bones />}
      {found.data !== undefined && row === undefined && <Gone cluster={cluster} />}
      {row && (
        <>
          <Facts of={row} />
          <Tabs tabs={tabs} label="About this cluster" />
          {(query['view'] ?? 'findings') === 'findings' && <Findings of={row} />}
          {query['view'] === 'operators' && <Operators cluster={cluster} />}
          {query['view'] === 'catalogs' && <CatalogsOf cluster={cluster} />}
          {query['view'] === 'changes' && <ChangesOf cluster={cluster} />}
          <SameCommand command="flotilla status" in={row} />
        </>
      )}
    </Page>
  );
}

const total = ({ counts }: ClusterRow): number => Object.values(counts).reduce((sum, some) => sum + some, 0);

function Facts({ of }: { of: ClusterRow }) {
  const labels = Object.entries(of.labels);
  return (
    <>
      <dl class="facts">
        <Fact name="Status">
          <Standing of={of.standing} />
        </Fact>
        <Fact name="Reach">
          <Reached of={of.reach as ReachName} />{' '}
          <span class="pale">
            for <Ago time={of.since} />
          </span>
        </Fact>
        <Fact name="Last answered">
          {of.reach !== 'fresh' && of.lastSeen === '' ? 'never' : <LastSeen of={of} />}
          {of.reach !== 'fresh' && of.lastSeen !== '' && ' ago'}
        </Fact>
        <Fact name="Kubernetes">{of.version || 'not known'}</Fact>
        <Fact name="Operators well">
          {count(of.counts.well)}/{count(total(of))}
        </Fact>
        <Fact name="Catalogs well">
          {of.catalogsWell}/{of.catalogs}
        </Fact>
      </dl>
      {labels.length > 0 && (
        <p class="chips">
          {labels.map(([key, value]) => (
            <span key={key} class="chip still">
              {key}={value}
            </span>
          ))}
        </p>
      )}
      <Remarks of={of} />
    </>
  );
}

function Remarks({ of }: { of: ClusterRow }) {
  return (
    <>
      {of.reach === 'away' && of.lastSeen !== '' && (
        <p class="notice">
          This cluster cannot be reached. What is shown is as of <Ago time={of.lastSeen} /> ago.
        </p>
      )}
      {of.reach === 'left-to-olm' && (
        <div class="notice">
          <p>OLM itself is at work in this cluster, or another hub manages it, so Flotilla changes nothing there.</p>
          <HandOver of={of} />
        </div>
      )}
      {of.paused && <p class="notice">Flotilla is paused in this cluster.</p>}
      {of.upgradeBlockers.length > 0 && (
        <div class="notice">
          <p>These operators keep the cluster from its next minor version:</p>
          <ul>
            {of.upgradeBlockers.map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
        </div>
      )}
    </>
  );
}

function HandOver({ of }: { of: ClusterRow }) {
  const { text, command } = handOverCheck(of);
  return (
    <>
      <p>{text}</p>
      <CodeBlock text={command} label="Command" />
    </>
  );
}

const WELL = 'Every operator in this cluster is healthy.';
/** Texts for a cluster without operators that need attention. */
const NOTHING: Readonly<Record<ReachName, string>> = {
  ...{ fresh: WELL, stale: WELL, away: 'No operator needed attention at the last answer of the cluster.' },
  ...{ 'left-to-olm': 'Its operators belong to OLM.', refused: 'Its operators are not shown.' },
};

const nothingOf = ({ reach, lastSeen }: ClusterRow): string =>
  reach === 'away' && lastSeen === '' ? 'Its operators are unknown: the cluster has never answered.' : NOTHING[reach];

function Findings({ of }: { of: ClusterRow }) {
  const operators = useLoaded<OperatorList>(
    withQuery('operators', { ...exactly({ cluster: of.cluster }), standing: ATTENTION, limit: '100' }),
  );
  return (
    <Answered of={operators}>
      {({ items, total: all }) => (
        <>
          <OwnCause of={of} items={items} />
          {items.length === 0 && <Empty title={nothingOf(of)} />}
          {items.length > 0 && (
            <ul class="findings">
              {items.map((row) => (
                <Finding key={row.id} of={row} />
              ))}
            </ul>
          )}
          {all > items.length && (
            <p class="after">
              <a href={withQuery('', { view: 'operators', standing: ATTENTION })}>All {count(all)} operators</a>
            </p>
          )}
        </>
      )}
    </Answered>
  );
}

/** Shows the cause of the cluster itself, if no operator has the same. */
function OwnCause({ of, items }: { of: ClusterRow; items: readonly OperatorRow[] }) {
  if (!of.cause || of.standing === 'well' || items.some(({ cause }) => cause?.text === of.cause?.text)) return null;
  return (
    <Because cause={of.cause.text} standing={of.standing} because={[]} since={of.since} advice={clusterAdvice(of)} />
  );
}

function Finding({ of }: { of: OperatorRow }) {
  return (
    <li>
      <Standing of={of.standing} />
      <span>
        <a href={paths.operator(of)}>
          <strong>{of.package}</strong>
        </a>{' '}
        <span class="pale">{of.namespace || 'extension'} · </span>
        <Version of={of} />
        <span class="finding-cause">{of.cause?.text}</span>
        {of.cause?.todo && (
          <span class="todo">
            <Icon of="right" /> {of.cause.todo}
          </span>
        )}
      </span>
      <span class="pale finding-since">
        <Ago time={of.since} />
      </span>
      {of.planHash !== '' && of.fleet === undefined ? (
        <a class="button" href={paths.review(of.planHash)}>
          Review
        </a>
      ) : (
        <a class="button" href={paths.operator(of)}>
          Open
        </a>
      )}
    </li>
  );
}

function Operators({ cluster }: { cluster: string }) {
  return (
    <List<OperatorRow>
      label={`Operators of ${cluster}`}
      noun="operator"
      resource="operators"
      fixed={exactly({ cluster })}
      filters={['q', 'standing', 'namespace', 'catalog', 'channel']}
      columns={operatorColumns('cluster')}
      href={paths.operator}
      empty={<NoOperator cluster={cluster} />}
    />
  );
}

const NoOperator = ({ cluster }: { cluster: string }) => (
  <Empty title="No operator is installed in this cluster.">
    <p>
      Operators appear here as soon as the cluster has a Subscription or a ClusterExtension.{' '}
      <a href={withQuery('/catalogs', exactly({ cluster }))}>Its catalogs</a> show what can be installed.
    </p>
  </Empty>
);

function CatalogsOf({ cluster }: { cluster: string }) {
  const here = exactly({ cluster });
  const catalogs = useLoaded<CatalogList>(withQuery('catalogs', here));
  return (
    <Answered of={catalogs}>
      {({ items, total: all }) =>
        items.length === 0 ? (
          <Empty title="This cluster has no catalog.">
            <p>
              Catalogs appear here as soon as the cluster has a CatalogSource or a ClusterCatalog.{' '}
              <a href="/catalogs">Catalogs of other clusters</a>
            </p>
          </Empty>
        ) : (
          <>
            <ul class="findings">
              {items.map((one) => (
                <li key={`${one.name}${one.id}`}>
                  <Standing of={one.standing} />
                  <span>
                    <a href={paths.catalog(one.id)}>
                      <strong>{one.name}</strong>
                    </a>{' '}
                    <span class="pale">
                      {one.source} · {count(one.packages)} packages ·{' '}
                      <span class="mono">{shortDigest(one.digest)}</span>
                    </span>
                    <span class="finding-cause">{one.message}</span>
                  </span>
                </li>
              ))}
            </ul>
            {all > items.length && (
              <p class="after">
                <a href={withQuery('/catalogs', here)}>All {count(all)} catalogs</a>
              </p>
            )}
          </>
        )
      }
    </Answered>
  );
}

function ChangesOf({ cluster }: { cluster: string }) {
  const changes = useLoaded<ChangeList>(withQuery('changes', { ...exactly({ cluster }), limit: '100' }));
  return (
    <Answered of={changes}>
      {({ items, total }) =>
        items.length === 0 ? (
          <Empty title="No changes of this cluster are known.">
            <p>Changes of versions, statuses, catalogs and approvals appear here as they happen.</p>
          </Empty>
        ) : (
          <>
            <ChangeLines items={items} />
            <MoreChanges total={total} shown={items.length} query={exactly({ cluster })} />
          </>
        )
      }
    </Answered>
  );
}

function Gone({ cluster }: { cluster: string }) {
  return (
    <>
      <Empty title={`No cluster is named ${cluster} now.`}>
        <p>What is known of it stands below, newest first.</p>
      </Empty>
      <Section title="Changes">
        <ChangesOf cluster={cluster} />
      </Section>
    </>
  );
}
