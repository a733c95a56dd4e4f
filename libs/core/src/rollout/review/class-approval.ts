import type { ApprovalRule, ApprovalSpec, ChangeKind } from '../../kernel/api/fleet/fleet-strategy.js';
import { durationMs } from '../placement/waves.js';

type ClassPhase = 'NotNeeded' | 'Waiting' | 'Approved' | 'Rejected' | 'Denied';
/** `Lapsed`: it was approved before it changed as much as it does now. */
type ClassReason = 'Auto' | 'Manual' | 'Partly' | 'Expired' | 'Lapsed' | 'Decision' | 'Rule';
/** The state of a plan class: if its clusters may start, and until when an approval counts. */
export type ClassState = Readonly<{ phase: ClassPhase; reason: ClassReason; until?: number }>;

export type Author = Readonly<{ user: string; groups: readonly string[] }>;
/** An approval or a rejection that was effective. */
export type ClassVote = Readonly<{
  by: Author;
  at: number;
  approves: boolean;
  /** The kinds of change of the class when it was cast. Absent: those that the class has now. */
  changes?: readonly ChangeKind[];
}>;

/** Binds the votes of a class to the kinds of change that it has, since it is about to get more of them. */
export const boundVotes = (votes: readonly ClassVote[], changes: readonly ChangeKind[]): readonly ClassVote[] =>
  votes.map((vote) => (vote.changes === undefined ? { ...vote, changes } : vote));

/** Returns the votes without approvals that did not know of every kind of change: they have lapsed. */
export const countedVotes = (votes: readonly ClassVote[], changes: readonly ChangeKind[]): readonly ClassVote[] =>
  votes.filter(({ approves, changes: shown }) => !approves || changes.every((kind) => shown?.includes(kind) ?? true));

const ANY_USER: Omit<ApprovalRule, 'changes' | 'action'> = { groups: [], min: 1, validFor: '168h' };

type Demand = Readonly<{ denied: boolean; manual: readonly Pick<ApprovalRule, 'groups' | 'min' | 'validFor'>[] }>;

/** Returns a strategy's demands on a class. The strictest rule applies, and several manual ones all apply. */
function demandOf(changes: readonly ChangeKind[], approval: ApprovalSpec | undefined): Demand {
  const found = changes.map((change) => {
    const rule = approval?.rules.find((one) => one.changes.includes(change));
    // A return is approved by itself unless a rule names it.
    const usual = change === 'Rollback' ? 'Auto' : (approval?.default ?? 'Auto');
    return rule ?? { ...ANY_USER, action: usual };
  });
  const manual = [...new Set(found.filter(({ action }) => action === 'Manual'))];
  const isSame = (a: object, b: object): boolean => JSON.stringify(a) === JSON.stringify(b);
  return {
    denied: found.some(({ action }) => action === 'Deny'),
    manual: manual.filter((one, index) => manual.findIndex((other) => isSame(one, other)) === index),
  };
}

/** True if a rule denies the return of any cluster. */
export const deniesReturns = (approval: ApprovalSpec | undefined): boolean => demandOf(['Rollback'], approval).denied;

const counts = (groups: readonly string[], by: Author): boolean =>
  groups.length === 0 || by.groups.some((group) => groups.includes(group));

/** True if a user may approve or reject a class. */
export function mayVote(changes: readonly ChangeKind[], approval: ApprovalSpec | undefined, by: Author): boolean {
  const { manual } = demandOf(changes, approval);
  return manual.length === 0 || manual.some(({ groups }) => counts(groups, by));
}

/**
 * The state of a class. A rejection voids the approvals before it, an approval the rejections. An approval
 * counts for the kinds of change that the class had then.
 */
export function classState(
  changes: readonly ChangeKind[],
  approval: ApprovalSpec | undefined,
  votes: readonly ClassVote[],
  now: number,
): ClassState {
  const { denied, manual } = demandOf(changes, approval);
  if (denied) return { phase: 'Denied', reason: 'Rule' };
  const lastRejection = votes.findLastIndex(({ approves }) => !approves);
  if (lastRejection >= 0 && lastRejection === votes.length - 1) return { phase: 'Rejected', reason: 'Decision' };
  if (manual.length === 0) return { phase: 'NotNeeded', reason: 'Auto' };
  const given = votes.slice(lastRejection + 1);
  const approvals = countedVotes(given, changes);
  const held = manual.map(({ groups, min, validFor }) => heldUntil(approvals, groups, min, durationMs(validFor)));
  const until = Math.min(...held);
  if (until > now) return { phase: 'Approved', reason: 'Decision', until };
  if (approvals.length === 0) return { phase: 'Waiting', reason: given.length === 0 ? 'Manual' : 'Lapsed' };
  const valid = manual.some(({ groups, validFor }) =>
    approvals.some(({ by, at }) => counts(groups, by) && at + durationMs(validFor) > now),
  );
  const next = Math.min(...expiries(approvals, manual).filter((time) => time > now));
  const state = { phase: 'Waiting', reason: valid ? 'Partly' : 'Expired' } as const;
  return Number.isFinite(next) ? { ...state, until: next } : state;
}

/**
 * Returns users who have approved since the last rejection, each once. A vote may be cast, or be read, again.
 */
export const approversOf = (votes: readonly ClassVote[]): string[] => [
  ...new Set(votes.slice(votes.findLastIndex(({ approves }) => !approves) + 1).map(({ by }) => by.user)),
];

/** The demand of one rule on a class, and the users with an approval that counts now. */
export type ApprovalDemand = Readonly<{
  /** Groups with members who may approve. Empty: everybody with the right to. */
  groups: readonly string[];
  min: number;
  approvedBy: readonly string[];
}>;

/** Returns every rule that a class must satisfy, with the users behind the approvals that count now. */
export function approvalDemands(
  changes: readonly ChangeKind[],
  approval: ApprovalSpec | undefined,
  votes: readonly ClassVote[],
  now: number,
): readonly ApprovalDemand[] {
  const given = votes.slice(votes.findLastIndex(({ approves }) => !approves) + 1);
  const approvals = countedVotes(given, changes);
  return demandOf(changes, approval).manual.map(({ groups, min, validFor }) => {
    const valid = approvals.filter(({ by, at }) => counts(groups, by) && at + durationMs(validFor) > now);
    return { groups, min, approvedBy: [...new Set(valid.map(({ by }) => by.user))] };
  });
}

/** Until when a rule is satisfied by the newest approvals of different users. */
function heldUntil(approvals: readonly ClassVote[], groups: readonly string[], min: number, validFor: number): number {
  const newest = new Map<string, number>();
  for (const { by, at } of approvals) if (counts(groups, by)) newest.set(by.user, at + validFor);
  return [...newest.values()].sort((a, b) => b - a)[min - 1] ?? Number.NEGATIVE_INFINITY;
}

const expiries = (approvals: readonly ClassVote[], manual: Demand['manual']): number[] =>
  manual.flatMap(({ groups, validFor }) =>
    approvals.filter(({ by }) => counts(groups, by)).map(({ at }) => at + durationMs(validFor)),
  );
