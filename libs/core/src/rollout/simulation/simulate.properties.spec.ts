import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FleetEvent } from '../controller/record/event-log.js';
import { anyParts, type ScenarioParts, scenarioOf, steadyParts } from './random-scenario.fixture.js';
import { simulate } from './simulate.js';
import { simulateChecked } from './simulate-checked.js';
import type { RunSummary } from './summary.js';

const seed = Number(process.env['FLOTILLA_TEST_SEED'] ?? Date.now() % 2 ** 31);
/** `FLOTILLA_FLEET_RUNS=10000` for the long form. */
const numRuns = Number(process.env['FLOTILLA_FLEET_RUNS'] ?? 8);
const runs = { seed, numRuns };
/** A run with a controller that is killed again and again takes as long as ten others. */
const killedRuns = { seed, numRuns: Math.ceil(numRuns / 5) };

/** Reasons of clusters that only a decision, a window, a fact or a catalog ends. */
const ENDED_FROM_OUTSIDE = new Set([
  ...['Offline', 'Rejected', 'Denied', 'Approval', 'RolloutPaused', 'Halted', 'WaitingCatalog', 'Frozen', 'Window'],
  ...['GateBefore', 'WindowClosed', 'ClusterPaused', 'Unreachable', 'OtherRollout', 'WaveNotOpen'],
]);
const FINAL = new Set(['Completed', 'RolledBack', 'Aborted', 'Superseded']);

type WavesOf = Readonly<{ waves?: readonly Readonly<{ name: string; requireSuccesses?: number }>[] }>;
type PlayedWave = RunSummary['rollouts'][number]['waves'][number];

/** A wave that waits for more successes; one that has lost them while it soaks stays Soaking (0270). */
function lacksSuccesses({ name, phase, members, counts }: PlayedWave, { waves = [] }: WavesOf): boolean {
  if (phase === 'Open') return counts.waiting === 0;
  const { requireSuccesses = 1 } = waves.find((one) => one.name === name) ?? waves.at(-1) ?? {};
  return phase === 'Soaking' && counts.done < Math.min(requireSuccesses, members);
}

/** Rollouts that have not ended although no decision, window or fact is missing. */
function stuck({ rollouts, clusters, seconds }: RunSummary, strategy: WavesOf): string[] {
  // The run was ended before the rollouts.
  if (seconds >= 12 * 3600) return [];
  return rollouts
    .filter(({ phase, reason }) => !FINAL.has(phase) && phase !== 'Paused' && phase !== 'Halted' && reason !== 'Queued')
    .filter(({ waves }) => waves.every(({ phase }) => phase !== 'AwaitingPromotion' && phase !== 'RollingBack'))
    .filter(({ waves, name }) => {
      const isHeld = clusters.some(({ rows }) =>
        rows.some(({ rollout, reason }) => rollout === name && ENDED_FROM_OUTSIDE.has(reason)),
      );
      const needsSuccesses = waves.some((wave) => lacksSuccesses(wave, strategy));
      return !isHeld && !needsSuccesses && waves.every(({ phase }) => phase !== 'Pending');
    })
    .map(({ name, phase, reason }) => `${name}: ${phase} (${reason})`);
}

function played(parts: ScenarioParts, more: readonly object[] = []): { events: FleetEvent[]; summary: RunSummary } {
  const events: FleetEvent[] = [];
  const summary = simulateChecked(scenarioOf(parts, more), (event) => events.push(event));
  return { events, summary };
}

/**
 * Clusters that come late fail in a Completed rollout until these are too many: those that wait there are
 * halted in that step. Found in 10,000 runs of the seed 20261126.
 */
const FAILURES_OF_LATE_CLUSTERS: ScenarioParts = {
  strategy: { waves: [{ name: 'w0', progressDeadline: '40s', failureThreshold: '50%' }] },
  windows: [],
  count: 8,
  hops: 1,
  planChanges: ['Minor'],
  needsCatalog: false,
  faults: [
    { clusters: {}, from: '0s', planChanges: { class: 'only' } },
    { clusters: { percent: 26 }, from: '30s', offline: { for: '20m' } },
  ],
  script: [{ at: '0s', join: { name: 'late-1', labels: { tier: 'lab' } } }],
  jitter: 0.5,
  until: '12h',
};

/**
 * The cluster that succeeded last leaves while its wave soaks, and the controller is killed: the soak stays
 * as long. Found in 3,000 runs of the seed 20261127.
 */
const LAST_SUCCESS_THAT_LEAVES: ScenarioParts = {
  strategy: {
    waves: [
      { name: 'w0', clusters: { selector: { matchLabels: { tier: 'prod' } } }, percent: 1, soak: '1h' },
      { name: 'w1', clusters: { selector: { matchLabels: { tier: 'lab' } } }, soak: '1h' },
    ],
  },
  windows: [],
  count: 8,
  hops: 1,
  planChanges: ['Minor'],
  needsCatalog: false,
  faults: [
    { clusters: {}, from: '0s', controllerKilled: { everyWrites: 1, down: '1s' } },
    { clusters: { names: ['c-0004'] }, from: '3h', clusterReplaced: {} },
  ],
  script: [],
  jitter: 0,
  until: '12h',
};

/** A wave has no success too many, and a cluster of it is unwell while it soaks. */
const SUCCESS_LOST_IN_A_SOAK: ScenarioParts = {
  ...LAST_SUCCESS_THAT_LEAVES,
  strategy: {
    waves: [
      { name: 'w0', percent: 1 },
      { name: 'w1', percent: 43, soak: '1m', failureThreshold: 1, requireSuccesses: 3 },
    ],
  },
  faults: [{ clusters: { percent: 8 }, from: '0s', unhealthy: { after: '0s' } }],
};

/** How long a controller is away after it was killed: also longer than any gate may take. */
const absences = fc.constantFrom('1s', '1s', '41s', '11m');

const phases = ({ rollouts }: RunSummary) => rollouts.map(({ name, phase }) => `${name} ${phase}`);

describe(`random fleets, strategies, faults and decisions (FLOTILLA_TEST_SEED=${seed})`, () => {
  it('hold every invariant that the events show (I1 to I11, I17 to I22)', () => {
    fc.assert(
      fc.property(anyParts, (parts) => {
        expect(played(parts).summary.invariants.violations).toEqual([]);
      }),
      { ...runs, examples: [[LAST_SUCCESS_THAT_LEAVES]] },
    );
  });

  it('come to an end, unless a decision, a window or a fact is missing (I23)', () => {
    fc.assert(
      fc.property(anyParts, (parts) => {
        expect(stuck(played(parts).summary, parts.strategy)).toEqual([]);
      }),
      { ...runs, examples: [[SUCCESS_LOST_IN_A_SOAK]] },
    );
  });

  it('write the same bytes for the same input, in the order of their time (I16)', () => {
    fc.assert(
      fc.property(anyParts, (parts) => {
        const [one, other] = [played(parts), played(parts)];
        expect(JSON.stringify(one)).toBe(JSON.stringify(other));
        expect(one.events.map(({ seq }) => seq)).toEqual(one.events.map((_, index) => index + 1));
        expect(one.events.every(({ t }, index) => t >= (one.events[index - 1]?.t ?? 0))).toBe(true);
      }),
      runs,
    );
  });

  it('end the same with a controller that is killed after any write, and without statuses and wake-ups (I14)', () => {
    fc.assert(
      fc.property(steadyParts, fc.integer({ min: 1, max: 12 }), absences, (parts, everyWrites, down) => {
        const undisturbed = played(parts).summary;
        const disturbed = played(parts, [
          { controllerKilled: { everyWrites, down } },
          { from: '31s', statusLost: {} },
          { from: '10s', wakesLost: { for: '1m' } },
        ]).summary;
        expect(phases(disturbed)).toEqual(phases(undisturbed));
        if (undisturbed.rollouts.some(({ phase }) => phase !== 'Completed')) return;
        const installed = ({ clusters }: RunSummary) => clusters.map((one) => one.installed);
        expect(installed(disturbed)).toEqual(installed(undisturbed));
      }),
      killedRuns,
    );
  });

  it('change nothing in a step without new facts (I15)', () => {
    fc.assert(
      fc.property(anyParts, (parts) => {
        let count = 0;
        let again = (): void => undefined;
        simulate(
          scenarioOf(parts),
          () => count++,
          ({ hub }) => {
            again = () => {
              for (const record of hub.records) record.due.note(null);
              hub.settle();
            };
          },
        );
        const before = count;
        again();
        expect(count).toBe(before);
      }),
      { ...runs, examples: [[FAILURES_OF_LATE_CLUSTERS]] },
    );
  });
});
