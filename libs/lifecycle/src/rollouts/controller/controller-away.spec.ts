import { afterEach, describe, expect, it } from 'vitest';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import { scenarioFrom } from '#core/rollout/simulation/kafka-scenario.fixture';
import { simulateChecked } from '#core/rollout/simulation/simulate-checked';
import { silentLog } from '#platform/telemetry/log.port';
import { ordered, plannedClusters, succeed } from './planned-clusters.fixture.js';
import { RolloutController } from './rollout-controller.js';
import type { PlayedFleet } from './rollouts.fixture.js';
import { AskedGates } from './state/asked-gates.js';
import { listedFrom } from './state/fleet-state.js';

const MINUTE = 60_000;
const GATE = { name: 'errors', webhook: { url: 'https://gate.example/' } };
type Answer = 'green' | 'none' | 'never';
type Strategy = Readonly<{ waves: readonly object[]; onFailure: string }>;

const strategyOf = (scope: string, onFailure: string): Strategy => ({
  waves: [{ name: 'all', maxConcurrent: '100%', soak: scope === 'Wave' ? '1m' : '0s', gates: [{ ...GATE, scope }] }],
  onFailure,
});

let fleet: PlayedFleet | undefined;
afterEach(() => fleet?.stop());

/** A hub whose controller may go away, with two clusters that come up at once. */
class Story {
  #controller: RolloutController;
  readonly #done = new Set<string>();
  answer: Answer = 'green';
  asked = 0;

  private constructor(private readonly played: PlayedFleet) {
    this.#controller = this.#started();
  }

  static async begin({ waves, onFailure }: Strategy): Promise<Story> {
    fleet = await plannedClusters(['lab-1', 'lab-2'], waves, { onFailure });
    return new Story(fleet);
  }

  /** As a process that has just started, without any memory. */
  #started(): RolloutController {
    const { hub, clock } = this.played;
    const ask = () => {
      this.asked++;
      return this.answer === 'never'
        ? new Promise<{ message: string }>(() => undefined)
        : Promise.resolve(this.answer === 'none' ? { message: '' } : { green: true, message: '' });
    };
    const gates = new AskedGates({ ask, clock, log: silentLog });
    gates.onAnswer(({ rollout, cluster }) => this.#controller.noteNews(rollout, cluster));
    return new RolloutController(hub.client, clock, silentLog, listedFrom(hub.client), gates);
  }

  /** The controller works for so long, and makes its passes when they are due. */
  async works(forMs: number): Promise<void> {
    const { clock } = this.played;
    const until = clock.now().getTime() + forMs;
    for (let left = forMs; left > 0; left = until - clock.now().getTime()) {
      let next: number | undefined;
      // What is ordered and answered brings a pass of its own.
      for (let again = 3; again > 0; again--) {
        next = await this.#controller.pass();
        await new Promise((resolve) => setImmediate(resolve));
        for (const name of ordered(this.played)) {
          if (!this.#done.has(name)) succeed(this.played, name);
          this.#done.add(name);
        }
      }
      await clock.advance(Math.min(left, next ?? left));
    }
  }

  async isAway(forMs: number, how: 'killed' | 'asleep'): Promise<void> {
    await this.played.clock.advance(forMs);
    if (how === 'killed') this.#controller = this.#started();
  }

  get status(): string {
    const ref = { apiVersion: FLEET_API, kind: 'FleetRollout', namespace: 'platform', name: 'kafka-1' };
    const { status } = (this.played.hub.cluster.get(ref) ?? {}) as { status?: { phase: string; reason: string } };
    return `${status?.phase} ${status?.reason}`;
  }
}

/** The same story as it is rehearsed. */
function rehearsed(strategy: Strategy, faults: readonly object[], until = '24h'): string[] {
  const summary = simulateChecked(scenarioFrom({ strategy, clusters: 2, file: { faults, until } }), () => undefined);
  expect(summary.invariants.violations).toEqual([]);
  return summary.rollouts.map(({ phase, reason }) => `${phase} ${reason}`);
}

const STORIES = [
  { scope: 'Cluster', onFailure: 'RollBackAll' },
  { scope: 'Wave', onFailure: 'RollBackWave' },
  { scope: 'Wave', onFailure: 'Halt' },
];

describe.each(STORIES)('a gate of scope $scope under $onFailure', ({ scope, onFailure }) => {
  const strategy = strategyOf(scope, onFailure);

  it.each(['killed', 'asleep'] as const)('does not run out of time while the controller is %s', async (how) => {
    const story = await Story.begin(strategy);
    await story.works(50_000);
    expect(story.asked).toBeGreaterThan(0);
    await story.isAway(11 * MINUTE, how);
    await story.works(5 * MINUTE);
    expect(rehearsed(strategy, [{ from: '50s', controllerKilled: { down: '11m' } }])).toEqual([story.status]);
    expect(story.status).toBe('Completed AllWavesComplete');
  });

  it.each(['killed', 'asleep'] as const)('nor if no question was answered before it was %s', async (how) => {
    const story = await Story.begin(strategy);
    story.answer = 'never';
    await story.works(1);
    await story.isAway(3 * 60 * MINUTE, how);
    story.answer = 'green';
    await story.works(5 * MINUTE);
    const faults = [{ controllerKilled: { everyWrites: 2, down: '3h' } }];
    expect(rehearsed(strategy, faults)).toEqual([story.status]);
    expect(story.status).toBe('Completed AllWavesComplete');
  });
});

describe.each(['Cluster', 'Wave'])('a gate of scope %s that does not answer', (scope) => {
  const stopped = scope === 'Wave' ? 'GateTimeout' : 'ThresholdExceeded';

  it.each(['none', 'never'] as const)('runs out of time under a controller that works: %s', async (answer) => {
    const story = await Story.begin(strategyOf(scope, 'Halt'));
    story.answer = answer;
    await story.works(13 * MINUTE);
    expect(story.status).toBe(`Halted ${stopped}`);
    const none = { gate: { name: 'errors', answer: 'none' } };
    expect(rehearsed(strategyOf(scope, 'Halt'), [none], '20m')).toEqual([story.status]);
  });

  it('runs out of time after the time in which a controller was there', async () => {
    const story = await Story.begin(strategyOf(scope, 'Halt'));
    story.answer = 'none';
    await story.works(5 * MINUTE);
    await story.isAway(11 * MINUTE, 'killed');
    await story.works(4 * MINUTE);
    expect(story.status).toMatch(/^Progressing/);
    await story.works(4 * MINUTE);
    expect(story.status).toBe(`Halted ${stopped}`);
  });
});

it('the deadline of a cluster does not run until its order is written (decision 0181)', async () => {
  const strategy = { waves: [{ name: 'all', maxConcurrent: '100%', progressDeadline: '2m' }], onFailure: 'Halt' };
  const story = await Story.begin(strategy);
  fleet?.hub.cluster.failNext({ verb: 'update', resource: 'fleetassignments', name: 'lab-1' }, 500, 'InternalError');
  while (fleet !== undefined && ordered(fleet).length === 0) await fleet.controller.pass().catch(() => undefined);
  expect(fleet && ordered(fleet)).toEqual(['lab-2']);
  if (fleet !== undefined) succeed(fleet, 'lab-2');
  await story.isAway(30 * MINUTE, 'killed');
  await story.works(MINUTE);
  const faults = [{ controllerKilled: { everyWrites: 4, down: '30m' } }];
  expect(rehearsed(strategy, faults, '72h')).toEqual([story.status]);
  expect(story.status).toBe('Completed AllWavesComplete');
});
