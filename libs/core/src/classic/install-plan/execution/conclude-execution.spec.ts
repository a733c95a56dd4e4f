import { describe, expect, it } from 'vitest';
import type { InstallPlan, InstallPlanStatus } from '../../../kernel/api/install-plan.js';
import type { StepOutcome } from '../steps/step-world.js';
import { concludeExecution } from './conclude-execution.js';

const step = (status: string) => ({
  resolving: 'tug.v1',
  status,
  resource: { sourceName: 's', sourceNamespace: 'olm', group: '', version: 'v1', kind: 'Role', name: 'r' },
});
const plan = (statuses: readonly string[], more: Partial<InstallPlanStatus> = {}, generation = 1): InstallPlan => ({
  apiVersion: 'operators.coreos.com/v1alpha1',
  kind: 'InstallPlan',
  metadata: { name: `install-${generation}`, creationTimestamp: '2026-01-01T00:00:00Z' },
  spec: { approval: 'Automatic', approved: true, clusterServiceVersionNames: [], generation },
  status: { phase: 'Installing', catalogSources: [], plan: statuses.map(step), ...more },
});
const START = '2026-01-01T00:00:00Z';
const conclude = (one: InstallPlan, outcomes: StepOutcome[], now = START) =>
  concludeExecution(one, new Map(outcomes.entries()), { now, retryTimeoutMs: 60_000 });

describe('install-plans.md §3 and §6, the end of an execution', () => {
  it('is Complete when every step is there, and clears the message of an earlier try', () => {
    const { status, againAfterMs } = conclude(plan(['Unknown', 'Unknown'], { message: 'retrying' }), [
      { status: 'Created' },
      { status: 'Present' },
    ]);
    expect(status).toEqual({
      phase: 'Complete',
      catalogSources: [],
      plan: [step('Created'), step('Present')],
      startTime: START,
      conditions: [{ type: 'Installed', status: 'True', lastUpdateTime: START, lastTransitionTime: START }],
    });
    expect(againAfterMs).toBeUndefined();
  });

  it('stays open while a CRD waits for its API', () => {
    const { status, againAfterMs } = conclude(plan(['Unknown']), [{ status: 'WaitingForApi' }]);
    expect([status.phase, status.plan?.[0]?.status]).toEqual(['Installing', 'WaitingForApi']);
    expect(againAfterMs).toBeGreaterThan(0);
  });

  it.each(['Unknown', 'NotPresent', 'WaitingForApi'] as const)('is not Complete while a step is %s', (status) => {
    const concluded = conclude(plan(['WaitingForApi']), [{ status }]);
    expect([concluded.status.phase, concluded.againAfterMs]).toEqual(['Installing', 500]);
  });

  it('says what it waits for, and asks less often then', () => {
    const waitingFor = 'waiting for CRD "x" to be established: the name is taken';
    const concluded = conclude(plan(['WaitingForApi']), [{ status: 'WaitingForApi', waitingFor }]);
    expect(concluded).toMatchObject({ status: { phase: 'Installing', message: waitingFor }, againAfterMs: 5_000 });
  });

  it.each<[why: string, startTime: string | undefined, forbidden: boolean, phase: string, message: string]>([
    [
      'error, elapsed below the retry timeout → stays Installing (first execution)',
      undefined,
      false,
      'Installing',
      'retrying execution due to error: no way',
    ],
    [
      'error, elapsed below the retry timeout → stays Installing',
      '2025-12-31T23:59:01Z',
      false,
      'Installing',
      'retrying execution due to error: no way',
    ],
    [
      'error, elapsed not below → Failed, Installed=False reason InstallComponentFailed, message in both places',
      '2025-12-31T23:59:00Z',
      false,
      'Failed',
      'no way',
    ],
    [
      'Forbidden → stays Installing for ever',
      '2020-01-01T00:00:00Z',
      true,
      'Installing',
      'retrying execution due to error: no way',
    ],
  ])('after an error: %s', (_why, startTime, forbidden, phase, message) => {
    const one = plan(['Unknown', 'Unknown'], startTime === undefined ? {} : { startTime });
    const { status } = conclude(one, [{ status: 'Created' }, { status: 'Unknown', error: 'no way', forbidden }]);
    expect([status.phase, status.message]).toEqual([phase, message]);
    expect(status.plan?.map((each) => each?.status)).toEqual(['Created', 'Unknown']);
    expect(status.startTime).toBe(startTime ?? START);
    const failed = { type: 'Installed', status: 'False', reason: 'InstallComponentFailed', message: 'no way' };
    if (phase === 'Failed') expect(status.conditions).toMatchObject([failed]);
    else expect(status.conditions).toBeUndefined();
  });

  it('keeps the transition time of a condition whose status stays', () => {
    const before = {
      type: 'Installed',
      status: 'False',
      reason: 'Unknown',
      lastTransitionTime: '2025-01-01T00:00:00Z',
    };
    const one = plan(['Unknown'], { conditions: [before], startTime: '2025-01-01T00:00:00Z' });
    const { status } = conclude(one, [{ status: 'Unknown', error: 'no way' }]);
    expect(status.conditions?.[0]).toMatchObject({ lastTransitionTime: '2025-01-01T00:00:00Z', lastUpdateTime: START });
  });
});
