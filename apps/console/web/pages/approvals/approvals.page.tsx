import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import type { PlanClassList, PlanClassSummary } from '../../../src/api/lists.schema.js';
import { List } from '../../list/list.js';
import type { Selecting } from '../../list/selection.js';
import type { Column } from '../../list/table.js';
import { paths, withQuery } from '../../live/address.js';
import { allRows } from '../../live/all-rows.js';
import { type AskFailure, refusalFrom } from '../../live/ask.js';
import { useLoaded } from '../../live/loaded.js';
import type { Query } from '../../live/query.js';
import { me } from '../../live/session.js';
import { count, counted } from '../../live/times.js';
import { MoveLine, moveText } from '../../parts/moves.js';
import { Page, Section } from '../../parts/page.js';
import { Risks } from '../../parts/risks.js';
import { SameCommand } from '../../parts/same-command.js';
import { Empty, Trouble } from '../../parts/states.js';
import { Ago } from '../../parts/text.js';

const COLUMNS: readonly Column<PlanClassSummary>[] = [
  {
    key: 'moves',
    title: 'What changes',
    width: 'minmax(140px, 3fr)',
    sort: 'package',
    place: 'title',
    cell: ({ hash, moves }) => (
      <a class="cut" href={paths.review(hash)} tabIndex={-1} title={moveText(moves)}>
        <MoveLine of={moves} />
      </a>
    ),
  },
  {
    key: 'review',
    title: 'Review',
    width: 'minmax(110px, 1.5fr)',
    sort: 'change',
    place: 'note',
    cell: (row) => <Risks of={row} />,
  },
  {
    key: 'clusters',
    title: 'Clusters',
    width: '96px',
    sort: 'clusters',
    number: true,
    place: 'mark',
    cell: ({ clusters }) => counted(clusters, 'cluster'),
  },
  {
    key: 'plans',
    title: 'Plans',
    width: '56px',
    sort: 'plans',
    number: true,
    place: 'gone',
    cell: ({ plans }) => count(plans),
  },
  {
    key: 'yours',
    title: 'Yours',
    width: '56px',
    number: true,
    place: 'gone',
    cell: ({ mayApprove }) => (mayApprove === 0 ? '–' : count(mayApprove)),
  },
  {
    key: 'oldest',
    title: 'Oldest',
    width: '64px',
    sort: 'oldest',
    number: true,
    place: 'gone',
    cell: ({ oldest }) => <Ago time={oldest} />,
  },
];

const NONE = (
  <Empty title="No plan waits for approval.">
    <p>
      Plans of Subscriptions with <code>installPlanApproval: Manual</code> appear here.
    </p>
  </Empty>
);

/** Plans that wait, equal ones as one class: filtered, sorted, and several reviewed together. */
export default function ApprovalsPage() {
  const [asOf, setAsOf] = useState('');
  const known = useLoaded<PlanClassList>('plan-classes?limit=1');
  return (
    <Page
      title="Approvals"
      asOf={asOf}
      note={<span class="pale">Plans that do the same are one class. A review compares each with its cluster.</span>}
    >
      <List<PlanClassSummary>
        label="Plan classes"
        noun="class"
        nouns="classes"
        resource="plan-classes"
        filters={['q', 'package', 'change', 'risk', 'cluster']}
        columns={COLUMNS}
        href={({ hash }) => paths.review(hash)}
        keyOf={({ hash }) => hash}
        empty={NONE}
        onList={(list) => setAsOf(list.asOf)}
        {...(me.value?.may.approve && {
          selected: (of: Selecting<PlanClassSummary>, asked: Query) => <Selected of={of} asked={asked} />,
        })}
      />
      {known.data && <OfFleet of={known.data.fleet} />}
      <SameCommand command="flotilla get installplans" />
    </Page>
  );
}

/** Most classes of one review: each of their plans is compared with its cluster. */
const MOST_CLASSES = 20;

type SelectedProps = Readonly<{ of: Selecting<PlanClassSummary>; asked: Query }>;

/** Leads to one review of all the selected classes. */
function Selected({ of, asked }: SelectedProps) {
  const { route } = useLocation();
  const [refusal, setRefusal] = useState<AskFailure>();
  if (of.count === 0) return null;
  const tooMany = of.count > MOST_CLASSES;
  const open = async () => {
    try {
      const matched = of.all
        ? await allRows<PlanClassSummary>(withQuery('plan-classes', asked))
        : [...of.rows.values()];
      const chosen = matched.filter(of.has).map(({ hash }) => hash);
      route(paths.reviewTogether(chosen));
    } catch (error) {
      setRefusal(refusalFrom(error));
    }
  };
  return (
    <>
      {refusal && <Trouble refusal={refusal} since={undefined} />}
      <p class="act-bar">
        <span role="status" class="selected">
          {counted(of.count, 'class', 'classes')} selected
          {tooMany && `: at most ${MOST_CLASSES} can be reviewed together`}
        </span>
        <button type="button" class="primary" disabled={tooMany} onClick={() => void open()}>
          Review together…
        </button>
        <button type="button" class="plain" onClick={of.clear}>
          Select none
        </button>
      </p>
    </>
  );
}

/** Counts plans that are not approved on this page, and links the page for them. */
function OfFleet({ of }: { of: PlanClassList['fleet'] }) {
  if (of.plans === 0) return null;
  return (
    <Section title="Decided by rollouts">
      <p>
        {counted(of.plans, 'plan')} of Subscriptions that the fleet works: a rollout approves each of them in its wave,
        after its own approvals, and none that was taken back. See <a href="/rollouts">Rollouts</a>.
      </p>
      <table class="rows">
        <thead>
          <tr>
            <th scope="col">FleetOperator</th>
            <th scope="col" class="number">
              Clusters
            </th>
            <th scope="col" class="number">
              Plans
            </th>
          </tr>
        </thead>
        <tbody>
          {of.operators.map(({ operator, clusters, plans }) => (
            <tr key={operator}>
              <th scope="row" class="grow">
                {operator}
              </th>
              <td class="number" data-label="clusters">
                {count(clusters)}
              </td>
              <td class="number" data-label="plans">
                {count(plans)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Section>
  );
}
