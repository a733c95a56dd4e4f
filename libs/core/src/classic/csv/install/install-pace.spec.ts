import { describe, expect, it } from 'vitest';
import type { ClusterServiceVersion, CsvCondition } from '../../../kernel/api/cluster-service-version.js';
import { installFailed, stepCsv } from '../step-csv.js';
import { gear, installedDeployments, world } from '../world/csv-world.fixture.js';
import { pauseAfterRefusal, pauseBeforeInstall } from './install-pace.js';

const START = Date.parse('2026-01-01T00:00:00Z');
const AHEAD = '2026-01-01T01:00:00Z';
const object = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'gear' } };
const refused = {
  forbidden: false,
  reason: 'Invalid',
  message: 'Deployment "gear" is invalid',
  action: { do: 'create', object } as const,
};

const unanswered = {
  ...refused,
  reason: 'InternalError',
  message: 'Internal error occurred: failed calling webhook "guard.example.com": context deadline exceeded',
};

type Fate = 'refused' | 'unanswered' | 'undone';

/** One step and its outcome at a moment; undefined status: the CSV is at rest until later. */
function stepAt(csv: ClusterServiceVersion, now: Date, fate: Fate) {
  const failure = fate === 'unanswered' ? unanswered : refused;
  const deployments = fate === 'undone' ? withoutHash(csv) : [];
  const step = stepCsv(csv, world({ now, csvs: [csv], deployments }));
  const installing = step.installing === true;
  const { status } = installing && fate !== 'undone' ? installFailed(csv, failure, now) : step;
  return { installing, status };
}

/**
 * Steps the CSV for so many seconds of simulated time, as often as it wants; gives the
 * seconds at which it installed.
 */
function installsWithin(seconds: number, csv: ClusterServiceVersion, fate: Fate): number[] {
  const installs: number[] = [];
  let current = csv;
  for (let turn = 0, second = 0; second < seconds; turn += 1) {
    const { installing, status } = stepAt(current, new Date(START + second * 1_000), fate);
    if (installing) installs.push(second);
    if (status !== undefined) current = { ...current, status };
    if (status === undefined || turn % 50 === 49) second += 1;
  }
  return installs;
}

const withoutHash = (csv: ClusterServiceVersion) =>
  installedDeployments(csv).map((one) => {
    const { 'olm.deployment-spec-hash': _hash, ...labels } = one.metadata.labels ?? {};
    return { ...one, metadata: { ...one.metadata, labels } };
  });

const ready = gear('v1', {}, { phase: 'InstallReady', reason: 'AllRequirementsMet', message: 'go' });

describe('the pace of installs', () => {
  it('slows down when the API server refuses: 5, 10, 20 … seconds between tries', () => {
    expect(installsWithin(80, ready, 'refused')).toEqual([0, 5, 15, 35, 75]);
  });

  it('never waits longer than 30 s for a webhook that does not answer, and tries once more before it says so', () => {
    const started = { ...ready, status: { ...ready.status, lastTransitionTime: new Date(START).toISOString() } };
    // In the simulated seconds before the first verdict it is tried without the pause that the shell keeps.
    const tries = installsWithin(160, started, 'unanswered').filter((second) => second >= 5);
    expect(tries).toEqual([5, 10, 20, 40, 70, 100, 130]);
  });

  it.each([
    { because: 'was refused', status: { reason: 'InstallComponentFailed' }, pause: pauseAfterRefusal },
    {
      because: 'was installed over and over',
      status: { conditions: Array.from({ length: 6 }, () => ({ phase: 'InstallReady', lastUpdateTime: AHEAD })) },
      pause: pauseBeforeInstall,
    },
  ])('is none of another hour for a CSV that $because while the clock was ahead', ({ status, pause }) => {
    const csv = { ...ready, status: { ...ready.status, lastTransitionTime: AHEAD, ...status } };
    expect(pause(csv as ClusterServiceVersion, new Date(START))).toBe(0);
  });

  it('starts over after a success', () => {
    const entry = (phase: string, reason: string): CsvCondition => ({ phase, reason, message: '' });
    const old = Array.from({ length: 4 }, () => entry('Failed', 'InstallComponentFailed'));
    const conditions = [...old, entry('Succeeded', 'InstallSucceeded')];
    const again = { ...ready, status: { ...ready.status, conditions } };
    expect(installsWithin(10, again, 'refused')).toEqual([0, 5]);
  });

  it('holds when something keeps undoing the install: a handful in a minute', () => {
    const installs = installsWithin(120, ready, 'undone');
    expect(installs.length).toBeGreaterThan(1);
    expect(installs.filter((second) => second < 60).length).toBeLessThanOrEqual(6);
    expect(installs.filter((second) => second >= 60).length).toBeGreaterThan(0);
    expect(installs.length).toBeLessThanOrEqual(13);
  });
});
