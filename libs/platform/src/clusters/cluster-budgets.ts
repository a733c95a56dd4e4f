import type { Clock } from '../clock/clock.port.js';
import type { KubeClient } from '../kube/client/kube-client.port.js';
import type { Health, HealthCheck } from '../telemetry/health-check.js';
import type { Log } from '../telemetry/log.port.js';
import type { Metrics } from '../telemetry/metrics/metrics.js';

type ClusterBudgetsOptions = Readonly<{
  /** The clients of the clusters that take part now. */
  clients: () => readonly Pick<KubeClient, 'cluster' | 'budget'>[];
  clock: Clock;
  log: Log;
  metrics: Metrics;
}>;

const EVERY_MS = 5_000;
const NAMED = 10;
const KINDS_NAMED = 5;

/** Reports clusters that send more than their budget: by a health check, by a metric, and in the log. */
export class ClusterBudgets {
  /** The last logged text, by cluster. */
  readonly #logged = new Map<string, string>();
  #cancel: (() => void) | undefined;

  constructor(private readonly options: ClusterBudgetsOptions) {}

  readonly check: HealthCheck = { name: 'budgets', check: async () => this.#health() };

  start(): void {
    this.#report();
    this.#cancel = this.options.clock.after(EVERY_MS, () => this.start());
  }

  stop(): void {
    this.#cancel?.();
  }

  #report(): void {
    const { log, metrics, clients } = this.options;
    const held = new Map<string, number>();
    for (const { cluster, budget } of clients()) held.set(cluster, (held.get(cluster) ?? 0) + budget.held);
    const found = this.#problems();
    for (const cluster of this.#logged.keys()) if (!found.has(cluster)) this.#logged.delete(cluster);
    for (const [cluster, problems] of found) {
      metrics.clusterBudget(cluster, { reads: problems.length, bytes: held.get(cluster) ?? 0 });
      const text = problems.join('\n');
      const before = this.#logged.get(cluster) ?? '';
      if (text === before) continue;
      this.#logged.set(cluster, text);
      if (problems.length > 0) log.warn({ cluster, problems: problems.slice(0, NAMED) }, 'cluster is too large');
      else log.info({ cluster }, 'cluster is within its budgets again');
    }
  }

  #health(): Health {
    const clusters = this.#problems();
    const large = [...clusters].flatMap(([cluster, problems]) =>
      problems.length === 0 ? [] : line(cluster, problems),
    );
    if (large.length === 0)
      return { up: true, detail: `${clusters.size} of ${clusters.size} clusters are within their budgets` };
    const more = large.length > NAMED ? ` and ${large.length - NAMED} more` : '';
    return { up: true, degraded: true, detail: `${large.slice(0, NAMED).join('; ')}${more}` };
  }

  /**
   * Returns the problems by cluster. Services in one process have clients of their own for the same cluster.
   */
  #problems(): ReadonlyMap<string, readonly string[]> {
    const problems = new Map<string, readonly string[]>();
    for (const { cluster, budget } of this.options.clients()) {
      problems.set(cluster, [...new Set([...(problems.get(cluster) ?? []), ...budget.problems()])]);
    }
    return problems;
  }
}

/** All that is too large in one cluster; kinds that exceed the same budget stand together. */
function line(cluster: string, problems: readonly string[]): string {
  const byBudget = new Map<string, string[]>();
  for (const problem of problems) {
    const end = problem.indexOf(': ');
    const budget = problem.slice(end);
    byBudget.set(budget, [...(byBudget.get(budget) ?? []), problem.slice(0, end)]);
  }
  const parts = [...byBudget].map(([budget, kinds]) => {
    const more = kinds.length > KINDS_NAMED ? ` and ${kinds.length - KINDS_NAMED} more` : '';
    return `${kinds.slice(0, KINDS_NAMED).join(', ')}${more}${budget}`;
  });
  return `cluster ${cluster}: too large: ${parts.join('. ')}`;
}
