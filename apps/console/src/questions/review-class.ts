import { z } from 'zod';
import { byCodeUnit, canonicalHash } from '#core/kernel/canonical/canonical-json';
import type { ConsoleQuestion, QuestionAnswer } from '#core/view/questions/console-question';
import type { PlanRow } from '#core/view/rows/rows';
import { inParallel } from '#platform/fairness/in-parallel';
import { Difference, type ReviewAnswer, type ReviewGroup, type Touch } from '../api/questions.schema.js';
import { groupTouches, MemberTouches, type SeenOthers } from './class-touches.js';

const AT_ONCE = 32;

/** A poller's answer to `review`. */
const MemberReview = z.strictObject({
  differences: z.array(Difference),
  unchanged: z.int(),
  hash: z.string(),
  waits: z.boolean(),
  /** Absent in answers of an earlier release. */
  touches: MemberTouches.optional(),
});
type Member = ReviewGroup['members'][number];
type Reviewed = Readonly<{ member: Member; review: z.infer<typeof MemberReview> } | { member: Member; why: string }>;

type ReviewOptions = Readonly<{
  hash: string;
  /** Those of the hash that wait and that the person may see. */
  plans: readonly PlanRow[];
  mayApprove: (plan: PlanRow) => boolean;
  others: SeenOthers;
  ask: (question: ConsoleQuestion) => Promise<QuestionAnswer>;
  now: Date;
}>;

/** A class of plans, compared with each of its clusters: members that change alike are one group. */
export async function reviewClass({ hash, plans, mayApprove, others, ask, now }: ReviewOptions): Promise<ReviewAnswer> {
  const reviewed = await inParallel(plans, AT_ONCE, async (plan): Promise<Reviewed> => {
    const { cluster, namespace, name } = plan;
    const member = { cluster, namespace, name, mayApprove: mayApprove(plan) };
    const answer = await ask({ v: 1, ask: 'review', cluster, namespace, name });
    if ('because' in answer) return { member, why: answer.message };
    const { data: review } = MemberReview.safeParse(answer.answer);
    if (review === undefined) return { member, why: 'the answer could not be read; is the poller of another release?' };
    // Another plan is another class, and is reviewed there.
    if (review.hash !== hash || !review.waits) return { member, why: 'its plan changed meanwhile' };
    return { member, review };
  });
  const moves = plans[0]?.moves ?? [];
  return {
    hash,
    moves,
    groups: groupsOf(reviewed, (members) => groupTouches(members, moves, others)),
    unchecked: reviewed.flatMap((one) => ('why' in one ? [uncheckedOf(one)] : [])),
    checkedAt: now.toISOString(),
  };
}

const uncheckedOf = ({ member: { cluster, namespace, name }, why }: Readonly<{ member: Member; why: string }>) => ({
  ...{ cluster, namespace, name, why },
});

const byPlace = (a: Member, b: Member): number =>
  byCodeUnit(a.cluster, b.cluster) || byCodeUnit(a.namespace, b.namespace) || byCodeUnit(a.name, b.name);

/** The largest group first. */
function groupsOf(
  reviewed: readonly Reviewed[],
  touchesOf: (members: Parameters<typeof groupTouches>[0]) => Touch[],
): ReviewGroup[] {
  const compared = reviewed.flatMap((one) => ('review' in one ? [one] : []));
  const byContent = Map.groupBy(compared, ({ review: { differences, unchanged } }) =>
    canonicalHash({ differences, unchanged }),
  );
  return [...byContent]
    .flatMap(([key, [first, ...others]]) => {
      if (first === undefined) return [];
      const { differences, unchanged } = first.review;
      const all = [first, ...others];
      const members = all.map(({ member }) => member).toSorted(byPlace);
      const told = all.flatMap(({ member: { cluster }, review: { touches } }) =>
        touches ? [{ cluster, touches }] : [],
      );
      return [{ key, members, differences, unchanged, ...(told.length > 0 && { touches: touchesOf(told) }) }];
    })
    .toSorted((a, b) => b.members.length - a.members.length || byCodeUnit(a.key, b.key));
}
