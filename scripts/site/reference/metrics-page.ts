import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { watchConsole } from '#platform/telemetry/metrics/console-metrics';
import { watchHealth } from '#platform/telemetry/metrics/health-metrics';
import { Metrics } from '#platform/telemetry/metrics/metrics';
import { code, markdownTable } from './markdown-table.js';

const Alerts = z.looseObject({
  spec: z.looseObject({
    groups: z.array(
      z.looseObject({
        rules: z.array(
          z.looseObject({
            alert: z.string(),
            expr: z.union([z.string(), z.number()]).transform(String),
            for: z.string().optional(),
            labels: z.record(z.string(), z.string()).optional(),
          }),
        ),
      }),
    ),
  }),
});

const Labelled = z.looseObject({ labelNames: z.array(z.string()).optional() });

/** The page about metrics and alerts. */
export async function metricsPage(): Promise<string> {
  const metrics = new Metrics({ processMetrics: false });
  metrics.watchQueues([]);
  metrics.watchRedis({ refusals: () => new Map(), memory: async () => ({}) });
  watchHealth(metrics.registry, async () => []);
  watchConsole(metrics.registry, { rows: () => 0, streams: () => 0, viewAgeSeconds: () => 0 });
  const all = (await metrics.registry.getMetricsAsJSON()).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const rows = all.map(({ name, type, help }) => {
    const { labelNames = [] } = Labelled.parse(metrics.registry.getSingleMetric(name));
    return [code(name), String(type), labelNames.map(code).join(' '), help];
  });
  const alerts = Alerts.parse(parse(readFileSync(join(PROJECT_ROOT, 'k8s/monitoring/alerts.yaml'), 'utf8')));
  const rules = alerts.spec.groups.flatMap(({ rules: own }) => own);
  return [
    '# Metrics and alerts',
    'What services export at `/metrics`, made from the code that registers them. Which service exports what, and how to scrape it: [metrics and alerts](../docs/metrics.md).',
    '## Metrics',
    markdownTable(['Metric', 'Type', 'Labels', 'Meaning'], rows),
    '## Alerts',
    'Of `k8s/monitoring/alerts.yaml`. What each means and what to do: [runbooks](../docs/runbooks.md).',
    markdownTable(
      ['Alert', 'Severity', 'For', 'Expression'],
      rules.map(({ alert, expr, for: after = '', labels }) => [
        code(alert),
        labels?.['severity'] ?? '',
        after,
        code(expr.replaceAll(/\s+/g, ' ').trim()),
      ]),
    ),
  ].join('\n\n');
}
