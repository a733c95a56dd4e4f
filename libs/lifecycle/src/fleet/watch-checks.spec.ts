import { describe, expect, it } from 'vitest';
import { ManualClock } from '#platform/clock/manual-clock';
import type { Freshness } from '#platform/telemetry/health-check';
import { classicWatchesCheck, v1WatchesCheck } from './watch-checks.js';

type Cluster = Readonly<{
  /** Undefined where the cluster has not joined. */
  classic?: Partial<Freshness>;
  v1?: Partial<Freshness>;
  held?: boolean;
  problem?: string;
}>;

function depsOf(clusters: Readonly<Record<string, Cluster>>) {
  const clock = new ManualClock();
  const fresh: Freshness = { synced: true, problems: [], lastSeen: clock.now() };
  return {
    clock,
    staleAfterMs: 60_000,
    clusters: () => Object.keys(clusters),
    isHeld: (name: string) => clusters[name]?.held === true,
    of: (name: string) => {
      const { classic, v1 } = clusters[name] ?? {};
      if (classic === undefined && v1 === undefined) return undefined;
      return {
        classic: { freshness: () => ({ ...fresh, ...classic }) },
        v1: { freshness: () => ({ ...fresh, ...v1 }) },
      };
    },
    problemOf: (name: string) => clusters[name]?.problem,
  };
}

function checked(clusters: Readonly<Record<string, Cluster>>) {
  const deps = depsOf(clusters);
  return Promise.all([classicWatchesCheck(deps).check(), v1WatchesCheck(deps).check()]);
}

const OLD = { lastSeen: new Date('2025-12-31T23:58:00Z') };

describe('how fresh the watches of a fleet are', () => {
  it.each<{ because: string; clusters: Record<string, Cluster>; classic: object; v1: object }>([
    {
      because: 'all watches show signs of life',
      clusters: { east: { classic: {} }, west: { classic: {} } },
      classic: { up: true, detail: '2 of 2 clusters are watched', clusters: ['east', 'west'] },
      v1: { up: true, detail: '2 of 2 clusters are watched', clusters: ['east', 'west'] },
    },
    {
      because: 'one cluster is away: the service is degraded, and ready',
      clusters: { east: { classic: {} }, west: { problem: 'connect ECONNREFUSED' } },
      classic: {
        up: true,
        degraded: true,
        detail: 'no sign of life from 1 of 2 clusters: west (never seen: connect ECONNREFUSED)',
      },
      v1: { up: true, detail: '1 of 1 clusters are watched', clusters: ['east'] },
    },
    {
      because: 'all are away: the service is not ready; its part for OLM v1 alone would only degrade it',
      clusters: { east: { classic: OLD, v1: OLD } },
      classic: { up: false, detail: 'no sign of life from 1 of 1 clusters: east (for 120 s)' },
      v1: { up: true, degraded: true, detail: 'no sign of life from 1 of 1 clusters: east (for 120 s)' },
    },
    {
      because: 'kinds are refused to the poller: the first is named, and the others are counted',
      clusters: {
        east: { classic: { synced: false, problems: ['list of roles: Forbidden', 'list of pods: Forbidden'] } },
        west: { classic: {} },
      },
      classic: {
        up: true,
        degraded: true,
        detail: 'no sign of life from 1 of 2 clusters: east (never seen: list of roles: Forbidden, and 1 more kind)',
        troubles: { east: 'list of roles: Forbidden, and 1 more kind' },
      },
      v1: { up: true, detail: '2 of 2 clusters are watched' },
    },
    {
      because: 'a kind of OLM v1 is refused: the service is degraded by its part for OLM v1',
      clusters: { east: { classic: {}, v1: { synced: false, problems: ['list of clustercatalogs: Forbidden'] } } },
      classic: { up: true, detail: '1 of 1 clusters are watched' },
      v1: {
        up: true,
        degraded: true,
        detail: 'no sign of life from 1 of 1 clusters: east (never seen: list of clustercatalogs: Forbidden)',
      },
    },
    {
      because: 'a cluster that is left to OLM is not away',
      clusters: { east: { classic: {} }, west: { held: true } },
      classic: { up: true, detail: '1 of 1 clusters are watched', clusters: ['east', 'west'] },
      v1: { up: true, detail: '1 of 1 clusters are watched', clusters: ['east'] },
    },
  ])('$because', async ({ clusters, classic, v1 }) => {
    const [classicHealth, v1Health] = await checked(clusters);
    expect(classicHealth).toMatchObject(classic);
    expect(v1Health).toMatchObject(v1);
  });
});
