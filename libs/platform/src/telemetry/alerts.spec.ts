import { readFileSync } from 'node:fs';
import { load } from 'js-yaml';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { watchHealth } from './metrics/health-metrics.js';
import { Metrics } from './metrics/metrics.js';

const Rule = z.looseObject({
  alert: z.string(),
  expr: z.string(),
  for: z.string().optional(),
  labels: z.record(z.string(), z.string()),
});
const Rules = z.looseObject({ spec: z.object({ groups: z.array(z.looseObject({ rules: z.array(Rule) })) }) });
const file = new URL('../../../../k8s/monitoring/alerts.yaml', import.meta.url);
const rules = Rules.parse(load(readFileSync(file, 'utf8'))).spec.groups.flatMap((group) => group.rules);

describe('the alerts', () => {
  it('have the names, severities and times of OLM’s', () => {
    expect(rules.map(({ alert, labels, for: wait }) => [alert, labels['severity'], wait])).toEqual([
      ['CsvAbnormalFailedOver2Min', 'warning', '2m'],
      ['CsvAbnormalOver30Min', 'warning', '30m'],
      ['InstallPlanStepAppliedWithWarnings', 'warning', undefined],
      ['FlotillaClusterExtensionAbnormalOver10Min', 'warning', '10m'],
      ['FlotillaOpenShiftUpgradeBlocked', 'info', '10m'],
      ['FlotillaClusterLeftToOlm', 'info', '1h'],
      ['FlotillaClusterOfAnotherHub', 'warning', '10m'],
      ['FlotillaClusterTooLarge', 'warning', '10m'],
      ['FlotillaValueRefused', 'critical', undefined],
      ['FlotillaRedisFull', 'critical', '1m'],
      ['FlotillaClusterUnreachable', 'warning', '5m'],
      ['FlotillaClusterWritesRefused', 'warning', '10m'],
      ['FlotillaSubscriptionUnresolved', 'warning', '10m'],
      ['FlotillaCatalogNotReady', 'warning', '10m'],
      ['FlotillaDown', 'critical', '5m'],
      ['FlotillaNotReady', 'critical', '5m'],
      ['FlotillaDegraded', 'warning', '15m'],
      ['FlotillaJobsFailing', 'warning', '30m'],
      ['FlotillaQueueSlow', 'warning', '15m'],
    ]);
  });

  it('have the prefix Flotilla, but for those of OLM', () => {
    const own = rules.map(({ alert }) => alert).filter((alert) => !alert.startsWith('Flotilla'));
    expect(own).toEqual(['CsvAbnormalFailedOver2Min', 'CsvAbnormalOver30Min', 'InstallPlanStepAppliedWithWarnings']);
  });

  it.each(rules)('$alert asks for series that there are', async ({ expr }) => {
    const names = [...expr.matchAll(/\b[a-z]+(?:_[a-z]+)+(?=[{[ )])/g)].map(([name]) => name.replace(/_bucket$/, ''));
    const metrics = new Metrics({ processMetrics: false });
    metrics.watchRedis({ refusals: () => new Map(), memory: async () => ({}) });
    metrics.watchQueues([]);
    watchHealth(metrics.registry, async () => []);
    const known = new Set((await metrics.registry.getMetricsAsJSON()).map(({ name }) => name));
    expect(names.length).toBeGreaterThan(0);
    expect(names.filter((name) => !known.has(name))).toEqual([]);
  });
});
