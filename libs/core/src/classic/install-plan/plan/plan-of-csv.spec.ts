import { describe, expect, it } from 'vitest';
import type { InstallPlan } from '../../../kernel/api/install-plan.js';
import { canonicalHash } from '../../../kernel/canonical/canonical-json.js';
import { changeOfPlan, planOfCsv, secondsUntilReady } from './plan-of-csv.js';

const changeNamed = (name: string) => canonicalHash(name).slice(0, 32);

const plan = (name: string, created: string, csvs: readonly string[], status: object = {}): InstallPlan =>
  ({
    metadata: { name, creationTimestamp: created, annotations: { 'flotilla.dev/change': changeNamed(name) } },
    spec: { clusterServiceVersionNames: csvs },
    status,
  }) as never;
const PLANS = [
  plan('install-1', '2026-01-01T00:00:00Z', ['lamp.v1']),
  plan('install-3', '2026-01-03T00:00:00Z', ['lamp.v1', 'gear.v1']),
  plan('install-2', '2026-01-02T00:00:00Z', ['lamp.v1']),
];

describe('the plan of a ClusterServiceVersion', () => {
  it.each([
    ['lamp.v1', 'install-3'],
    ['gear.v1', 'install-3'],
    ['rope.v1', undefined],
  ])('of %s is %s: the newest that installs it', (csv, name) => {
    const found = planOfCsv(csv, PLANS);
    expect(found?.metadata.name).toBe(name);
    expect(found && changeOfPlan(found)).toBe(name && changeNamed(name));
  });

  it.each([
    ['of another length', 'c1'],
    ['with other characters', `${'c'.repeat(31)}\n`],
    ['in capitals', 'C'.repeat(32)],
    ['absent', undefined],
  ])('names no change where the annotation is %s', (_, change) => {
    const annotations = change === undefined ? {} : { 'flotilla.dev/change': change };
    expect(changeOfPlan({ metadata: { name: 'install-1', annotations } })).toBeUndefined();
  });
});

describe('how long a plan took until its ClusterServiceVersion was Succeeded', () => {
  const started = plan('install-1', '2026-01-01T00:00:00Z', ['lamp.v1'], { startTime: '2026-01-01T00:01:00Z' });
  const now = new Date('2026-01-01T00:01:30Z');

  it('is counted from its start, once', () => {
    expect(secondsUntilReady(started, { phase: 'Installing', conditions: [{ phase: 'Pending' }] }, now)).toBe(30);
  });

  it('is never negative, whatever the clocks say', () => {
    expect(secondsUntilReady(started, {}, new Date(0))).toBe(0);
  });

  it.each<[why: string, of: Parameters<typeof secondsUntilReady>[0], csv: Parameters<typeof secondsUntilReady>[1]]>([
    [
      'it was Succeeded before',
      started,
      { phase: 'Failed', conditions: [{ phase: 'Succeeded' }, { phase: 'Failed' }] },
    ],
    ['the plan has not started', plan('install-1', '', ['lamp.v1']), { phase: 'Installing' }],
    ['no plan installed it', undefined, { phase: 'Installing' }],
  ])('is not known where %s', (_, of, csv) => {
    expect(secondsUntilReady(of, csv, now)).toBeUndefined();
  });
});
