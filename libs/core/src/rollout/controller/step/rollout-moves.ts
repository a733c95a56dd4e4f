import type { Draft } from './draft.js';
import { isFinal, type RolloutPhase, type StopReason } from './phases.js';
import { isOverThreshold, stopReasonOf } from './wave-moves.js';

/**
 * Aborts a rollout without its subject: no further wave opens, and it is not Completed. If the subject were
 * created again, its clusters would follow a Completed rollout without waves (why: fleet-rollouts.md "A
 * deleted subject aborts its rollout").
 */
export function noteGone(draft: Draft): void {
  const { phase, isAborting } = draft.status;
  if (!draft.facts.isSubjectGone || isFinal(phase) || phase === 'RollingBack' || isAborting) return;
  draft.setStatus({ phase: 'Progressing', reason: 'Aborting', isAborting: true, stop: undefined });
}

/** Notes why the rollout stops by itself, the first wave that says so; it stays until a decision. */
export function noteStop(draft: Draft): void {
  const { phase, stop } = draft.status;
  if (stop !== undefined || (phase !== 'Planning' && phase !== 'Progressing' && phase !== 'Paused')) return;
  for (const index of draft.spec.waves.keys()) {
    const found = stopReasonOf(index, draft);
    if (found !== undefined) {
      draft.setStatus({ stop: found });
      return;
    }
  }
}

/** True if a wave may open. No wave opens while the rollout is paused, stops or gives way to a newer one. */
export function mayOpenWaves({ status, spec }: Draft): boolean {
  const givesWay = status.isSuperseding && spec.strategy.supersede !== 'Queue';
  return status.phase === 'Progressing' && status.stop === undefined && !status.isAborting && !givesWay;
}

/** Moves the rollout at most once, after its clusters and waves. */
export function moveRollout(draft: Draft): void {
  const { status, facts } = draft;
  // The first step creates the members, and the rollout is Planning in it. All else follows in later steps.
  if (isFinal(status.phase) || isFirstStep(draft)) return;
  noteSuperseding(draft);
  if (isSuperseded(draft)) {
    end(draft, 'Superseded', 'NewerTarget');
    return;
  }
  switch (status.phase) {
    case 'Planning':
      endPlanning(draft);
      return;
    case 'Progressing':
      progress(draft);
      return;
    case 'Paused':
      if (status.reason === 'SubjectPaused' && !facts.isSubjectPaused) {
        resume(draft, 'Resumed');
        return;
      }
      progress(draft);
      return;
    case 'RollingBack':
      endRollback(draft);
      return;
    default:
      return;
  }
}

const isFirstStep = ({ status, view, changedRows }: Draft): boolean =>
  status.phase === 'Planning' && view.rows.size === 0 && changedRows.size > 0;

function end(draft: Draft, phase: RolloutPhase, reason: string): void {
  draft.setStatus({ phase, reason, finishedAt: draft.now, isGoingBack: false, isAborting: false, stop: undefined });
}

/** Resumes the rollout at its previous point after a decision. */
export function resume(draft: Draft, reason: 'Resumed' | 'Retried'): void {
  if (!draft.status.isPlanned) {
    draft.setStatus({ phase: 'Planning', reason: 'Released' });
    return;
  }
  draft.setStatus({ phase: 'Progressing', reason });
}

function endPlanning(draft: Draft): void {
  if (draft.facts.isSubjectPaused) {
    draft.setStatus({ phase: 'Paused', reason: 'SubjectPaused' });
    return;
  }
  if (draft.sum.unplanned > 0) return;
  draft.setStatus({ phase: 'Progressing', reason: 'Planned', isPlanned: true });
}

function progress(draft: Draft): void {
  const { status, facts, sum } = draft;
  if (status.phase === 'Paused' && !status.isPlanned && sum.unplanned === 0) draft.setStatus({ isPlanned: true });
  if (status.waves.every(({ phase }) => phase === 'Complete') && status.isPlanned && status.stop === undefined) {
    end(draft, 'Completed', 'AllWavesComplete');
  } else if (status.isAborting || status.stop !== undefined) whileItStops(draft);
  else if (status.phase !== 'Progressing') return;
  else if (facts.isSubjectPaused) draft.setStatus({ phase: 'Paused', reason: 'SubjectPaused' });
  else if (draft.status.isSuperseding && givesWay(draft)) draft.setStatus({ reason: 'Superseding' });
  // The newer target was aborted before its turn.
  else if (status.reason === 'Superseding' && !draft.status.isSuperseding) draft.setStatus({ reason: 'Resumed' });
}

/** Waits for running work, then acts on the decision or the failure. */
function whileItStops(draft: Draft): void {
  const { status, sum } = draft;
  const isOver = sum.running === 0;
  if (status.isAborting) {
    if (isOver) end(draft, 'Aborted', 'Decision');
    else draft.setStatus({ phase: 'Progressing', reason: 'Aborting' });
  } else if (status.stop !== undefined) {
    if (isOver) actOnFailure(draft, status.stop);
    else if (status.phase === 'Progressing') draft.setStatus({ reason: status.stop });
  }
}

/** Halts or rolls back after too many failures, once nothing runs any more. */
function actOnFailure(draft: Draft, stop: StopReason): void {
  const { onFailure } = draft.spec.strategy;
  if (onFailure === 'Halt') {
    draft.setStatus({ phase: 'Halted', reason: stop });
    return;
  }
  for (const index of draft.spec.waves.keys()) {
    const isCause = isOverThreshold(index, draft) || stopReasonOf(index, draft) !== undefined;
    if (onFailure === 'RollBackAll' ? hasChanges(index, draft) : isCause) {
      // One that this step would have completed goes back instead.
      const completedAt = draft.view.status.waves[index]?.completedAt;
      draft.setWave(index, { phase: 'RollingBack', reason: 'OnFailure', completedAt });
    }
  }
  draft.setStatus({ phase: 'RollingBack', reason: stop, isGoingBack: true });
}

/** True if a wave has clusters that a return concerns. */
export const hasChanges = (index: number, draft: Draft): boolean => draft.tally(index).changed > 0;

function endRollback(draft: Draft): void {
  const { rollingBack, returnsDue, running, stuck, keeping } = draft.sum;
  const isChosen = draft.status.waves.every(({ phase }) => phase !== 'RollingBack') || stuck > 0;
  if (rollingBack > 0 || returnsDue > 0 || running > 0 || !isChosen) return;
  if (stuck > 0) {
    draft.setStatus({ phase: 'Halted', reason: 'RollbackIncomplete', isGoingBack: false, stop: undefined });
    return;
  }
  end(draft, 'RolledBack', keeping > 0 ? 'WaveRolledBack' : 'AllRolledBack');
}

const givesWay = ({ spec }: Draft): boolean => spec.strategy.supersede !== 'Queue';

function noteSuperseding(draft: Draft): void {
  const { hasQueued } = draft.facts;
  if (hasQueued !== draft.status.isSuperseding) draft.setStatus({ isSuperseding: hasQueued });
}

/** True if the rollout is over because a newer one waits for its turn. */
function isSuperseded(draft: Draft): boolean {
  const { status, spec, sum } = draft;
  if (!status.isSuperseding) return false;
  if (status.phase === 'Planning') return true;
  const isBusy = sum.running > 0 || sum.rollingBack > 0 || sum.returnsDue > 0;
  if (status.phase === 'Halted') return !isBusy;
  if (status.phase === 'Paused') return !isBusy && status.stop === undefined;
  if (status.phase !== 'Progressing' || isBusy || status.stop !== undefined || status.isAborting) return false;
  if (spec.strategy.supersede === 'Immediately') return true;
  if (spec.strategy.supersede === 'Queue') return false;
  return spec.waves.every((_, index) => draft.wave(index).phase !== 'Open' || draft.tally(index).forBudget === 0);
}
