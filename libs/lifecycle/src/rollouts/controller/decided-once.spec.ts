import { afterEach, describe, expect, it } from 'vitest';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import { silentLog } from '#platform/telemetry/log.port';
import { type StoredState, storedRows, storedState } from '../assignments/stored-rollout.js';
import { fail, plannedClusters, succeed } from './planned-clusters.fixture.js';
import { RolloutController } from './rollout-controller.js';
import type { PlayedFleet } from './rollouts.fixture.js';

const NAMES = ['shop-1', 'shop-2', 'shop-3'];
const FIRST = { name: 'first', count: 1, maxConcurrent: '100%' };
const SECOND = { name: 'second', count: 1, promotion: 'Manual' };
const AN_HOUR_MS = 3_600_000;

let fleet: PlayedFleet | undefined;
afterEach(async () => {
  await fleet?.stop();
  fleet = undefined;
});

const rolloutRef = (name: string) => ({ apiVersion: FLEET_API, kind: 'FleetRollout', name, namespace: 'platform' });
const rolloutOf = ({ hub }: PlayedFleet, name = 'kafka-1') => hub.cluster.get(rolloutRef(name));
const stateOf = (played: PlayedFleet) => storedState(rolloutOf(played) ?? { metadata: {} }) as StoredState;
function rowOf({ hub }: PlayedFleet, name: string) {
  const found = hub.cluster.get({ apiVersion: FLEET_API, kind: 'FleetAssignment', name });
  return storedRows(found ?? { metadata: {} })['platform/kafka-1']?.row;
}
const phasesOf = (played: PlayedFleet) =>
  played.hub.cluster
    .list({ apiVersion: FLEET_API, kind: 'FleetAssignment' })
    .map(({ metadata }) => rowOf(played, metadata.name)?.phase);

let decisions = 0;
async function decide(played: PlayedFleet, action: string, more: object = {}): Promise<() => unknown> {
  decisions += 1;
  const name = `d-${decisions}`;
  const by = { user: 'anna', groups: [] };
  await played.apply('FleetDecision', name, { rollout: 'kafka-1', action, reason: 'CHG-7', by, ...more });
  return () => {
    const found = played.hub.cluster.get({ ...rolloutRef(name), kind: 'FleetDecision' });
    return (found?.['status'] as { reason?: string } | undefined)?.reason;
  };
}

async function passes(played: PlayedFleet, count = 3): Promise<void> {
  for (let left = count; left > 0; left--) await played.controller.pass();
}

/** The controller that comes after one that was killed. */
function restart(played: PlayedFleet): void {
  played.controller = new RolloutController(played.hub.client, played.clock, silentLog);
}

async function begin(
  waves: readonly object[],
  names: readonly string[] = NAMES,
  strategy?: object,
): Promise<PlayedFleet> {
  const played = await plannedClusters(names, waves, strategy);
  fleet = played;
  await passes(played);
  return played;
}

async function decided(played: PlayedFleet, action: string, more: object = {}): Promise<void> {
  const outcome = await decide(played, action, more);
  await passes(played);
  expect(outcome(), action).toBe('Effective');
}

const manual = { approval: { default: 'Manual' } };
const classOf = (played: PlayedFleet) => ({ class: stateOf(played).status.classes[0]?.name });
const votes = (played: PlayedFleet) => stateOf(played).status.classes[0]?.votes.length;

type Case = Readonly<{
  action: string;
  begins: () => Promise<PlayedFleet>;
  more?: (played: PlayedFleet) => object;
  /** What the decision has brought about. */
  seen: (played: PlayedFleet) => unknown;
  is: unknown;
}>;

const CASES: readonly Case[] = [
  {
    action: 'Promote',
    begins: () => begin([{ ...FIRST, promotion: 'Manual' }, SECOND]),
    seen: (played) => stateOf(played).status.waves.map(({ phase }) => phase),
    is: ['Open', 'Pending', 'Pending'],
  },
  {
    action: 'Rollback',
    begins: async () => {
      const played = await begin([FIRST, SECOND]);
      const [moved = ''] = NAMES.filter((name) => rowOf(played, name)?.phase === 'Applying');
      succeed(played, moved);
      await passes(played);
      return played;
    },
    seen: (played) => stateOf(played).status.phase,
    is: 'RollingBack',
  },
  { action: 'Pause', begins: () => begin([FIRST]), seen: (played) => stateOf(played).status.phase, is: 'Paused' },
  {
    action: 'Resume',
    begins: async () => {
      const played = await begin([FIRST]);
      await decided(played, 'Pause');
      return played;
    },
    seen: (played) => stateOf(played).status.phase,
    is: 'Progressing',
  },
  { action: 'Abort', begins: () => begin([FIRST]), seen: (played) => stateOf(played).status.isAborting, is: true },
  {
    action: 'Skip',
    begins: () => begin([FIRST]),
    seen: (played) => phasesOf(played).filter((phase) => phase === 'Skipped').length,
    is: 2,
  },
  {
    action: 'Retry',
    begins: async () => {
      const played = await begin([FIRST]);
      await decided(played, 'Skip');
      return played;
    },
    seen: (played) => phasesOf(played).filter((phase) => phase === 'Skipped').length,
    is: 0,
  },
  { action: 'Approve', begins: () => begin([FIRST], NAMES, manual), more: classOf, seen: votes, is: 1 },
  { action: 'Reject', begins: () => begin([FIRST], NAMES, manual), more: classOf, seen: votes, is: 1 },
  {
    action: 'BreakGlass',
    begins: () => begin([FIRST]),
    more: ({ clock }) => ({ expiresAt: new Date(clock.now().getTime() + AN_HOUR_MS).toISOString() }),
    seen: (played) => stateOf(played).status.breakGlass.length,
    is: 1,
  },
];

describe('a decision that took effect before the controller was killed', () => {
  it.each(CASES)('says so afterwards, and has its effect once: $action', async ({ action, begins, more, seen, is }) => {
    const played = await begins();
    const { cluster } = played.hub;
    const outcome = await decide(played, action, more?.(played));
    cluster.failNext({ verb: 'update', resource: 'fleetdecisions' }, 500, 'InternalError');
    await expect(played.controller.pass()).rejects.toThrow('injected InternalError');
    expect([outcome(), seen(played)]).toEqual([undefined, is]);
    // The next controller comes later: what a BreakGlass allowed has expired by then.
    if (action === 'BreakGlass') await played.clock.advance(2 * AN_HOUR_MS);
    restart(played);
    await played.controller.pass();
    expect(outcome()).toBe('Effective');
    expect(seen(played)).toEqual(is);
  });

  it('keeps its verdict if it had none, and its status is deleted', async () => {
    const played = await begin([FIRST]);
    const outcome = await decide(played, 'Resume');
    await passes(played);
    expect(outcome()).toBe('NotApplicable');
    await decided(played, 'Pause');
    const ref = { ...rolloutRef(`d-${decisions - 1}`), kind: 'FleetDecision' };
    played.hub.cluster.edit(ref, (one) => Object.assign(one, { status: undefined }), 'status');
    restart(played);
    await passes(played);
    expect([outcome(), stateOf(played).status.phase]).toEqual(['NotApplicable', 'Paused']);
  });

  it.each([
    ['before the rollout of a Retry was made', { verb: 'create', resource: 'fleetrollouts' }],
    ['after it was made', { verb: 'update', resource: 'fleetdecisions' }],
  ])('says so, and made one rollout anew: %s', async (_when, match) => {
    const played = await begin([{ ...FIRST, promotion: 'Manual' }]);
    await decided(played, 'Abort');
    expect(stateOf(played).status.phase).toBe('Aborted');
    const outcome = await decide(played, 'Retry');
    played.hub.cluster.failNext(match, 500, 'InternalError');
    await expect(played.controller.pass()).rejects.toThrow('injected InternalError');
    restart(played);
    await passes(played);
    expect(outcome()).toBe('Effective');
    expect([rolloutOf(played, 'kafka-2') === undefined, rolloutOf(played, 'kafka-3')]).toEqual([false, undefined]);
  });

  it('makes one rollout for two that ask for it at once; the second has no effect', async () => {
    const played = await begin([{ ...FIRST, promotion: 'Manual' }]);
    await decided(played, 'Abort');
    const outcomes = [await decide(played, 'Retry'), await decide(played, 'Retry')];
    await passes(played);
    expect(outcomes.map((one) => one())).toEqual(['Effective', 'NotApplicable']);
    expect(rolloutOf(played, 'kafka-3')).toBeUndefined();
  });

  it.each([
    {
      action: 'Skip',
      begins: (names: string[]) => begin([{ name: 'all', promotion: 'Manual' }], names),
      seen: (played: PlayedFleet) => phasesOf(played).filter((phase) => phase === 'Skipped').length,
      ...{ partly: 100, wholly: 130 },
    },
    {
      action: 'Resume',
      begins: async (names: string[]) => {
        const played = await begin([{ name: 'all', maxConcurrent: '100%' }], names);
        for (const name of names) fail(played, name);
        await passes(played);
        expect(stateOf(played).status.phase).toBe('Halted');
        return played;
      },
      seen: (played: PlayedFleet) => stateOf(played).status.phase,
      ...{ partly: 'Halted', wholly: 'Progressing' },
    },
  ])(
    'comes to its end where a part of its clusters was written: $action',
    async ({ action, begins, seen, partly, wholly }) => {
      const names = Array.from({ length: 130 }, (_, index) => `shop-${index}`);
      const played = await begins(names);
      const outcome = await decide(played, action);
      let written = 0;
      played.hub.cluster.lossOf = ({ verb, resource, subresource }) => {
        if (verb !== 'update' || resource !== 'fleetrollouts' || subresource !== undefined) return undefined;
        written += 1;
        return written === 2 ? 'request' : undefined;
      };
      await expect(played.controller.pass()).rejects.toThrow();
      expect([outcome(), seen(played)]).toEqual([undefined, partly]);
      restart(played);
      await passes(played);
      expect([outcome(), seen(played)]).toEqual(['Effective', wholly]);
    },
  );
});
