import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import type { KafkaScenario } from '#core/rollout/simulation/kafka-scenario.fixture';

export const KAFKA = 'FleetOperator/platform/kafka';
export const SCHEMA = 'FleetOperator/platform/schema';
export const CATALOG = 'FleetCatalog/platform/curated';
export const CURATED = {
  ...{ apiVersion: FLEET_API, kind: 'FleetCatalog', metadata: { name: 'curated', namespace: 'platform' } },
  spec: {
    ...{ image: 'registry.example/c:1', promotion: 'Staged', strategyRef: { name: 's' } },
    catalogSource: { name: 'curated' },
  },
};
export const operatorOf = (name: string, catalog: object) => ({
  ...{ apiVersion: FLEET_API, kind: 'FleetOperator', metadata: { name, namespace: 'platform' } },
  spec: {
    ...{ package: `${name}-operator`, namespace: 'kafka', catalog },
    strategyRef: { name: 's' },
  },
});
const by = { user: 'anna', groups: [] };
export const decide = (action: string, more: object = {}) => ({
  rollout: 'platform/kafka-1',
  action,
  by,
  reason: 'CHG-1',
  ...more,
});

/**
 * `isKilled`: its controller acts at other times than the rehearsed one, as after a kill. `isFirst`: it
 * stands for its kind in `make test`. `isQueued`: a rollout waits for its turn. Live it begins with that.
 * `isLost`: live, statuses are deleted and written again.
 */
export type Story = KafkaScenario &
  Readonly<{ name: string; isKilled?: boolean; isFirst?: boolean; isQueued?: boolean; isLost?: boolean }>;
type Wave = Readonly<Record<string, unknown>>;
type Strategy = Readonly<Record<string, unknown>>;

export const all = (wave: Wave = {}, strategy: Strategy = {}) => ({
  waves: [{ name: 'all', maxConcurrent: '100%', ...wave }],
  ...strategy,
});
export const script = (...entries: readonly object[]) => ({
  script: [{ at: '0s', release: { subject: KAFKA } }, ...entries],
});
export const fault = (effect: object, names: readonly string[] = ['c-0002']) => ({ clusters: { names }, ...effect });
export const FAILS = { applyFails: { after: '5s', cause: 'ImagePullBackOff' } };
export const GATE = { name: 'errors', webhook: { url: 'https://gate.example/' } };
export const window = (spec: object) => ({
  apiVersion: FLEET_API,
  kind: 'FleetWindow',
  metadata: { name: 'freeze' },
  spec,
});
export const NIGHT = { type: 'Deny', period: { from: '2026-01-05T00:00:10Z', to: '2026-01-05T06:00:00Z' } };
export const targets = (more: object) => ({ targets: [{ subject: KAFKA, to: 'kafka-operator.v2', ...more }] });
export const HOPS = targets({ classes: [{ name: 'only', hops: 3 }] });
export const killed = (from: string, down: string) => ({ from, controllerKilled: { down } });
