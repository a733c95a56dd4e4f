import { useRoute } from 'preact-iso';
import { shellWord } from '#core/kernel/text/shell-word';
import { operatorChain } from '#core/view/questions/operator-chain';
import { runningBundle } from '#core/view/questions/running-bundle';
import type { OperatorRow } from '#core/view/rows/rows';
import type { ClusterList, OperatorList } from '../../../src/api/lists.schema.js';
import type { Explanation } from '../../../src/api/questions.schema.js';
import { paths, rowPaths, withQuery } from '../../live/address.js';
import { useLoaded } from '../../live/loaded.js';
import { useQuery } from '../../live/query.js';
import { type Question, useQuestion } from '../../live/question.js';
import { Because } from '../../parts/because.js';
import { Copy } from '../../parts/copy.js';
import { ApprovedBy } from '../../parts/given-approval.js';
import { Page } from '../../parts/page.js';
import { SameCommand } from '../../parts/same-command.js';
import { Deprecated, Standing } from '../../parts/standing.js';
import { Bones, Empty, Trouble } from '../../parts/states.js';
import { Tabs } from '../../parts/tabs.js';
import { Chain } from './chain.js';
import { Conflict } from './conflict.js';
import { Deprecations, useContent } from './deprecations.js';
import { EventsOf, Objects } from './object.js';
import { OwnCommand } from './own-command.js';
import { Retry } from './retry.js';
import { RollBack } from './roll-back.js';
import { Newer, Timeline } from './why.js';

type Place = Readonly<{ cluster: string; namespace: string; name: string; kind: string; id: string }>;

function placeOf(params: Record<string, string>): Place {
  const { cluster = '', namespace = '', name = '' } = params;
  return namespace === ''
    ? { cluster, namespace, name, kind: 'ClusterExtension', id: `extension/${name}` }
    : { cluster, namespace, name, kind: 'Subscription', id: `subscription/${namespace}/${name}` };
}

export default function OperatorPage() {
  const place = placeOf(useRoute().params);
  const { cluster, namespace, name, kind } = place;
  const list = useLoaded<OperatorList>(rowPaths.operator(cluster, place.id));
  const row = list.data?.items[0];
  const inCluster = useLoaded<ClusterList>(rowPaths.cluster(cluster)).data?.items[0];
  const explained = useQuestion<Explanation>(row && 'explain', { cluster, kind, namespace, name }, row?.updatedAt);
  return (
    <Page
      title={`${row?.package ?? name} in ${cluster}`}
      heading={row?.package ?? name}
      asOf={list.data?.asOf}
      above={
        <>
          <a href={paths.cluster(cluster)}>{cluster}</a> / <span>{namespace || 'extensions'}</span> /{' '}
          <span>{name}</span>
        </>
      }
      note={row && <HeadNote of={row} />}
    >
      {list.refusal && <Trouble refusal={list.refusal} since={list.failingSince} renew={list.renew} />}
      {list.data === undefined && !list.refusal && <Bones />}
      {list.data !== undefined && row === undefined && <Gone of={place} />}
      {row && <Shown row={row} place={place} explained={explained} />}
      {row && inCluster && <SameCommand command={explainCommand(place)} in={inCluster} />}
    </Page>
  );
}

const short = (bundle: string, name: string): string =>
  bundle.startsWith(`${name}.`) ? bundle.slice(name.length + 1) : bundle;

/** Shows the upgrade path: the running, the next and the newest version. Only a version that runs is bold. */
function HeadNote({ of }: { of: OperatorRow }) {
  const running = runningBundle(of);
  const way = [running, of.installed, of.next, of.newest].filter(
    (bundle, at, all) => bundle !== '' && all.indexOf(bundle) === at,
  );
  return (
    <>
      <Standing of={of.standing} />
      <span class="way" title="running, next, newest in the channel">
        {running === '' && <span class="pale">nothing runs{way.length > 0 && ' → '}</span>}
        {way.map((bundle, index) => (
          <span key={bundle}>
            {index > 0 && <span class="pale"> → </span>}
            {bundle === running ? <strong>{short(bundle, of.package)}</strong> : short(bundle, of.package)}
          </span>
        ))}
      </span>
      {of.deprecated && <Deprecated />}
    </>
  );
}

type ShownProps = { row: OperatorRow; place: Place; explained: Question<Explanation> };

function Shown({ row, place, explained }: ShownProps) {
  const [query] = useQuery();
  const view = query['view'] ?? 'why';
  const tabs = [
    { view: 'why', title: 'Causes' },
    ...(explained.data?.conflict || view === 'conflict' ? [{ view: 'conflict', title: 'Conflict' }] : []),
    { view: 'object', title: 'Object' },
    { view: 'events', title: 'Events' },
    { view: 'changes', title: 'Changes' },
  ];
  return (
    <>
      <Chain of={explained.data?.chain ?? operatorChain(row)} />
      <div class="tabs-line">
        <Tabs tabs={tabs} label="About this operator" />
        <GraphLink of={row} />
        {row.planHash !== '' && row.fleet !== undefined && (
          <a class="button primary" href="/rollouts" title={`Rollouts of ${row.fleet} decide about the plan`}>
            Rollouts
          </a>
        )}
        {row.planHash !== '' && row.fleet === undefined && (
          <a class="button primary" href={paths.review(row.planHash)}>
            Review the plan
          </a>
        )}
        <Copy text={location.href} label="Copy link" />
      </div>
      {view === 'why' && <Why {...{ row, place, explained }} />}
      {view === 'conflict' && <Conflict of={explained} />}
      {view === 'object' && <Objects of={row} place={place} />}
      {view === 'events' && <EventsOf of={place} />}
      {view === 'changes' && <Timeline of={place} limit="100" />}
    </>
  );
}

const explainCommand = ({ kind, namespace, name }: Place): string =>
  namespace === ''
    ? `flotilla explain ${kind.toLowerCase()} ${shellWord(name)}`
    : `flotilla explain ${kind.toLowerCase()} ${shellWord(name)} -n ${shellWord(namespace)}`;

function Why({ row, place, explained }: ShownProps) {
  const { data, refusal, ask } = explained;
  const cause = data?.cause ?? row.cause;
  return (
    <>
      {refusal && <Trouble refusal={refusal} since={undefined} renew={ask} />}
      {refusal && refusal.status >= 500 && (
        <OwnCommand cluster={place.cluster} lead="With your own rights" command={explainCommand(place)} />
      )}
      <Because
        cause={cause?.text}
        standing={row.standing}
        because={data?.because ?? []}
        since={row.since}
        stillRuns={data === undefined ? row.stillRuns : data.stillRuns}
        todo={row.cause?.todo}
        advice={data?.advice}
      />
      {data?.approval && <ApprovedBy of={data.approval} />}
      {data?.conflict && (
        <p>
          <a href="?view=conflict">Show the conflict as a picture</a>
        </p>
      )}
      <Deprecations of={row} />
      {data === undefined && !refusal && <Bones lines={4} />}
      <Retry of={row} />
      {data && <Newer of={data.newer} />}
      {data && <RollBack of={row} revisions={data.revisions} />}
      <Timeline of={place} limit="8" />
    </>
  );
}

function GraphLink({ of }: { of: OperatorRow }) {
  const found = useContent(of);
  if (found === undefined) return null;
  const path = paths.catalogPackage(found.id, of.package);
  return (
    <a class="button" href={withQuery(path, { view: 'graph', from: of.installed, cluster: of.cluster })}>
      Graph
    </a>
  );
}

function Gone({ of }: { of: Place }) {
  return (
    <>
      <Empty title={`${of.kind} ${of.name} is not in ${of.cluster} now.`}>
        <p>Its last changes stand below.</p>
      </Empty>
      <Timeline of={of} limit="50" />
    </>
  );
}
