import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { notificationMetrics } from '#platform/fleet/receivers/notification-metrics';
import { consoleRefusals, watchConsole } from '#platform/telemetry/metrics/console-metrics';
import { watchHealth } from '#platform/telemetry/metrics/health-metrics';
import { Metrics } from '#platform/telemetry/metrics/metrics';

const read = (path: string) => readFileSync(join(PROJECT_ROOT, path), 'utf8');

/** Rows of the table of metrics: the names in their first cell, and the labels and alerts that they name. */
const rows = read('docs/metrics.md')
  .split('\n')
  .filter((line) => /^\| `(?!\/)[a-z_]+`/.test(line) && line.split('|').length === 7)
  .map((line) => line.split('|').map((cell) => cell.trim()));

describe('the table of metrics in docs/metrics.md', () => {
  it('has every metric that the services export, and no other', async () => {
    const metrics = new Metrics({ processMetrics: false });
    metrics.watchQueues([]);
    metrics.watchEndedImages(() => 0);
    metrics.watchRedis({ refusals: () => new Map(), memory: async () => ({}) });
    watchHealth(metrics.registry, async () => []);
    watchConsole(metrics.registry, { rows: () => 0, streams: () => 0, viewAgeSeconds: () => 0 });
    consoleRefusals(metrics.registry);
    notificationMetrics(metrics.registry);
    const exported = (await metrics.registry.getMetricsAsJSON()).map(({ name }) => name);
    const listed = rows.flatMap(([, names = '']) => [...names.matchAll(/`([a-z_]+)`/g)].map(([, name]) => name));
    expect(listed.toSorted()).toEqual(exported.toSorted());
  });

  it('has every alert that is shipped, and no other', () => {
    const shipped = [...read('k8s/monitoring/alerts.yaml').matchAll(/- alert: (\w+)/g)].map(([, name]) => name);
    const listed = rows.flatMap(([, , , , , alerts = '']) => [...alerts.matchAll(/`(\w+)`/g)].map(([, name]) => name));
    expect(listed.toSorted()).toEqual(shipped.toSorted());
  });
});
