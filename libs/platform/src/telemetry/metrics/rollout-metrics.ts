import { Gauge, Histogram, type Registry } from 'prom-client';

/** How far rollouts are, as the controller that acts sees them. */
export type RolloutFigures = Readonly<{
  /** Clusters of the fleet by state: `reachable`, `away`, `paused`. */
  clusters: ReadonlyMap<string, number>;
  /** Waves of rollouts that are neither final nor queued. */
  waves: readonly Readonly<{ rollout: string; wave: string; phase: string; clusters: number }>[];
  /** Clusters that wait, by reason. */
  waiting: ReadonlyMap<string, number>;
  /** Plan classes of the active rollouts, by subject. */
  classes: ReadonlyMap<string, number>;
  /** Seconds for which the oldest class has been waiting for its approval; 0 if none waits. */
  approvalAge: number;
}>;

/** The metrics of rollouts over the fleet. The fleet controller sets them. */
export class RolloutMetrics {
  readonly #passes: Histogram;
  readonly #clusters: Gauge;
  readonly #waves: Gauge;
  readonly #waiting: Gauge;
  readonly #classes: Gauge;
  #figures: () => RolloutFigures | undefined = () => undefined;

  constructor(registry: Registry) {
    this.#passes = new Histogram({
      name: 'flotilla_rollout_step_seconds',
      help: 'Duration of one pass of the fleet controller over all rollouts, its writes included',
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
      registers: [registry],
    });
    const set = (figures: RolloutFigures | undefined) => this.#set(figures);
    const read = () => this.#figures();
    this.#clusters = new Gauge({
      name: 'flotilla_fleet_clusters',
      help: 'Clusters of the fleet by state',
      labelNames: ['state'],
      registers: [registry],
      // The first of these to be collected; all are set together.
      collect: () => set(read()),
    });
    const gauge = (name: string, help: string, ...labelNames: string[]) =>
      new Gauge({ name, help, labelNames, registers: [registry] });
    this.#waves = gauge(
      'flotilla_rollout_wave_clusters',
      'Clusters of active rollouts by wave and phase',
      ...['rollout', 'wave', 'phase'],
    );
    this.#waiting = gauge('flotilla_rollout_waiting_clusters', 'Clusters that wait in active rollouts', 'reason');
    this.#classes = gauge('flotilla_plan_classes', 'Plan classes of active rollouts', 'operator');
    new Gauge({
      name: 'flotilla_approval_age_seconds',
      help: 'How long the oldest plan class has been waiting for its approval',
      registers: [registry],
      collect() {
        this.set(read()?.approvalAge ?? 0);
      },
    });
  }

  passTook(seconds: number): void {
    this.#passes.observe(seconds);
  }

  /**
   * Sets the source of the figures, read at each scrape. The figures are undefined while another controller
   * acts.
   */
  watch(figures: () => RolloutFigures | undefined): void {
    this.#figures = figures;
  }

  #set(figures: RolloutFigures | undefined): void {
    for (const gauge of [this.#clusters, this.#waves, this.#waiting, this.#classes]) gauge.reset();
    if (figures === undefined) return;
    for (const [state, count] of figures.clusters) this.#clusters.set({ state }, count);
    for (const { clusters, ...labels } of figures.waves) this.#waves.set(labels, clusters);
    for (const [reason, count] of figures.waiting) this.#waiting.set({ reason }, count);
    for (const [operator, count] of figures.classes) this.#classes.set({ operator }, count);
  }
}
