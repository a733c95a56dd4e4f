import { useRoute } from 'preact-iso';
import { shellWord } from '#core/kernel/text/shell-word';
import type { ChangeList, PlanClassList } from '../../../src/api/lists.schema.js';
import type { ReviewAnswer, ReviewGroup } from '../../../src/api/questions.schema.js';
import { useAction } from '../../live/act.js';
import { exactly, rowPaths, withQuery } from '../../live/address.js';
import { useLoaded } from '../../live/loaded.js';
import { useQuery } from '../../live/query.js';
import { useQuestion } from '../../live/question.js';
import { counted, timeOfDay } from '../../live/times.js';
import { ChangeLines, MoreChanges } from '../../parts/change-lines.js';
import { Moves, moveText } from '../../parts/moves.js';
import { Page, Section } from '../../parts/page.js';
import { Risks } from '../../parts/risks.js';
import { SameCommand } from '../../parts/same-command.js';
import { Bones, Empty, Trouble } from '../../parts/states.js';
import { Touches } from '../../pictures/touches.js';
import { ApproveBar, type ChosenPlans } from './approve.js';
import { Differences } from './differences.js';
import { useDraft } from './draft.js';
import { Members } from './members.js';
import { addressOf } from './plan-address.js';

/** A class of plans, compared with each of its clusters, and approved in one step. */
export default function ReviewPage() {
  const hash = useRoute().params['hash'] ?? '';
  const classes = useLoaded<PlanClassList>(rowPaths.planClass(hash));
  const review = useQuestion<ReviewAnswer>('review', { hash });
  const summary = classes.data?.items[0];
  const moves = review.data?.moves ?? summary?.moves ?? [];
  return (
    <Page
      class="review"
      title={moves.length === 0 ? 'Review' : `Review ${moveText(moves)}`}
      heading={moves.length === 0 ? 'Review' : <Moves of={moves} />}
      asOf={classes.data?.asOf}
      above={<a href="/approvals">Approvals</a>}
      note={summary && <Risks of={summary} />}
    >
      {review.refusal && <Trouble refusal={review.refusal} since={undefined} renew={review.ask} />}
      {review.data === undefined && !review.refusal && <Bones lines={10} />}
      {review.data && (
        <Reviewed
          of={review.data}
          isOver={classes.data !== undefined && summary === undefined}
          shared={summary?.shared ?? false}
        />
      )}
      <Approved hash={hash} />
      {review.data && <DryRun of={review.data} />}
    </Page>
  );
}

/** The plans of a class have one name. The command prints them and approves none. */
function DryRun({ of }: { of: ReviewAnswer }) {
  const plan = of.groups.flatMap(({ members }) => members)[0];
  if (plan === undefined) return null;
  const named = `${shellWord(plan.name)} -n ${shellWord(plan.namespace)}`;
  return <SameCommand command={`flotilla approve installplan ${named} --all-clusters --dry-run`} />;
}

/** Shows earlier approvals of this class: person, time, place and reason. */
function Approved({ hash }: { hash: string }) {
  const changes = useLoaded<ChangeList>(withQuery('changes', { ...exactly({ hash }), limit: '200' }));
  const [first] = changes.data?.items ?? [];
  if (changes.data === undefined || first === undefined) return null;
  // A plan has one entry for each operator that it moves.
  const items = changes.data.items.filter((one) => one.package === first.package);
  return (
    <Section title="Previous approvals">
      <ChangeLines items={items} />
      <MoreChanges total={changes.data.total} shown={changes.data.items.length} query={exactly({ hash })} />
    </Section>
  );
}

/** Shows the review. `isOver`: no plan of the class waits any more. Plans approved here stay visible. */
function Reviewed({ of, isOver, shared }: { of: ReviewAnswer; isOver: boolean; shared: boolean }) {
  const [query] = useQuery();
  const action = useAction();
  const draft = useDraft(of, action.answer !== undefined);
  const group = of.groups.find(({ key }) => key === query['group']) ?? of.groups[0];
  if (group === undefined || (isOver && !action.busy && action.answer === undefined)) return <NoGroup of={of} />;
  return (
    <>
      <Groups of={of} open={group} />
      {of.moves.length > 1 && (
        <p class="notice">
          This plan moves {counted(of.moves.length, 'operator')}: <Moves of={of.moves} all />
        </p>
      )}
      <div class="columns wide-left">
        <Section title="What changes in each cluster">
          <Differences of={group} />
        </Section>
        <Section title="Clusters">
          <Members
            of={group}
            unchecked={of.unchecked}
            chosen={draft.chosen}
            onChoose={(chosen) => draft.write({ chosen })}
            results={action.answer?.results}
          />
        </Section>
      </div>
      <Touches of={group.touches} shared={shared} />
      {of.groups.some(({ members }) => members.some(({ mayApprove }) => mayApprove)) ? (
        <ApproveBar
          of={chosenOf(of, draft.chosen)}
          comment={draft.comment}
          onComment={(comment) => draft.write({ comment })}
          action={action}
        />
      ) : (
        <p class="notice">You may look at this plan. Approving it needs the role approver.</p>
      )}
    </>
  );
}

/** Returns the ticked plans of a review. Differences of all groups count: the dialog repeats their risks. */
function chosenOf({ hash, moves, groups }: ReviewAnswer, chosen: ReadonlySet<string>): readonly ChosenPlans[] {
  const targets = groups
    .flatMap(({ members }) => members)
    .filter((member) => chosen.has(addressOf(member)))
    .map(({ cluster, namespace, name }) => ({ cluster, namespace, name }));
  const differences = groups.flatMap((group) => group.differences);
  return targets.length === 0 ? [] : [{ hash, moves, targets, differences }];
}

/** Members that would change alike stand together: here a drifted cluster is seen. */
function Groups({ of, open }: { of: ReviewAnswer; open: ReviewGroup }) {
  const [query] = useQuery();
  const all = of.groups.reduce((sum, { members }) => sum + members.length, 0);
  if (of.groups.length === 1) {
    return (
      <p class="lead">
        {all === 1 ? 'One cluster' : `Same changes in all ${counted(all, 'cluster')}`}
        <span class="pale"> · compared at {timeOfDay(of.checkedAt)}</span>
      </p>
    );
  }
  return (
    <div class="groups">
      <p class="lead">
        {counted(all, 'cluster')} with {counted(of.groups.length, 'variant')} of the change
        <span class="pale"> · compared at {timeOfDay(of.checkedAt)}</span>
      </p>
      <nav class="chips" aria-label="Groups with the same changes">
        {of.groups.map(({ key, members }, index) => (
          <a
            key={key}
            class="chip"
            aria-current={key === open.key ? 'true' : undefined}
            href={withQuery('', { ...query, group: key })}
          >
            Group {index + 1}: {counted(members.length, 'cluster')}
          </a>
        ))}
      </nav>
    </div>
  );
}

function NoGroup({ of }: { of: ReviewAnswer }) {
  if (of.unchecked.length > 0) {
    return (
      <Empty title={`${counted(of.unchecked.length, 'cluster')} could not be compared.`}>
        <ul>
          {of.unchecked.map((one) => (
            <li key={addressOf(one)}>
              {one.cluster}: {one.why}
            </li>
          ))}
        </ul>
      </Empty>
    );
  }
  return (
    <Empty title="No plan of this class is waiting.">
      <p>
        It was approved, replaced or withdrawn. <a href="/changes">Changes</a> lists the later events.
      </p>
    </Empty>
  );
}
