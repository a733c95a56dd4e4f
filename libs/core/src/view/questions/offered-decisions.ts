import type { FleetRolloutRow } from '../rows/rollout-row.js';

/** The parts of a rollout that decide which decisions it takes. */
export type DecidedRollout = Pick<
  FleetRolloutRow,
  'phase' | 'finishedAt' | 'code' | 'newest' | 'changed' | 'returnsDenied'
> &
  Readonly<{
    withdrawn?: boolean | undefined;
    classes: readonly Pick<FleetRolloutRow['classes'][number], 'hash'>[];
    waves: readonly Pick<
      FleetRolloutRow['waves'][number],
      'name' | 'phase' | 'code' | 'done' | 'underWay' | 'failed'
    >[];
  }>;

/** A decision that a rollout takes now. `class` and `wave` narrow it. */
export type OfferedDecision = Readonly<{
  action: 'Approve' | 'Pause' | 'Resume' | 'Promote' | 'Retry' | 'Abort' | 'Rollback';
  class?: string;
  wave?: string;
}>;

const FINAL: ReadonlySet<string> = new Set(['Completed', 'RolledBack', 'Aborted', 'Superseded']);
const NEVER_BACK: ReadonlySet<string> = new Set(['Superseded', 'Planning', 'RollingBack']);
/** Names the class of returns. */
const RETURNS = 'rollback';

const sumOf = ({ waves }: DecidedRollout, key: 'done' | 'underWay' | 'failed'): number =>
  waves.reduce((sum, wave) => sum + wave[key], 0);

/**
 * Returns the decisions that a rollout takes in its state, those that continue it first (design: fleet.md
 * §1.6). It offers none that the fleet controller would refuse (`applyDecision`). An earlier poller reports
 * less: then a decision is offered unless its refusal is certain.
 */
export function offeredDecisions(of: DecidedRollout): readonly OfferedDecision[] {
  const isFinal = FINAL.has(of.phase);
  const isOpen = !isFinal && of.phase !== 'RollingBack';
  return [
    ...approvals(of),
    ...(of.withdrawn ? [] : [...promotions(of), ...(mayRetry(of) ? [{ action: 'Retry' } as const] : [])]),
    ...(mayResume(of) && !of.withdrawn ? [{ action: 'Resume' } as const] : []),
    ...(mayPause(of) && !of.withdrawn ? [{ action: 'Pause' } as const] : []),
    ...(isOpen ? [{ action: 'Abort' } as const] : []),
    ...(mayRollBack(of) ? [{ action: 'Rollback' } as const] : []),
  ];
}

/** A class of a rollout that has ended waits for nothing. During a rollback only returns are approved. */
function approvals({ phase, classes, withdrawn }: DecidedRollout): OfferedDecision[] {
  if (FINAL.has(phase)) return [];
  const isGoingBack = phase === 'RollingBack' || withdrawn === true;
  return classes
    .filter(({ hash }) => !isGoingBack || hash === RETURNS)
    .map(({ hash }) => ({ action: 'Approve', class: hash }));
}

const promotions = ({ phase, waves }: DecidedRollout): OfferedDecision[] =>
  FINAL.has(phase) || phase === 'RollingBack'
    ? []
    : waves
        .filter((wave) => wave.phase === 'AwaitingPromotion' || wave.phase === 'Soaking' || hasTooFew(wave))
        .map(({ name }) => ({ action: 'Promote', wave: name }));

const hasTooFew = ({ phase, code }: DecidedRollout['waves'][number]): boolean =>
  phase === 'Open' && code === 'NotEnoughSuccesses';

const mayPause = ({ phase, code }: DecidedRollout): boolean =>
  (phase === 'Planning' || phase === 'Progressing') && code !== 'Queued' && code !== 'Aborting';

const mayResume = ({ phase, code }: DecidedRollout): boolean =>
  (phase === 'Paused' && code !== 'SubjectPaused') || (phase === 'Halted' && code !== 'RollbackIncomplete');

function mayRetry(of: DecidedRollout): boolean {
  const { phase, code, newest } = of;
  if (phase === 'RolledBack' || phase === 'Aborted') return newest !== false;
  if (phase === 'Superseded' || phase === 'RollingBack' || code === 'RollbackIncomplete') return false;
  return sumOf(of, 'failed') > 0 && (phase !== 'Completed' || newest === true);
}

function mayRollBack(of: DecidedRollout): boolean {
  const { phase, newest, returnsDenied, changed } = of;
  if (newest === false || returnsDenied === true || NEVER_BACK.has(phase)) return false;
  if (changed !== undefined) return changed > 0;
  return phase !== 'RolledBack' && sumOf(of, 'done') + sumOf(of, 'underWay') + sumOf(of, 'failed') > 0;
}
