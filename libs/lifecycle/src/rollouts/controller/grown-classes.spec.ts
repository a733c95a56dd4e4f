import { afterEach, describe, expect, it } from 'vitest';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import { ordered, plannedClusters, reportPlan } from './planned-clusters.fixture.js';
import type { PlayedFleet } from './rollouts.fixture.js';

const NAMES = Array.from({ length: 20 }, (_, at) => `c-${String(at + 1).padStart(2, '0')}`);
const [HOSTILE = ''] = NAMES;
const WIDER = 'd'.repeat(64);
const ROLLOUT = { apiVersion: FLEET_API, kind: 'FleetRollout', name: 'kafka-1', namespace: 'platform' };

describe('a class of 20 clusters that was approved', () => {
  let played: PlayedFleet;
  afterEach(() => played.stop());

  const begin = async (maxConcurrent: number) => {
    const approval = { default: 'Manual' };
    played = await plannedClusters(NAMES, [{ name: 'all', maxConcurrent }], { approval });
    await passes(4);
    expect(classes()).toEqual([['aaaaaaaaaaaa', 20, ['Minor'], 'Waiting', undefined]]);
  };
  const passes = async (count: number) => {
    for (let pass = 0; pass < count; pass++) await played.controller.pass();
  };
  const classes = () => {
    const { status } = played.hub.cluster.get(ROLLOUT) as {
      status?: { classes?: readonly Readonly<Record<string, unknown>>[] };
    };
    return (status?.classes ?? []).map((one) =>
      ['hash', 'clusters', 'changes', 'approval', 'reason'].map((key) => one[key]),
    );
  };
  const approve = async (name: string, hash: string, changes?: readonly string[]) => {
    await played.apply('FleetDecision', name, {
      ...{ rollout: 'kafka-1', action: 'Approve', class: hash, reason: 'CHG-1', ...(changes && { changes }) },
      by: { user: 'anna', groups: [] },
    });
    await passes(4);
  };
  const events = () =>
    played.hub.cluster
      .list({ apiVersion: 'v1', kind: 'Event', namespace: 'platform' })
      .filter((event) => event['reason'] === 'ApprovalLapsed')
      .map((event) => event['message']);

  it('starts no further cluster once one of them reports a kind of change that was not shown', async () => {
    await begin(1);
    await approve('as-shown', 'aaaaaaaaaaaa');
    const [first = ''] = ordered(played);
    expect(ordered(played)).toEqual([first]);
    // An owner who has waited for the approval reports the rest.
    reportPlan(played, NAMES.find((name) => name !== first) ?? '', { changes: ['Minor', 'RBACGrowth'] });
    reportPlan(played, first, { rollout: 'platform/kafka-1', attempt: 1, state: 'Ready', hop: 1, isThere: true });
    await passes(4);
    expect(classes()).toEqual([['aaaaaaaaaaaa', 20, ['Minor', 'RBACGrowth'], 'Waiting', 'Lapsed']]);
    expect(ordered(played)).toEqual([]);
    expect(events()).toEqual([
      'the approval of class aaaaaaaaaaaa has lapsed: it was given before RBACGrowth was known; approve it again',
    ]);
    await approve('again', 'aaaaaaaaaaaa');
    expect(classes()).toEqual([['aaaaaaaaaaaa', 20, ['Minor', 'RBACGrowth'], 'Approved', undefined]]);
    expect(ordered(played)).toHaveLength(1);
  });

  it('is not approved by who has seen less of it', async () => {
    await begin(20);
    reportPlan(played, HOSTILE, { changes: ['Minor', 'RBACGrowth'] });
    await passes(2);
    await approve('of-before', 'aaaaaaaaaaaa', ['Minor']);
    expect(ordered(played)).toEqual([]);
    const decision = played.hub.cluster.get({ ...ROLLOUT, kind: 'FleetDecision', name: 'of-before' });
    expect(decision?.['status']).toMatchObject({
      effective: false,
      message: expect.stringMatching(/^class aaaaaaaaaaaa has further changes: RBACGrowth;/),
    });
    await approve('of-now', 'aaaaaaaaaaaa', ['Minor', 'RBACGrowth']);
    expect(ordered(played)).toHaveLength(20);
  });

  it('has no clusters in which the plan changes more than was shown: they are a class of their own', async () => {
    await begin(20);
    // The owner of one cluster had given the rights before, so that its FleetPlan shows none.
    for (const name of NAMES) if (name !== HOSTILE) reportPlan(played, name, { differences: WIDER });
    await passes(4);
    expect(classes()).toEqual([
      ['aaaaaaaaaaaa', 1, ['Minor'], 'Waiting', undefined],
      ['dddddddddddd', 19, ['Minor'], 'Waiting', undefined],
    ]);
    await approve('as-shown', 'aaaaaaaaaaaa');
    expect(ordered(played)).toEqual([HOSTILE]);
    await approve('with-rights', 'dddddddddddd');
    expect(ordered(played)).toHaveLength(20);
    const order = played.hub.cluster.get({ apiVersion: FLEET_API, kind: 'FleetAssignment', name: NAMES[1] ?? '' });
    expect(order?.['spec']).toMatchObject({ rows: [{ order: 'Go', target: { differences: WIDER } }] });
  });
});
