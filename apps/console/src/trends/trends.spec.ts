import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { urgency } from '#core/cluster/diagnosis/diagnosis';
import type { HistoryEntry } from '#core/view/rows/history-entry';
import { rowHistory } from '#core/view/rows/row-history';
import type { OperatorRow } from '#core/view/rows/rows';
import { FleetTrend, VersionTrend } from '../api/pictures.schema.js';
import { operatorRow } from '../console.fixture.js';
import { fleetTrend } from './fleet-trend.js';
import { versionTrend } from './version-trend.js';

const NOW = new Date('2026-11-26T10:30:00Z');
const HOUR = 3_600_000;
const hoursAgo = (hours: number): string => new Date(NOW.getTime() - hours * HOUR).toISOString();

const entry = (kind: HistoryEntry['kind'], cluster: string, hours: number, from: string, to: string): HistoryEntry => ({
  ...{ at: hoursAgo(hours), kind, cluster, row: 'subscription/lamps/lamp', namespace: 'lamps', package: 'lamp' },
  ...{ from, to, by: 'hub', comment: '' },
});
const lamp = (cluster: string, more: Partial<OperatorRow> = {}) => operatorRow(cluster, 'lamp', more);

function trendOf(entries: readonly HistoryEntry[], operators: readonly OperatorRow[], knownSince = hoursAgo(100)) {
  const sorted = entries.toSorted((a, b) => b.at.localeCompare(a.at));
  const rowOf = (cluster: string, id: string) => operators.find((row) => row.cluster === cluster && row.id === id);
  const urgent = operators.toSorted((a, b) => urgency(a.standing) - urgency(b.standing));
  return FleetTrend.parse(fleetTrend({ entries: sorted, knownSince }, { now: NOW, operators: urgent, rowOf }));
}

describe('the last 24 hours of the fleet', () => {
  it('has a part for each hour, and the last part ends now', () => {
    const { items, begin, parts, partSeconds } = trendOf([], []);
    expect([items.length, parts, partSeconds, begin]).toEqual([24, 24, 3_600, '2026-11-25T11:00:00.000Z']);
    expect([items[0]?.at, items.at(-1)?.at]).toEqual(['2026-11-25T12:00:00.000Z', NOW.toISOString()]);
  });

  it('counts an operator while it was failed or blocked, and no longer', () => {
    const changes = [
      entry('standing', 'east', 6, 'well', 'failed'),
      entry('standing', 'east', 4, 'failed', 'blocked'),
      entry('standing', 'east', 2, 'blocked', 'under-way'),
    ];
    const { items } = trendOf(changes, [lamp('east')]);
    expect(items.slice(-8).map(({ failed, blocked }) => `${failed}${blocked}`)).toEqual([
      ...['00', '10', '10', '01', '01', '00', '00', '00'],
    ]);
  });

  it('counts an operator without a change since it is in its state, and one that is gone until its last change', () => {
    const failed = lamp('west', { standing: 'failed', since: hoursAgo(3) });
    const { items } = trendOf([entry('standing', 'gone', 2, 'blocked', 'failed')], [failed]);
    expect(items.slice(-5).map((one) => one.failed)).toEqual([0, 1, 1, 1, 1]);
    expect(items.slice(-5).map((one) => one.blocked)).toEqual([1, 1, 0, 0, 0]);
  });

  it('counts versions that came in each hour, and none that was named as installed and does not run', () => {
    const entries = ['east', 'west', 'gone'].map((cluster) =>
      entry('version', cluster, 1, 'lamp.v1.0.0', 'lamp.v2.0.0'),
    );
    const to = { installed: 'lamp.v2.0.0' };
    const rows = [lamp('east', to), lamp('west', { ...to, standing: 'failed', stillRuns: 'lamp.v1.0.0' })];
    const uninstalled = entry('version', 'east', 1, 'lamp.v1.0.0', '');
    expect(
      trendOf([...entries, uninstalled], rows)
        .items.slice(-3)
        .map(({ done }) => done),
    ).toEqual([0, 2, 0]);
  });

  it('leaves out hours before the history starts, and all but the present if no history is kept', () => {
    expect(trendOf([], [], hoursAgo(3)).items).toHaveLength(4);
    expect(trendOf([], [lamp('east', { standing: 'failed' })], '').items).toMatchObject([{ failed: 1 }]);
  });
});

describe('versions of a package over time', () => {
  const versions = (
    entries: readonly HistoryEntry[],
    operators: readonly OperatorRow[],
    span: '1d' | '7d' | '30d' = '1d',
  ) => {
    const sorted = entries.toReversed().toSorted((a, b) => b.at.localeCompare(a.at));
    const query = { package: 'lamp', span };
    return VersionTrend.parse(
      versionTrend({ entries: sorted, knownSince: hoursAgo(1_000) }, { now: NOW, operators, query }),
    );
  };
  const ends = ({ versions: all }: VersionTrend) =>
    Object.fromEntries(all.map(({ version, clusters }) => [version, clusters.slice(-4).join(' ')]));

  it('follow each cluster back from its present version, the newest version first', () => {
    const changes = [
      entry('version', 'east', 3, 'lamp.v1.9.0', 'lamp.v1.10.0'),
      entry('version', 'east', 1, 'lamp.v1.10.0', 'lamp.v2.0.0'),
      entry('version', 'gone', 1, 'lamp.v1.9.0', ''),
    ];
    const rows = [
      lamp('east', { installed: 'lamp.v2.0.0', version: '2.0.0' }),
      lamp('west', { installed: 'lamp.v1.9.0', version: '1.9.0' }),
      operatorRow('east', 'harbor'),
    ];
    const found = versions(changes, rows);
    expect(found.versions.map(({ version }) => version)).toEqual(['2.0.0', '1.10.0', '1.9.0']);
    expect(ends(found)).toEqual({ '2.0.0': '0 0 1 1', '1.10.0': '1 1 0 0', '1.9.0': '2 2 1 1' });
    expect(found.clusters.slice(-4)).toEqual([3, 3, 2, 2]);
  });

  it('count a cluster with its running version, not with one that has not succeeded', () => {
    const row = lamp('east', { installed: 'lamp.v2.0.0', standing: 'failed', stillRuns: 'lamp.v1.0.0' });
    const found = versions([entry('version', 'east', 1, 'lamp.v1.0.0', 'lamp.v2.0.0')], [row]);
    expect(ends(found)).toEqual({ '1.0.0': '1 1 1 1' });
  });

  it.each([
    ['1d', 24],
    ['7d', 28],
    ['30d', 30],
  ] as const)('have a span of %s', (span, parts) => {
    expect(versions([], [lamp('east')], span).times).toHaveLength(parts);
  });

  it('show the twelve versions of most clusters, and count the others', () => {
    const rows = Array.from({ length: 20 }, (_, at) =>
      [...Array(at + 1).keys()].map((number) =>
        lamp(`c-${at}-${number}`, { installed: `lamp.v1.${at}.0`, version: `1.${at}.0` }),
      ),
    ).flat();
    const found = versions([], rows);
    expect(found.versions.map(({ version }) => version)).toEqual(
      Array.from({ length: 12 }, (_, at) => `1.${19 - at}.0`),
    );
    expect([found.otherVersions, found.other.at(-1), found.clusters.at(-1)]).toEqual([8, 36, 210]);
  });

  it('say at every time the same as the rows then, for any life of operators that are never removed', () => {
    const step = fc.record({ hours: fc.integer({ min: 1, max: 23 }), version: fc.integer({ min: 1, max: 4 }) });
    const lives = fc.array(fc.array(step, { maxLength: 6 }), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(lives, (all) => {
        const told: HistoryEntry[] = [];
        const rows = all.map((life, index) => {
          let row = lamp(`c${index}`);
          for (const { hours, version } of life.toSorted((a, b) => b.hours - a.hours)) {
            const next = {
              ...row,
              installed: `lamp.v${version}.0.0`,
              version: `${version}.0.0`,
              updatedAt: hoursAgo(hours),
            };
            told.push(...rowHistory(row, next));
            row = next;
          }
          return { row, life };
        });
        const found = versions(
          told,
          rows.map(({ row }) => row),
        );
        for (const [at, time] of found.times.entries()) {
          const then = rows.map(({ life }) => {
            const past = life.filter(({ hours }) => hoursAgo(hours) <= time).toSorted((a, b) => b.hours - a.hours);
            return past.at(-1)?.version ?? 1;
          });
          for (const { version, clusters } of found.versions)
            expect(clusters[at]).toBe(then.filter((one) => `${one}.0.0` === version).length);
        }
      }),
    );
  });
});
