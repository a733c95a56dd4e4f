import { hasBrought, isChanged, isReturnDue, type RolloutRow } from './row.js';

/** The number of clusters of a wave, or of a rollout, in each phase. */
export type Counts = Readonly<
  Record<
    'targets' | 'waiting' | 'applying' | 'verifying' | 'done' | 'failed' | 'rollingBack' | 'rolledBack' | 'skipped',
    number
  >
>;

const PHASE_COUNTERS = {
  Waiting: 'waiting',
  Applying: 'applying',
  Verifying: 'verifying',
  Done: 'done',
  Failed: 'failed',
  RollingBack: 'rollingBack',
  RolledBack: 'rolledBack',
  Skipped: 'skipped',
} as const;

type ExtraCounter =
  | 'failures'
  | 'running'
  | 'forBudget'
  | 'returnsDue'
  | 'chosen'
  | 'stuck'
  | 'unplanned'
  | 'keeping'
  | 'changed';
const COUNTED: readonly (readonly [ExtraCounter, (row: RolloutRow) => boolean])[] = [
  ['failures', ({ isFailure }) => isFailure],
  ['running', ({ phase, isRunning }) => phase === 'Verifying' || (phase === 'Applying' && isRunning)],
  ['forBudget', ({ phase, reason }) => phase === 'Waiting' && reason === 'Budget'],
  ['returnsDue', isReturnDue],
  ['chosen', ({ goBack }) => goBack !== undefined && goBack.blocked === undefined],
  ['stuck', ({ goBack }) => goBack?.blocked !== undefined],
  ['unplanned', ({ phase, reason }) => phase === 'Waiting' && reason === 'Planning'],
  ['keeping', hasBrought],
  ['changed', isChanged],
];

/** Counts over all clusters of a wave for a step, updated row by row. */
export class WaveTally {
  targets = 0;
  waiting = 0;
  applying = 0;
  verifying = 0;
  done = 0;
  failed = 0;
  rollingBack = 0;
  rolledBack = 0;
  skipped = 0;
  /** Failures that no decision has forgiven. */
  failures = 0;
  /** Hops and verifications that run. */
  running = 0;
  /** Clusters that wait for a place alone. */
  forBudget = 0;
  /** Chosen to go back, and not begun. */
  returnsDue = 0;
  /** Chosen to go back, without those that cannot. */
  chosen = 0;
  /** Chosen to go back, and at an end without having gone back. */
  stuck = 0;
  /** Clusters that answer and have no plan yet. */
  unplanned = 0;
  /** Changed clusters that keep the target. */
  keeping = 0;
  /** Clusters that the rollout has changed, or may have. */
  changed = 0;
  lastSuccessAt: number | undefined;

  add(row: RolloutRow, sign: 1 | -1): void {
    if (row.phase === 'Removed') return;
    this.targets += sign;
    this[PHASE_COUNTERS[row.phase]] += sign;
    for (const [counter, holds] of COUNTED) if (holds(row)) this[counter] += sign;
    // The clock of a soak only moves forward, even if a success is undone.
    if (sign > 0 && row.doneAt !== undefined) this.lastSuccessAt = Math.max(this.lastSuccessAt ?? 0, row.doneAt);
  }

  get inFlight(): number {
    return this.applying + this.verifying;
  }

  get counts(): Counts {
    const { targets, waiting, applying, verifying, done, failed, rollingBack, rolledBack, skipped } = this;
    return { targets, waiting, applying, verifying, done, failed, rollingBack, rolledBack, skipped };
  }

  copy(): WaveTally {
    return Object.assign(new WaveTally(), this);
  }
}

/** The waves of a rollout together. */
export function sumOf(tallies: readonly WaveTally[]): WaveTally {
  const sum = new WaveTally();
  for (const tally of tallies) {
    for (const key of Object.keys(sum) as (keyof WaveTally)[]) {
      if (typeof sum[key] === 'number' && key !== 'lastSuccessAt')
        Object.assign(sum, { [key]: Number(sum[key]) + Number(tally[key]) });
    }
  }
  return sum;
}
