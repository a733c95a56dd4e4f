import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { notificationMetrics } from '#platform/fleet/receivers/notification-metrics';
import { consoleRefusals, watchConsole } from '#platform/telemetry/metrics/console-metrics';
import { watchHealth } from '#platform/telemetry/metrics/health-metrics';
import { Metrics } from '#platform/telemetry/metrics/metrics';

const read = (path: string) => readFileSync(join(PROJECT_ROOT, path), 'utf8');

const Rule = z.looseObject({
  alert: z.string(),
  expr: z.string(),
  annotations: z.record(z.string(), z.string()),
});
const Rules = z.looseObject({ spec: z.object({ groups: z.array(z.looseObject({ rules: z.array(Rule) })) }) });
const rules = Rules.parse(load(read('k8s/monitoring/alerts.yaml'))).spec.groups.flatMap((group) => group.rules);

/** Labels that Prometheus adds to each series of a pod. */
const OF_THE_TARGET = ['pod', 'namespace', 'container', 'job', 'instance'];
/** Made by Prometheus itself. */
const OF_PROMETHEUS = new Map([['up', OF_THE_TARGET]]);

/** The metrics of the services, as series are named, with their labels. */
function exported(): Map<string, readonly string[]> {
  const metrics = new Metrics({ registry: new Registry() });
  metrics.watchQueues([]);
  metrics.watchEndedImages(() => 0);
  metrics.watchRedis({ refusals: () => new Map(), memory: async () => ({}) });
  watchHealth(metrics.registry, async () => []);
  watchConsole(metrics.registry, { rows: () => 0, streams: () => 0, viewAgeSeconds: () => 0 });
  consoleRefusals(metrics.registry);
  notificationMetrics(metrics.registry);
  const series = new Map<string, readonly string[]>(OF_PROMETHEUS);
  for (const metric of metrics.registry.getMetricsAsArray() as unknown as readonly Exported[]) {
    const labels = [...metric.labelNames, ...OF_THE_TARGET];
    series.set(metric.name, [...labels, 'quantile']);
    for (const suffix of ['bucket', 'sum', 'count']) series.set(`${metric.name}_${suffix}`, [...labels, 'le']);
  }
  return series;
}
type Exported = Readonly<{ name: string; labelNames: readonly string[] }>;

const WORDS = new Set(['by', 'without', 'on', 'ignoring', 'or', 'and', 'unless', 'offset', 'bool', 'group_left']);

/** Returns the faults of a query: series and labels that no service exports. */
function faultsOf(query: string, series: ReadonlyMap<string, readonly string[]>): string[] {
  const plain = query.replaceAll(/\[[^\]]*\]/g, '').replaceAll(/\$\w+/g, 'variable');
  const used = new Set<string>();
  const faults: string[] = [];
  const outside = plain.replaceAll(/(\b[a-zA-Z_:][\w:]*)\s*\{([^}]*)\}/g, (_, name: string, matchers: string) => {
    used.add(name);
    const labels = [...matchers.matchAll(/(\w+)\s*(?:=~|!~|!=|=)\s*"[^"]*"/g)].map(([, label = '']) => label);
    for (const label of labels) if (series.get(name)?.includes(label) === false) faults.push(`${name}{${label}}`);
    return ' ';
  });
  const grouped: string[] = [];
  const ungrouped = outside.replaceAll(/\b(?:by|without|on|ignoring)\s*\(([^)]*)\)/g, (_, names: string) => {
    grouped.push(...names.split(',').map((name) => name.trim()));
    return ' ';
  });
  for (const [name] of ungrouped.matchAll(/\b[a-zA-Z_][\w]*\b(?!\s*\()/g)) if (!WORDS.has(name)) used.add(name);
  used.delete('variable');
  for (const name of used) if (!series.has(name) && !/^\d/.test(name)) faults.push(name);
  const labels = new Set([...used].flatMap((name) => series.get(name) ?? []));
  return [...faults, ...grouped.filter((label) => !labels.has(label)).map((label) => `by (${label})`)];
}

describe('what Prometheus is asked', () => {
  const series = exported();

  it.each([
    ['sum(flotilla_nothing{cluster="east"})', ['flotilla_nothing']],
    ['csv_count{clusters="east"} > 0', ['csv_count{clusters}']],
    ['sum by (cluter) (csv_count)', ['by (cluter)']],
    ['sum by (le, queue) (rate(flotilla_job_wait_seconds_bucket{queue=~"$queue"}[5m]))', []],
  ])('%s has the faults %j', (query, faults) => {
    expect(faultsOf(query, series)).toEqual(faults);
  });

  it.each(rules)('$alert names metrics and labels of the services', ({ expr }) => {
    expect(faultsOf(expr, series)).toEqual([]);
  });
});

const FOLDER = 'k8s/monitoring/dashboards';
const GridPos = z.object({ h: z.number(), w: z.number(), x: z.number(), y: z.number() });
const Source = z.looseObject({ type: z.string(), uid: z.string() });
const Panel = z.looseObject({
  id: z.number(),
  title: z.string(),
  gridPos: GridPos,
  datasource: Source,
  targets: z.array(
    z.looseObject({ expr: z.string(), legendFormat: z.string().optional(), refId: z.string(), datasource: Source }),
  ),
});
const Variable = z.looseObject({
  name: z.string(),
  type: z.string(),
  definition: z.string().optional(),
  datasource: Source.optional(),
});
const Dashboard = z.looseObject({
  uid: z.string(),
  title: z.string(),
  templating: z.object({ list: z.array(Variable) }),
  panels: z.array(Panel),
});
const files = readdirSync(join(PROJECT_ROOT, FOLDER)).toSorted();
const dashboards = files.map((file) => ({ file, ...Dashboard.parse(JSON.parse(read(`${FOLDER}/${file}`))) }));

describe('the dashboards', () => {
  const series = exported();

  it('are in the ConfigMap, each with a uid and a title of its own', () => {
    const Kustomization = z.looseObject({ configMapGenerator: z.array(z.looseObject({ files: z.array(z.string()) })) });
    const { configMapGenerator } = Kustomization.parse(load(read('k8s/monitoring/kustomization.yaml')));
    expect(configMapGenerator.flatMap((made) => made.files)).toEqual(files.map((file) => `dashboards/${file}`));
    expect(new Set(dashboards.map(({ uid }) => uid)).size).toBe(dashboards.length);
    expect(new Set(dashboards.map(({ title }) => title)).size).toBe(dashboards.length);
  });

  it.each(dashboards)('$file asks for metrics and labels of the services, with variables that it has', (dashboard) => {
    const variables = new Set(dashboard.templating.list.map(({ name }) => name));
    for (const { title, targets } of dashboard.panels) {
      expect(targets, title).not.toEqual([]);
      for (const { expr, legendFormat = '' } of targets) {
        expect(faultsOf(expr, series), `${title}: ${expr}`).toEqual([]);
        const used = [...expr.matchAll(/\$(\w+)/g)].map(([, name = '']) => name);
        expect(
          used.filter((name) => !variables.has(name)),
          title,
        ).toEqual([]);
        const labels = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = '']) => label);
        expect(
          labels.filter((label) => !expr.includes(label)),
          `${title}: ${legendFormat}`,
        ).toEqual([]);
      }
    }
    const ids = dashboard.panels.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it.each(dashboards)(
    '$file asks the Prometheus that is chosen, for each panel and query',
    ({ panels, templating }) => {
      const [source, ...others] = templating.list;
      expect(source).toMatchObject({ name: 'datasource', type: 'datasource', query: 'prometheus' });
      const chosen = { type: 'prometheus', uid: ['$', '{datasource}'].join('') };
      for (const { name, datasource } of others) expect(datasource, name).toEqual(chosen);
      for (const { title, datasource, targets } of panels) {
        expect(datasource, title).toEqual(chosen);
        for (const target of targets) expect(target.datasource, title).toEqual(chosen);
        expect(new Set(targets.map(({ refId }) => refId)).size, title).toBe(targets.length);
      }
    },
  );

  it.each(dashboards)('$file has panels that lie within the grid of 24 columns, none on another', ({ panels }) => {
    const cells = new Map<string, string>();
    for (const { title, gridPos } of panels) {
      const { x, y, w, h } = gridPos;
      expect([x >= 0, y >= 0, w > 0, h > 0, x + w <= 24], title).toEqual([true, true, true, true, true]);
      for (let cell = 0; cell < w * h; cell += 1) {
        const place = `${x + (cell % w)}/${y + Math.floor(cell / w)}`;
        expect(cells.get(place), `${title} at ${place}`).toBeUndefined();
        cells.set(place, title);
      }
    }
  });

  it.each(dashboards)('$file has variables of metrics that there are', ({ templating }) => {
    for (const { definition } of templating.list) {
      if (definition === undefined) continue;
      const [, name = '', label = ''] = /^label_values\((\w+), (\w+)\)$/.exec(definition) ?? [];
      expect(series.get(name), definition).toContain(label);
    }
  });
});

describe('docs/runbooks.md', () => {
  const sections = [...read('docs/runbooks.md').matchAll(/^## (\w+)$/gm)].map(([, name = '']) => name);

  it('has a section for each alert, and no other', () => {
    expect(sections.toSorted()).toEqual(rules.map(({ alert }) => alert).toSorted());
  });

  it.each(rules)('the annotation of $alert leads to its section', ({ alert, annotations }) => {
    expect(annotations['runbook_url']).toBe(`docs/runbooks.md#${alert.toLowerCase()}`);
  });

  it.each(['runbooks', 'metrics', 'sizing', 'running-catalogs', 'security'])(
    'docs/%s.md names metrics that there are',
    (page) => {
      const known = exported();
      const names = [...read(`docs/${page}.md`).matchAll(/`(flotilla_\w+)/g)].map(([, name = '']) => name);
      expect(names.filter((name) => !known.has(name))).toEqual([]);
    },
  );

  it('names settings that there are', () => {
    const text = read('docs/runbooks.md');
    const settings = read('docs/settings.md');
    const asked = [...text.matchAll(/`(FLOTILLA_\w+)/g)].map(([, name = '']) => name);
    expect(asked.filter((name) => !settings.includes(`\`${name}\``))).toEqual([]);
  });
});
