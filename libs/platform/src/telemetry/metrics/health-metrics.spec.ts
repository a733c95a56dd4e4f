import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import type { Health } from '../health-check.js';
import { watchHealth } from './health-metrics.js';

const REDIS: Health = { up: true, degraded: true, detail: 'nine tenths of maxmemory are used' };
const CONTACT: Health = { up: true, degraded: true, detail: '', clusters: ['east', 'west'], away: ['west'] };

async function linesOf(checks: Readonly<Record<string, Health>>, registry = new Registry()): Promise<string[]> {
  watchHealth(registry, async () => Object.entries(checks).map(([name, health]) => ({ name, health })));
  return (await registry.metrics()).split('\n').filter((line) => line.startsWith('flotilla_'));
}

it('says which status each check has, and which clusters answer, for checks that find that out', async () => {
  expect(
    await linesOf({ redis: REDIS, clusters: CONTACT, settings: { up: false, detail: '', clusters: ['east'] } }),
  ).toEqual([
    'flotilla_health_check_status{check="redis",status="up"} 0',
    'flotilla_health_check_status{check="redis",status="degraded"} 1',
    'flotilla_health_check_status{check="redis",status="down"} 0',
    'flotilla_health_check_status{check="clusters",status="up"} 0',
    'flotilla_health_check_status{check="clusters",status="degraded"} 1',
    'flotilla_health_check_status{check="clusters",status="down"} 0',
    'flotilla_health_check_status{check="settings",status="up"} 0',
    'flotilla_health_check_status{check="settings",status="degraded"} 0',
    'flotilla_health_check_status{check="settings",status="down"} 1',
    'flotilla_cluster_reachable{cluster="east",check="clusters"} 1',
    'flotilla_cluster_reachable{cluster="west",check="clusters"} 0',
  ]);
});

it('runs the checks once per scrape, and forgets a cluster that has left', async () => {
  const registry = new Registry();
  let runs = 0;
  let clusters = ['east', 'west'];
  watchHealth(registry, async () => {
    runs += 1;
    return [{ name: 'clusters', health: { up: true, detail: '', clusters, away: [] } }];
  });
  await registry.metrics();
  expect(runs).toBe(1);
  clusters = ['east'];
  expect(await registry.metrics()).not.toContain('west');
  expect(runs).toBe(2);
});
