import { CHANGES, type ChangeKind } from '../../../kernel/api/fleet/fleet-strategy.js';
import { boundVotes, classState } from '../../review/class-approval.js';
import type { Draft } from './draft.js';
import { ROLLBACK_CLASS } from './returns.js';
import type { ClassStatus } from './rollout-state.js';

/**
 * Adds the classes of new plans, and decides for every class if it may start. Clusters of a class have the
 * same plan, but it may change more in one cluster than in another. A class therefore has the changes of all
 * its clusters. No cluster passes an approval rule because of another cluster's changes. A new kind of change
 * makes the approvals of its class lapse.
 */
export function settleClasses(clusters: Iterable<string>, draft: Draft): void {
  const { facts } = draft;
  let classes = draft.status.classes;
  for (const cluster of clusters) {
    const plan = facts.plan(cluster);
    const row = draft.row(cluster);
    if (plan?.state !== 'Planned' || row?.phase !== 'Waiting' || facts.role === 'frozen') continue;
    // Nothing must be done there, and so nothing must be approved.
    if (plan.isUpToDate && row.attempt === 0 && !row.isRetry) continue;
    classes = withPlan(classes, plan, draft);
  }
  const settled = classes.map((one) => ({ ...one, state: stateOf(one, draft) }));
  if (settled.some((one, at) => !isSameClass(one, draft.status.classes[at]))) draft.setStatus({ classes: settled });
}

function withPlan(
  classes: readonly ClassStatus[],
  plan: Readonly<{ class: string; changes: readonly ChangeKind[] }>,
  draft: Draft,
): readonly ClassStatus[] {
  const known = classes.find(({ name }) => name === plan.class);
  if (known === undefined) return withClass(classes, plan.class, plan.changes, draft);
  if (plan.changes.every((kind) => known.changes.includes(kind))) return classes;
  const changes = CHANGES.filter((kind) => known.changes.includes(kind) || plan.changes.includes(kind));
  const votes = boundVotes(known.votes, known.changes);
  return classes.map((one) => (one === known ? { ...known, changes, votes } : one));
}

/** Adds the class of returns once a cluster is chosen to roll back, or would be without a rule. */
export function addRollbackClass(draft: Draft): void {
  const isThere = draft.status.classes.some(({ name }) => name === ROLLBACK_CLASS);
  if (isThere || draft.sum.returnsDue + draft.sum.stuck === 0) return;
  draft.setStatus({ classes: withClass(draft.status.classes, ROLLBACK_CLASS, ['Rollback'], draft) });
}

function withClass(
  classes: readonly ClassStatus[],
  name: string,
  changes: readonly ChangeKind[],
  draft: Draft,
): readonly ClassStatus[] {
  const added = { name, changes, votes: [] };
  return [...classes, { ...added, state: stateOf(added, draft) }];
}

const stateOf = ({ changes, votes }: Omit<ClassStatus, 'state'>, { spec, now }: Draft): ClassStatus['state'] =>
  classState(changes, spec.strategy.approval, votes, now);

const isSameClass = (a: ClassStatus, b: ClassStatus | undefined): boolean =>
  a.changes === b?.changes && isSame(a.state, b?.state);

const isSame = (a: ClassStatus['state'], b: ClassStatus['state'] | undefined): boolean =>
  a.phase === b?.phase && a.reason === b.reason && a.until === b.until;
