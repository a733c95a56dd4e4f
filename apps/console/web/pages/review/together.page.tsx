import { useState } from 'preact/hooks';
import { filterValues } from '#core/kernel/text/filter-values';
import { compareClasses } from '#core/view/questions/compare-classes';
import type { PlanMove } from '#core/view/rows/rows';
import type { ReviewAnswer, Touch } from '../../../src/api/questions.schema.js';
import { useAction } from '../../live/act.js';
import { paths } from '../../live/address.js';
import { useQuery } from '../../live/query.js';
import { count, counted } from '../../live/times.js';
import { Moves, moveText } from '../../parts/moves.js';
import { Page, Section } from '../../parts/page.js';
import { SameCommand } from '../../parts/same-command.js';
import { Bones, Empty, Trouble } from '../../parts/states.js';
import { Touches } from '../../pictures/touches.js';
import { ApproveBar, type ChosenPlans } from './approve.js';
import { DifferenceLines } from './differences.js';
import { Results } from './members.js';
import { type Reviews, useReviews } from './reviews.js';

/** Most classes of one review, and the longest hash of one. */
const MOST = 20;
const LONGEST = 200;

/** Several classes of plans: common and different changes, and one approval for all. */
export default function TogetherPage() {
  const [query] = useQuery();
  const asked = [...new Set(filterValues(query['class'] ?? ''))].filter(
    (hash) => hash !== '' && hash.length <= LONGEST,
  );
  const hashes = asked.slice(0, MOST);
  const reviews = useReviews(hashes);
  return (
    <Page
      class="review"
      title={`Review ${counted(hashes.length, 'class', 'classes')}`}
      above={<a href="/approvals">Approvals</a>}
    >
      {hashes.length === 0 && (
        <Empty title="No class is selected.">
          <p>
            Tick classes on the page <a href="/approvals">Approvals</a>, then review them together.
          </p>
        </Empty>
      )}
      {asked.length > MOST && <p class="notice">Only the first {MOST} classes are shown.</p>}
      {!reviews.isComplete && (
        <>
          <p role="status" class="pale">
            {count(reviews.answers.length)} of {counted(hashes.length, 'class', 'classes')} compared with their clusters
          </p>
          <Bones lines={6} />
        </>
      )}
      {reviews.isComplete && hashes.length > 0 && <Together of={reviews} />}
      <SameCommand command="flotilla get installplans" />
    </Page>
  );
}

/** Plans of the largest variant of a class that the person may approve. Other variants have reviews of their own. */
function plansOf({ hash, moves, groups }: ReviewAnswer): ChosenPlans {
  const [first] = groups;
  const targets = (first?.members ?? [])
    .filter(({ mayApprove }) => mayApprove)
    .map(({ cluster, namespace, name }) => ({ cluster, namespace, name }));
  return { hash, moves, targets, differences: first?.differences ?? [] };
}

function Together({ of }: { of: Reviews }) {
  const action = useAction();
  const [comment, setComment] = useState('');
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const reviews = of.answers.flatMap(({ review }) => review ?? []);
  const shown = reviews.filter(({ hash }) => !left.has(hash));
  const chosen = shown.map(plansOf).filter(({ targets }) => targets.length > 0);
  const toggle = (hash: string) => {
    const next = new Set(left);
    if (!next.delete(hash)) next.add(hash);
    setLeft(next);
  };
  return (
    <>
      {of.answers.map(
        ({ hash, refusal }) => refusal && <Trouble key={hash} refusal={refusal} since={undefined} renew={of.renew} />,
      )}
      <Section title="Classes">
        {action.answer ? (
          <Results of={action.answer.results} noun="plan" />
        ) : (
          <ul class="members">
            {reviews.map((one) => (
              <ClassLine key={one.hash} of={one} ticked={!left.has(one.hash)} onToggle={() => toggle(one.hash)} />
            ))}
          </ul>
        )}
      </Section>
      <Compared of={shown} />
      {chosen.length > 0 || left.size > 0 ? (
        <ApproveBar of={chosen} comment={comment} onComment={setComment} action={action} />
      ) : (
        <p class="notice">No plan of these classes waits for an approval that you may give.</p>
      )}
    </>
  );
}

type ClassLineProps = Readonly<{ of: ReviewAnswer; ticked: boolean; onToggle: () => void }>;

/** A class with its tick, and the plans that are not approved here. */
function ClassLine({ of, ticked, onToggle }: ClassLineProps) {
  const { targets } = plansOf(of);
  const [first, ...variants] = of.groups;
  const others = variants.reduce((sum, { members }) => sum + members.length, 0);
  const foreign = (first?.members.length ?? 0) - targets.length;
  const left = [
    ...(others > 0 ? [`${count(others)} change in another way`] : []),
    ...(foreign > 0 ? [`${count(foreign)} not yours to approve`] : []),
    ...(of.unchecked.length > 0 ? [`${count(of.unchecked.length)} not checked`] : []),
  ];
  return (
    <li class="line-form">
      <label class="tick-line">
        <input
          type="checkbox"
          checked={ticked && targets.length > 0}
          disabled={targets.length === 0}
          onChange={onToggle}
        />
        <span>
          <Moves of={of.moves} /> <span class="pale">{counted(targets.length, 'cluster')}</span>
        </span>
      </label>
      <p class="pale">
        <a href={paths.review(of.hash)}>Review alone</a>
        {left.length > 0 && `: not included: ${left.join(', ')}`}
      </p>
    </li>
  );
}

/** Names the move that brings a definition, as `harbor 1.2.0 → 1.3.0`. */
const moveOf = ({ package: name, bundle }: Touch, moves: readonly PlanMove[]): string => {
  const own = moves.filter(({ to }) => to === bundle);
  return own.length === 0 ? name : moveText(own);
};

/** Shows common and different changes of the classes, and the definitions that they touch. */
function Compared({ of }: { of: readonly ReviewAnswer[] }) {
  const compared = of.filter(({ groups }) => groups.length > 0);
  const { common, some } = compareClasses(compared.map(({ groups }) => groups[0]?.differences ?? []));
  const touches = compared.flatMap(({ groups, moves }) =>
    // Each class has its own definitions: clusters of two classes must not be added up.
    (groups[0]?.touches ?? []).map((one) => ({ ...one, package: moveOf(one, moves) })),
  );
  const isTold = compared.some(({ groups }) => groups[0]?.touches !== undefined);
  const nameOf = (at: number) => moveText(compared[at]?.moves ?? []);
  if (compared.length === 0) return null;
  return (
    <>
      <div class="columns">
        <Section title="Common to all" aside={<span class="pale">{counted(common.length, 'difference')}</span>}>
          {common.length === 0 ? (
            <p class="pale">Nothing is the same in all of them.</p>
          ) : (
            <DifferenceLines of={common} />
          )}
        </Section>
        <Section title="Differs" aside={<span class="pale">{counted(some.length, 'difference')}</span>}>
          {some.length === 0 ? (
            <p class="pale">Nothing: each of them makes the same changes.</p>
          ) : (
            <DifferenceLines
              of={some.map(({ difference }) => difference)}
              noteOf={(at) => some[at]?.classes.map(nameOf).join(', ') ?? ''}
            />
          )}
        </Section>
      </div>
      <Touches of={isTold ? touches : undefined} shared={false} />
    </>
  );
}
