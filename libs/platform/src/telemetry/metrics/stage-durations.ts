import { Histogram, type Registry } from 'prom-client';

/**
 * The stages of a change, in order. In between it waits in queues; these measure that themselves.
 * - `observe`: from the first event that a problem follows from until the problem is published.
 * - `solve`: of a problem that had no solution.
 * - `pass`: of the applier over a namespace, a ClusterExtension or a ClusterObjectSet.
 * - `ready`: from the start of an InstallPlan, after its approval, until a ClusterServiceVersion of it is
 *   Succeeded.
 */
const CHANGE_STAGES = ['observe', 'solve', 'pass', 'ready'] as const;
type ChangeStage = (typeof CHANGE_STAGES)[number];

/** How long the stages of changes take, over all clusters. */
export class StageDurations {
  readonly #durations: Histogram;

  constructor(registry: Registry) {
    this.#durations = new Histogram({
      name: 'flotilla_stage_duration_seconds',
      help: 'How long a stage of a change took',
      labelNames: ['stage'],
      buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1_800],
      registers: [registry],
    });
  }

  took(stage: ChangeStage, seconds: number): void {
    this.#durations.observe({ stage }, seconds);
  }
}
