import type { DecisionAction } from '../../../kernel/api/fleet/fleet-decision.js';
import type { ChangeKind } from '../../../kernel/api/fleet/fleet-strategy.js';
import { byCodeUnit } from '../../../kernel/canonical/canonical-json.js';
import type { Author } from '../../review/class-approval.js';
import { deniesReturns, mayVote } from '../../review/class-approval.js';
import type { Draft } from './draft.js';
import type { RolloutFacts } from './facts.js';
import { isFinal } from './phases.js';
import { chosenToReturn } from './returns.js';
import { hasChanges, resume } from './rollout-moves.js';
import type { RolloutSpec, RolloutStatus, RolloutView } from './rollout-state.js';
import { isChanged, type RolloutRow } from './row.js';
import { skippedByDecision, waitingAgain } from './row-moves.js';
import { openWave } from './wave-moves.js';
import { retryRefusal } from './withdrawn.js';

/** A user's decision about a rollout. */
export type Decision = Readonly<{
  rollout: string;
  action: DecisionAction;
  class: string | null;
  /** The kinds of change that the class was shown with; absent: that is not known. */
  changes?: readonly ChangeKind[] | undefined;
  wave: string | null;
  clusters: readonly string[];
  by: Author;
  at: number;
  reason: string;
  expiresAt: number | undefined;
}>;

export type DecisionReason =
  | 'Effective'
  | 'NotAllowed'
  | 'NotApplicable'
  | 'UnknownRollout'
  | 'UnknownClass'
  | 'UnknownWave'
  | 'UnknownCluster'
  | 'Expired';

/** Effects of a decision outside the rollout. */
export type DecisionEffects = Readonly<{
  reason: DecisionReason;
  /** The reason why it has no effect, if neither `reason` nor the rollout's phase says it. */
  message?: string;
  /** True if a rollout of the same target is created again. */
  isNewRollout: boolean;
}>;

const refused = (reason: DecisionReason): DecisionEffects => ({ reason, isNewRollout: false });
const EFFECTIVE: DecisionEffects = { reason: 'Effective', isNewRollout: false };

/** Carries a decision out on the draft, or says why it has no effect. */
export function applyDecision(decision: Decision, draft: Draft): DecisionEffects {
  const { spec, status } = draft;
  if (decision.expiresAt !== undefined && decision.expiresAt <= draft.now) return refused('Expired');
  if (decision.class !== null && !status.classes.some(({ name }) => name === decision.class)) {
    return refused('UnknownClass');
  }
  if (decision.wave !== null && !spec.waves.some(({ name }) => name === decision.wave)) return refused('UnknownWave');
  if (decision.clusters.some((cluster) => draft.row(cluster) === undefined)) return refused('UnknownCluster');
  return HANDLERS[decision.action](decision, draft) ?? refused('NotApplicable');
}

const NOT_ROLLED_BACK: ReadonlySet<string> = new Set(['Superseded', 'Planning']);

type Handler = (decision: Decision, draft: Draft) => DecisionEffects | undefined;

const HANDLERS: Readonly<Record<DecisionAction, Handler>> = {
  Approve: (decision, draft) => vote(decision, draft, true),
  Reject: (decision, draft) => vote(decision, draft, false),
  Pause: (_, draft) => {
    const { phase } = draft.status;
    if (phase !== 'Planning' && phase !== 'Progressing') return undefined;
    if (draft.status.isAborting || draft.status.reason === 'Queued') return undefined;
    draft.setStatus({ phase: 'Paused', reason: 'Decision' });
    return EFFECTIVE;
  },
  Resume: (_, draft) => resumeByDecision(draft),
  Promote: (decision, draft) => promote(decision, draft),
  Retry: (decision, draft) => retry(decision, draft),
  Skip: (decision, draft) => skip(decision, draft),
  Abort: (_, draft) => abort(draft),
  Rollback: (decision, draft) => rollBack(decision, draft),
  BreakGlass: (decision, draft) => breakGlass(decision, draft),
};

function vote(
  { class: name, changes: shown, by }: Decision,
  draft: Draft,
  approves: boolean,
): DecisionEffects | undefined {
  const found = draft.status.classes.find((one) => one.name === name);
  if (found === undefined) return refused('UnknownClass');
  if (approves && found.state.phase === 'Denied') return undefined;
  if (!mayVote(found.changes, draft.spec.strategy.approval, by)) return refused('NotAllowed');
  const more = found.changes.filter((kind) => shown?.includes(kind) === false);
  if (approves && more.length > 0) return { ...refused('NotApplicable'), message: grownText(found.name, more) };
  const votes = [...found.votes, { by, at: draft.now, approves }];
  draft.setStatus({ classes: draft.status.classes.map((one) => (one === found ? { ...one, votes } : one)) });
  return EFFECTIVE;
}

const grownText = (name: string, more: readonly ChangeKind[]): string =>
  `class ${name} has further changes: ${more.join(', ')}; review it, then approve it again`;

function resumeByDecision(draft: Draft): DecisionEffects | undefined {
  const { phase, reason } = draft.status;
  const isPaused = phase === 'Paused' && reason === 'Decision';
  if (!isPaused && !(phase === 'Halted' && reason !== 'RollbackIncomplete')) return undefined;
  for (const row of draft.allRows()) if (row.isFailure) draft.put({ ...row, isFailure: false });
  goOn(draft, 'Resumed');
  return EFFECTIVE;
}

/** Forgets a stop: failures were forgiven, and the gates of waves restart. */
function forgetStop(draft: Draft): void {
  draft.setStatus({ stop: undefined });
  for (const [index, { phase }] of draft.status.waves.entries()) {
    if (phase === 'Soaking') draft.setWave(index, { gates: {}, gatesFrom: draft.now });
  }
}

function goOn(draft: Draft, reason: 'Resumed' | 'Retried'): void {
  forgetStop(draft);
  resume(draft, reason);
}

function promote({ wave }: Decision, draft: Draft): DecisionEffects | undefined {
  if (isFinal(draft.status.phase)) return undefined;
  let isEffective = false;
  for (const [index, { name }] of draft.spec.waves.entries()) {
    if (wave !== null && wave !== name) continue;
    const { phase, reason } = draft.wave(index);
    if (phase === 'AwaitingPromotion') openWave(index, draft, 'Promoted');
    else if (phase === 'Soaking') draft.setWave(index, { isPromoted: true, gatesFrom: draft.now });
    else if (phase === 'Open' && reason === 'NotEnoughSuccesses') {
      draft.setWave(index, { phase: 'Complete', reason: 'Promoted', completedAt: draft.now });
    } else continue;
    isEffective = true;
  }
  return isEffective ? EFFECTIVE : undefined;
}

/** Returns the rows that a decision names, by cluster, wave and class. Returns all if it names none. */
function namedRows(decision: Decision, draft: Draft): RolloutRow[] {
  const { clusters } = decision;
  const rows = clusters.length > 0 ? clusters.flatMap((one) => draft.row(one) ?? []) : [...draft.allRows()];
  return rows.filter((row) => isNamed(row, decision, draft.spec));
}

const isNamed = (
  row: RolloutRow,
  { clusters, wave, class: name }: Decision,
  { waves }: Pick<RolloutSpec, 'waves'>,
): boolean =>
  (clusters.length === 0 || clusters.includes(row.cluster)) &&
  (wave === null || waves[row.wave]?.name === wave) &&
  (name === null || row.class === name);

/**
 * Returns the clusters that a Skip or Retry concerned, once its rows have moved. Rows may be lost, and the
 * decision keeps these. Undefined: another action.
 */
export function concernedBy(
  decision: Decision,
  { rows, spec }: Pick<RolloutView, 'rows' | 'spec'>,
): readonly string[] | undefined {
  const { action } = decision;
  if (action !== 'Skip' && action !== 'Retry') return undefined;
  const isSkip = action === 'Skip';
  return [...rows.values()]
    .filter((row) => (isSkippedByDecision(row) ? isSkip : !isSkip && row.isRetry) && isNamed(row, decision, spec))
    .map(({ cluster }) => cluster)
    .sort(byCodeUnit);
}

const isSkippedByDecision = ({ phase, reason }: RolloutRow): boolean => phase === 'Skipped' && reason === 'ByDecision';

/**
 * True if a Retry creates a new rollout, after one that rolled back or was aborted. False if a newer one
 * exists.
 */
export const isRetriedAnew = (
  { phase }: Pick<RolloutStatus, 'phase'>,
  { isNewest }: Pick<RolloutFacts, 'isNewest'>,
): boolean => isNewest && (phase === 'RolledBack' || phase === 'Aborted');

function retry(decision: Decision, draft: Draft): DecisionEffects | undefined {
  const { status, facts } = draft;
  if (isRetriedAnew(status, facts)) {
    // The new one could not go on either.
    if (facts.isTargetWithdrawn) {
      return { ...refused('NotApplicable'), message: retryRefusal(draft.spec.target) };
    }
    return { ...EFFECTIVE, isNewRollout: true };
  }
  if (facts.isTargetWithdrawn === true && !isFinal(status.phase)) {
    return { ...refused('NotApplicable'), message: retryRefusal(draft.spec.target) };
  }
  const isStanding = status.phase === 'Completed' && facts.role !== 'frozen';
  if (status.reason === 'RollbackIncomplete' || (isFinal(status.phase) && !isStanding)) return undefined;
  const rows = namedRows(decision, draft).filter(
    (row) => row.phase === 'Failed' || row.phase === 'RolledBack' || isSkippedByDecision(row),
  );
  if (rows.length === 0) return undefined;
  for (const row of rows) {
    draft.move({ ...waitingAgain(row, draft), isRetry: true, isFailure: false, goBack: undefined, keepsWave: true });
  }
  if (status.phase === 'Halted') goOn(draft, 'Retried');
  else if (status.stop !== undefined) {
    forgetStop(draft);
    if (status.phase === 'Progressing') draft.setStatus({ reason: 'Retried' });
  }
  return EFFECTIVE;
}

function skip(decision: Decision, draft: Draft): DecisionEffects | undefined {
  const { status, facts } = draft;
  if (facts.role === 'frozen' || (isFinal(status.phase) && status.phase !== 'Completed')) return undefined;
  const rows = namedRows(decision, draft).filter(({ phase }) => phase === 'Waiting' || phase === 'Failed');
  if (rows.length === 0) return undefined;
  for (const row of rows) draft.move(skippedByDecision(row));
  return EFFECTIVE;
}

function abort(draft: Draft): DecisionEffects | undefined {
  const { phase } = draft.status;
  if (isFinal(phase) || phase === 'RollingBack') return undefined;
  if (phase === 'Planning' || draft.sum.inFlight + draft.sum.rollingBack === 0) {
    draft.setStatus({ phase: 'Aborted', reason: 'Decision', finishedAt: draft.now, stop: undefined });
  } else draft.setStatus({ isAborting: true, stop: undefined, phase: 'Progressing', reason: 'Aborting' });
  return EFFECTIVE;
}

const mayRollBack = ({ status, facts, spec }: Draft): boolean =>
  facts.isNewest && !NOT_ROLLED_BACK.has(status.phase) && !deniesReturns(spec.strategy.approval);

function rollBack(decision: Decision, draft: Draft): DecisionEffects | undefined {
  if (!mayRollBack(draft)) return undefined;
  const isNamed = decision.clusters.length > 0 || decision.wave !== null || decision.class !== null;
  const rows = namedRows(decision, draft).filter(isChanged);
  if (rows.length === 0) return undefined;
  for (const row of rows) {
    const isRunning = row.phase === 'Verifying' || row.isRunning;
    // Running work ends first. If all clusters roll back, the row is chosen after that.
    if (isRunning && !isNamed) continue;
    const honoursWindows = row.phase === 'Done';
    const denies = isNamed ? 'Cluster' : 'Operator';
    draft.put(chosenToReturn(row, { reason: 'Decision', denies, honoursWindows }));
  }
  if (isNamed) return EFFECTIVE;
  for (const index of draft.spec.waves.keys()) {
    if (hasChanges(index, draft)) draft.setWave(index, { phase: 'RollingBack', reason: 'Decision' });
  }
  draft.setStatus({
    phase: 'RollingBack',
    reason: 'Decision',
    isGoingBack: true,
    finishedAt: undefined,
    stop: undefined,
  });
  return EFFECTIVE;
}

function breakGlass({ by, expiresAt }: Decision, draft: Draft): DecisionEffects | undefined {
  if (isFinal(draft.status.phase) || draft.status.reason === 'Queued' || expiresAt === undefined) return undefined;
  if (draft.facts.isWindowInTheWay(by.groups)) return refused('NotAllowed');
  draft.setStatus({ breakGlass: [...draft.status.breakGlass, { groups: by.groups, until: expiresAt }] });
  return EFFECTIVE;
}
