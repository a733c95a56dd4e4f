import { describe, expect, it } from 'vitest';
import { ManualClock } from '../clock/manual-clock.js';
import { freshnessCheck } from './health-check.js';

describe('freshnessCheck', () => {
  const clock = new ManualClock('2026-01-01T00:10:00Z');
  const fresh = new Date('2026-01-01T00:09:30Z');
  const old = new Date('2026-01-01T00:00:00Z');
  const check = (seen: Record<string, Date | undefined>) =>
    freshnessCheck('watches', clock, 60_000, () => new Map(Object.entries(seen))).check();

  it.each([
    {
      seen: {},
      away: [],
      health: { up: true, detail: '0 of 0 clusters are watched' },
      because: 'nothing is asked of it yet',
    },
    {
      seen: { a: fresh },
      away: [],
      health: { up: true, detail: '1 of 1 clusters are watched' },
      because: 'all is fresh',
    },
    {
      seen: { a: fresh, b: old },
      away: ['b'],
      troubles: { b: 'no sign of life from its watches (for 600 s)' },
      health: { up: true, degraded: true, detail: 'no sign of life from 1 of 2 clusters: b (for 600 s)' },
      because: 'one cluster that is away is not our failure',
    },
    {
      seen: { a: undefined, b: old },
      away: ['a', 'b'],
      troubles: {
        a: 'no sign of life from its watches (never seen)',
        b: 'no sign of life from its watches (for 600 s)',
      },
      health: {
        up: false,
        degraded: true,
        detail: 'no sign of life from 2 of 2 clusters: a (never seen), b (for 600 s)',
      },
      because: 'all away: we are cut off',
    },
  ])('$health.detail: $because', async ({ seen, away, health, troubles }) => {
    const named = troubles === undefined ? {} : { troubles };
    expect(await check(seen)).toEqual({ ...health, ...named, clusters: Object.keys(seen), away });
  });

  it.each([
    {
      seen: { b: old },
      up: true,
      says: /^no sign of life from 1 of 2 clusters: b/,
      because: 'one is left, one is away',
    },
    { seen: { b: fresh }, up: true, says: /^1 of 1 clusters are watched$/, because: 'one is left, one is watched' },
    { seen: {}, up: true, says: /^0 of 0 clusters are watched$/, because: 'all are left' },
  ])('a cluster that is left to OLM is managed, and not away: $because', async ({ seen, up, says }) => {
    const last = () => new Map(Object.entries(seen));
    const left = () => ['a'];
    const health = await freshnessCheck('watches', clock, 60_000, last, undefined, left).check();
    expect(health).toMatchObject({ up, detail: expect.stringMatching(says), clusters: ['a', ...Object.keys(seen)] });
  });

  it('says why a cluster is away, where that is known', async () => {
    const seen = () =>
      new Map([
        ['a', undefined],
        ['b', old],
      ]);
    const why = (cluster: string) => (cluster === 'a' ? 'connection refused' : undefined);
    const { detail } = await freshnessCheck('watches', clock, 60_000, seen, why).check();
    expect(detail).toMatch(/a \(never seen: connection refused\), b \(for 600 s\)$/);
  });

  it('names those first of which a reason is known', async () => {
    const names = Array.from({ length: 30 }, (_, n) => `cluster-${n}`);
    const seen = () => new Map(names.map((name) => [name, undefined]));
    const why = (cluster: string) => (cluster === 'cluster-29' ? 'connection refused' : undefined);
    const { detail } = await freshnessCheck('watches', clock, 60_000, seen, why).check();
    expect(detail).toContain(': cluster-29 (never seen: connection refused), cluster-0 (never seen)');
  });

  it('stays short with many clusters', async () => {
    const seen = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`cluster-${i}`, undefined]));
    const { detail } = await check(seen);
    expect(detail.length).toBeLessThan(400);
    expect(detail).toMatch(/and 490 more$/);
  });
});
