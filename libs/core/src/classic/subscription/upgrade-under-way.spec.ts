import { describe, expect, it } from 'vitest';
import type { ClusterServiceVersion } from '../../kernel/api/cluster-service-version.js';
import type { InstallPlan } from '../../kernel/api/install-plan.js';
import { gear } from '../csv/world/csv-world.fixture.js';
import { upgradeUnderWayMs } from './upgrade-under-way.js';

const NOW = new Date('2026-01-01T00:10:00Z');
const MINUTE = 60_000;

const csv = (name: string, replaces: string | undefined, minutesOld: number, labels = {}): ClusterServiceVersion => {
  const plain = gear(name, replaces === undefined ? {} : { replaces });
  const creationTimestamp = new Date(NOW.getTime() - minutesOld * MINUTE).toISOString();
  return { ...plain, metadata: { ...plain.metadata, creationTimestamp, labels } };
};
const plan = (phase: string): InstallPlan => ({
  apiVersion: 'operators.coreos.com/v1alpha1',
  kind: 'InstallPlan',
  metadata: { name: 'install-2', namespace: 'mill' },
  spec: { approval: 'Automatic', approved: true, clusterServiceVersionNames: ['v2'] },
  status: { phase, catalogSources: [] },
});

describe('an upgrade under way', () => {
  const old = csv('v1', undefined, 60);

  it.each([
    { because: 'nothing replaces anything', csvs: [old], plans: [], ms: undefined },
    { because: 'the new one came a minute ago', csvs: [old, csv('v2', 'v1', 1)], plans: [], ms: 4 * MINUTE },
    {
      because: 'the clock here is an hour behind that of the cluster',
      csvs: [old, csv('v2', 'v1', -60)],
      plans: [],
      ms: undefined,
    },
    {
      because: 'its plan is still at work',
      csvs: [old, csv('v2', 'v1', 1)],
      plans: [plan('Installing')],
      ms: 4 * MINUTE,
    },
    {
      because: 'its plan has failed: it will not come',
      csvs: [old, csv('v2', 'v1', 1)],
      plans: [plan('Failed')],
      ms: undefined,
    },
    {
      because: 'it is stuck for as long as an installation may take',
      csvs: [old, csv('v2', 'v1', 5)],
      plans: [],
      ms: undefined,
    },
    { because: 'the old one is gone', csvs: [csv('v2', 'v1', 1)], plans: [], ms: undefined },
    { because: 'one that names itself replaces nothing', csvs: [csv('v2', 'v2', 1)], plans: [], ms: undefined },
    {
      because: 'copies of CSVs of other namespaces replace nothing here',
      csvs: [old, csv('v2', 'v1', 1, { 'olm.copiedFrom': 'elsewhere' })],
      plans: [],
      ms: undefined,
    },
    {
      because: 'of two, the younger decides',
      csvs: [old, csv('v2', 'v1', 4), csv('v3', 'v2', 2)],
      plans: [],
      ms: 3 * MINUTE,
    },
  ])('$because: $ms', ({ csvs, plans, ms }) => {
    expect(upgradeUnderWayMs(csvs, plans, NOW)).toBe(ms);
  });
});
