import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** Source of the console's metrics when they are collected. */
type ConsoleSource = Readonly<{ rows: () => number; streams: () => number; viewAgeSeconds: () => number }>;

type ConsoleMetrics = Readonly<{
  questionSeconds: Histogram<'kind'>;
  actions: Counter<'verb' | 'outcome'>;
}>;

/** Adds the metrics of the console to those of its process. */
export function watchConsole(registry: Registry, source: ConsoleSource): ConsoleMetrics {
  const registers = [registry];
  const gauge = (name: string, help: string, value: () => number) => {
    const made: Gauge = new Gauge({ name, help, registers, collect: () => made.set(value()) });
  };
  gauge('flotilla_console_rows', 'Rows of the read model that the console holds', source.rows);
  gauge('flotilla_console_streams', 'Browsers that follow the fleet', source.streams);
  gauge('flotilla_console_view_age_seconds', 'Since the rows were last known to be complete', source.viewAgeSeconds);
  return {
    questionSeconds: new Histogram({
      ...{ name: 'flotilla_console_question_seconds', help: 'Until a question to a cluster was answered', registers },
      labelNames: ['kind'],
      buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    }),
    actions: new Counter({
      ...{ name: 'flotilla_console_actions_total', help: 'Targets of actions, by how they ended', registers },
      labelNames: ['verb', 'outcome'],
    }),
  };
}

const REFUSALS = 'flotilla_console_refusals_total';

/** Counts the refusals of console messages by applier and poller. Both may be parts of one process. */
export const consoleRefusals = (registry: Registry): Counter<'reader' | 'reason'> =>
  (registry.getSingleMetric(REFUSALS) as Counter<'reader' | 'reason'> | undefined) ??
  new Counter({
    ...{ name: REFUSALS, help: 'Actions and questions of the console that were refused', registers: [registry] },
    labelNames: ['reader', 'reason'],
  });
