import { type Pace, paceAfter, type WorkKind } from '#core/kernel/read-budget/work-pace';

/**
 * Keeps one cluster from taking up the thread that works for all. Waiting for the network counts as rest, so
 * that a cluster that sends at an ordinary pace never rests here.
 */
export class WorkPace {
  #pace: Pace | undefined;

  /** Called after work for the cluster. Returns undefined if no rest is due. */
  rest(work: Readonly<{ kind: WorkKind; workMs: number }>): Promise<void> | undefined {
    const { pace, pauseMs } = paceAfter(this.#pace, work, performance.now());
    this.#pace = pace;
    return pauseMs === 0 ? undefined : new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}
