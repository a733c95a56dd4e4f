import { Gauge, type Registry } from 'prom-client';
import type { Health } from '../health-check.js';

/** The answer of a check of `/healthz`. */
type CheckedHealth = Readonly<{ name: string; health: Health }>;

const STATUS = 'flotilla_health_check_status';
const REACHABLE = 'flotilla_cluster_reachable';
const STATUSES = ['up', 'degraded', 'down'] as const;

/**
 * The checks of `/healthz` as metrics. They are run once per scrape, by the same code as for `/healthz`, so
 * that both always say the same; nothing is counted between scrapes.
 */
export function watchHealth(registry: Registry, checkAll: () => Promise<readonly CheckedHealth[]>): void {
  let underWay: Promise<readonly CheckedHealth[]> | undefined;
  const checked = () => {
    underWay ??= checkAll().finally(() => {
      underWay = undefined;
    });
    return underWay;
  };
  for (const name of [STATUS, REACHABLE]) registry.removeSingleMetric(name);
  statusGauge(registry, checked);
  reachableGauge(registry, checked);
}

type Checked = () => Promise<readonly CheckedHealth[]>;

function statusGauge(registry: Registry, checked: Checked): void {
  const gauge: Gauge = new Gauge({
    name: STATUS,
    help: 'Checks of /healthz: 1 at the status that the check has now, 0 at the others',
    labelNames: ['check', 'status'],
    registers: [registry],
    collect: async () => {
      const all = await checked();
      gauge.reset();
      for (const { name, health } of all) {
        for (const status of STATUSES) gauge.set({ check: name, status }, statusOf(health) === status ? 1 : 0);
      }
    },
  });
}

function reachableGauge(registry: Registry, checked: Checked): void {
  const gauge: Gauge = new Gauge({
    name: REACHABLE,
    help: 'Whether the cluster answers: 1 or 0, by the check of /healthz that asks',
    labelNames: ['cluster', 'check'],
    registers: [registry],
    collect: async () => {
      const all = await checked();
      gauge.reset();
      for (const { name, health } of all) {
        if (health.away === undefined) continue;
        const away = new Set(health.away);
        for (const cluster of health.clusters ?? []) {
          gauge.set({ cluster, check: name }, away.has(cluster) ? 0 : 1);
        }
      }
    },
  });
}

function statusOf({ up, degraded }: Health): (typeof STATUSES)[number] {
  if (!up) return 'down';
  return degraded === true ? 'degraded' : 'up';
}
