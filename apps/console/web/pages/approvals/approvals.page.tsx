import { useLocation } from 'preact-iso';
import type { PlanClassList, PlanClassSummary } from '../../../src/api/lists.schema.js';
import { Pager, placeIn, WINDOW } from '../../list/pager.js';
import { onRowClick } from '../../list/row-click.js';
import { paths, withQuery } from '../../live/address.js';
import { useLoaded } from '../../live/loaded.js';
import { useQuery } from '../../live/query.js';
import { count, counted } from '../../live/times.js';
import { Moves } from '../../parts/moves.js';
import { Page, Section } from '../../parts/page.js';
import { SameCommand } from '../../parts/same-command.js';
import { Answered, Empty } from '../../parts/states.js';
import { Ago } from '../../parts/text.js';

/** Plans that wait, equal ones as one class. */
export default function ApprovalsPage() {
  const [{ cluster, package: name, q, offset }] = useQuery();
  const at = placeIn(offset);
  const asked = { cluster, package: name, q, limit: String(WINDOW), ...(at > 0 && { offset: String(at) }) };
  const classes = useLoaded<PlanClassList>(withQuery('plan-classes', asked));
  const items = classes.data?.items ?? [];
  const plans = items.reduce((sum, one) => sum + one.plans, 0);
  return (
    <Page
      title="Approvals"
      asOf={classes.data?.asOf}
      note={
        classes.data &&
        items.length > 0 && (
          <span class="pale">
            {counted(classes.data.total, 'class', 'classes')}
            {items.length === classes.data.total && ` · ${counted(plans, 'plan')}`}
          </span>
        )
      }
    >
      <Answered of={classes}>
        {(data) => (
          <>
            {data.items.length === 0 ? (
              <Empty title="No plan waits for approval.">
                <p>
                  Plans of Subscriptions with <code>installPlanApproval: Manual</code> appear here.
                </p>
              </Empty>
            ) : (
              <Classes of={data.items} />
            )}
            <Pager at={at} shown={data.items.length} total={data.total} before="Older" after="Newer" />
            <OfFleet of={data.fleet} />
          </>
        )}
      </Answered>
      <SameCommand command="flotilla get installplans" />
    </Page>
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

export function Risks({ of }: { of: Pick<PlanClassSummary, 'change' | 'crds' | 'rbac' | 'shared'> }) {
  return (
    <span class="risks">
      <span class={`risk ${of.change === 'major' || of.change === 'downgrade' ? 'high' : ''}`}>{of.change}</span>
      {of.crds && <span class="risk high">CRDs</span>}
      {of.rbac && <span class="risk high">permissions</span>}
      {of.shared && <span class="risk high">shared</span>}
    </span>
  );
}

function Classes({ of }: { of: readonly PlanClassSummary[] }) {
  const { route } = useLocation();
  return (
    <>
      <p class="pale">Plans that do the same are one class. A review compares each of them with its cluster.</p>
      <table class="rows">
        <thead>
          <tr>
            <th scope="col">What changes</th>
            <th scope="col">Review</th>
            <th scope="col" class="number">
              Clusters
            </th>
            <th scope="col" class="number">
              Plans
            </th>
            <th scope="col" class="number">
              Oldest
            </th>
          </tr>
        </thead>
        <tbody>
          {of.map((one) => (
            <tr key={one.hash} onClick={onRowClick(() => route(paths.review(one.hash)))}>
              <th scope="row" class="grow">
                <a href={paths.review(one.hash)}>
                  <Moves of={one.moves} />
                </a>
              </th>
              <td>
                <Risks of={one} />
              </td>
              <td class="number" data-label="clusters">
                {count(one.clusters)}
              </td>
              <td class="number" data-label="plans">
                {count(one.plans)}
              </td>
              <td class="number" data-label="oldest">
                <Ago time={one.oldest} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}
