import { afterEach, describe, expect, it } from 'vitest';
import { APPROVED_BY_ANNOTATION } from '#core/cluster/marks/fleet-marks';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { silentLog } from '#platform/telemetry/log.port';
import { Refusal } from '#testing/cluster/objects/refusal';
import { storedRows } from '../assignments/stored-rollout.js';
import { RolloutController } from './rollout-controller.js';
import { PlayedFleet } from './rollouts.fixture.js';
import { type FleetSource, listedFrom } from './state/fleet-state.js';

const NAMES = ['lab-1', 'shop-1', 'shop-2', 'shop-3'];
const OLD = 'kafka-operator.v2.3.0';
const NEW = 'kafka-operator.v2.4.0';
const operator = {
  package: 'kafka-operator',
  namespace: 'kafka-system',
  catalog: { name: 'c', namespace: 'olm' },
  strategyRef: { name: 's' },
  adopt: true,
};
const lab = { name: 'lab', clusters: { selector: { matchLabels: { tier: 'lab' } } }, soak: '10m' };

let fleet: PlayedFleet | undefined;
afterEach(async () => {
  await fleet?.stop();
  fleet = undefined;
});

async function begun(strategy: object, more: object = {}, names = NAMES): Promise<PlayedFleet> {
  fleet = await PlayedFleet.begin(names, (name) => ({ tier: name.startsWith('lab') ? 'lab' : 'shop' }));
  await fleet.apply('FleetStrategy', 's', strategy);
  await fleet.apply('FleetOperator', 'kafka', { ...operator, ...more });
  await fleet.settle();
  return fleet;
}

const installed = (played: PlayedFleet) => Promise.all(played.clusters.map((cluster) => cluster.installed()));

describe('a FleetOperator in a hub', () => {
  it('makes no rollout while no cluster plans anything', async () => {
    const played = await begun({ waves: [lab] });
    expect(await played.rollout('kafka-1')).toEqual({});
  });

  it('brings another configuration through its waves, and leaves the version', async () => {
    const config = { env: [{ name: 'LEVEL', value: 'debug' }] };
    const played = await begun({ waves: [lab] }, { classic: { config } });
    const configs = async () => {
      const ref = { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'Subscription', namespace: 'kafka-system' };
      const all = await Promise.all(played.clusters.map(({ client }) => client.get({ ...ref, name: 'kafka' })));
      return all.map((one) => (one?.['spec'] as { config?: object } | undefined)?.config);
    };
    expect(await configs()).toEqual([config, undefined, undefined, undefined]);
    const [plan] = (await played.hub.client.list({ apiVersion: FLEET_API, kind: 'FleetPlan' }))?.items ?? [];
    expect(plan?.['spec']).toMatchObject({
      changes: ['ConfigChange'],
      objects: { changed: [expect.stringContaining('Subscription spec.config: none → ')] },
    });
    await played.clock.advance(10 * 60_000);
    await played.settle();
    expect(await configs()).toEqual([config, config, config, config]);
    expect(await installed(played)).toEqual([OLD, OLD, OLD, OLD]);
    await played.clock.advance(10 * 60_000);
    await played.settle();
    expect(await played.rollout('kafka-1')).toMatchObject({ phase: 'Completed', counts: { done: 4 } });
    expect(await played.rollout('kafka-2')).toEqual({});
    // The next version goes through its own rollout.
    for (const cluster of played.clusters) await cluster.offer(NEW);
    await played.settle();
    expect(await installed(played)).toEqual([NEW, OLD, OLD, OLD]);
  });

  it('has kept what a plan class changes before the first cluster is changed', async () => {
    const played = await begun({ waves: [{ name: 'all', maxConcurrent: '100%' }] });
    for (const { direct } of played.clusters)
      direct.cluster.failAll({ verb: 'patch', resource: 'installplans' }, new Refusal(500, 'InternalError', 'away'));
    for (const cluster of played.clusters) await cluster.offer(NEW);
    await expect(played.settle()).rejects.toThrow('away');
    const [plan] = (await played.hub.client.list({ apiVersion: FLEET_API, kind: 'FleetPlan' }))?.items ?? [];
    expect(plan?.['spec']).toMatchObject({ path: [{ from: OLD, to: NEW }] });
  });

  it('holds another configuration until its rule is satisfied', async () => {
    const approval = { default: 'Auto', rules: [{ changes: ['ConfigChange'], action: 'Manual' }] };
    const played = await begun({ waves: [lab], approval }, { classic: { config: { env: [] } } });
    const status = await played.rollout('kafka-1');
    expect(status.classes).toMatchObject([{ changes: ['ConfigChange'], approval: 'Waiting' }]);
  });

  it('brings a new version through its waves, one cluster after the other', async () => {
    const played = await begun({ waves: [lab] });
    for (const cluster of played.clusters) await cluster.offer(NEW);
    await played.settle();
    expect(await installed(played)).toEqual([NEW, OLD, OLD, OLD]);
    expect(await played.rollout('kafka-1')).toMatchObject({ phase: 'Progressing' });
    await played.clock.advance(10 * 60_000);
    let most = 0;
    await played.settle(async () => {
      const applying = (await played.rollout('kafka-1')) as { counts?: { applying: number; verifying: number } };
      most = Math.max(most, (applying.counts?.applying ?? 0) + (applying.counts?.verifying ?? 0));
    });
    // The implicit wave soaks as the last one does.
    await played.clock.advance(10 * 60_000);
    await played.settle();
    expect(await installed(played)).toEqual([NEW, NEW, NEW, NEW]);
    expect(most).toBe(1);
    expect(await played.rollout('kafka-1')).toMatchObject({ phase: 'Completed', reason: 'AllWavesComplete' });
  });

  it('says in Events what the rollout and its waves come to, and who decided what, each once', async () => {
    const played = await begun({ waves: [lab] });
    for (const cluster of played.clusters) await cluster.offer(NEW);
    await played.settle();
    const spec = { rollout: 'kafka-1', reason: 'CHG-1', by: { user: 'anna', groups: [] } };
    await played.apply('FleetDecision', 'pause', { ...spec, action: 'Pause' });
    await played.settle();
    await played.apply('FleetDecision', 'resume', { ...spec, action: 'Resume' });
    await played.settle();
    for (let wave = 0; wave < 2; wave++) {
      await played.clock.advance(10 * 60_000);
      await played.settle();
    }
    const { items = [] } = (await played.hub.client.list({ apiVersion: 'v1', kind: 'Event' })) ?? {};
    const about = (kind: string) =>
      items
        .filter(({ involvedObject }) => (involvedObject as { kind: string }).kind === kind)
        .map(({ reason, message, count }) => `${reason}: ${message} (${count})`)
        .sort();
    expect(about('FleetRollout')).toEqual([
      'Completed: rollout kafka-1 is Completed: AllWavesComplete (1)',
      'Pause: Pause by anna: CHG-1 (1)',
      'Paused: rollout kafka-1 is Paused: Decision (1)',
      'Progressing: rollout kafka-1 is Progressing: Planned (1)',
      'Progressing: rollout kafka-1 is Progressing: Resumed (1)',
      'Resume: Resume by anna: CHG-1 (1)',
      'WaveComplete: wave lab is Complete: Passed (1)',
      'WaveComplete: wave rest is Complete: Passed (1)',
      'WaveOpen: wave lab is Open: Opened (1)',
      'WaveOpen: wave rest is Open: Opened (1)',
      'WaveSoaking: wave lab is Soaking: Soak (1)',
      'WaveSoaking: wave rest is Soaking: Soak (1)',
    ]);
    expect(about('FleetOperator')).toContain('Completed: rollout kafka-1 is Completed: AllWavesComplete (1)');
  });

  it('has its counts in the status at most every two seconds, where nothing else changes', async () => {
    const played = await begun({ waves: [{ name: 'all', maxConcurrent: 2 }] });
    for (const cluster of played.clusters) await cluster.offer(NEW);
    const writes: string[] = [];
    let hanging: typeof played.clusters = [];
    await played.settle(async () => {
      const { phase } = await played.rollout('kafka-1');
      // One cluster hangs from now on, so that the others end while the rollout goes on.
      if (phase === 'Progressing' && hanging.length === 0) hanging = played.clusters.splice(3);
      const made = [...played.hub.cluster.requests].filter(({ method }) => method === 'PUT');
      writes.push(...made.map(({ path }) => path).filter((path) => path.includes('/fleetrollouts/')));
    });
    const statuses = writes.filter((path) => path.endsWith('/status')).length;
    expect(statuses, 'of the writes of the rollout').toBeLessThan(writes.length / 2);
    const done = async () => ((await played.rollout('kafka-1')) as { counts?: { done: number } }).counts?.done;
    expect(await played.controller.pass(), 'when the counts are due').toBeLessThanOrEqual(2_000);
    await played.clock.advance(2_000);
    await played.settle();
    expect(await done()).toBe(3);
    played.clusters.push(...hanging);
  });

  it('stops in the first wave where the new version fails', async () => {
    const played = await begun({ waves: [lab] });
    played.cluster('lab-1').failing.add(NEW);
    for (const cluster of played.clusters) await cluster.offer(NEW);
    await played.settle();
    expect(await played.rollout('kafka-1')).toMatchObject({ phase: 'Halted', reason: 'ThresholdExceeded' });
    expect(await installed(played)).toEqual([OLD, OLD, OLD, OLD]);
    await played.clock.advance(24 * 3_600_000);
    await played.settle();
    expect(await installed(played)).toEqual([OLD, OLD, OLD, OLD]);
  });

  it('says in its status why it stopped, and which clusters have failed', async () => {
    const played = await begun({ waves: [lab] });
    played.cluster('lab-1').failing.add(NEW);
    for (const cluster of played.clusters) await cluster.offer(NEW);
    await played.settle();
    expect(await played.rollout('kafka-1')).toMatchObject({
      wave: '1/2 lab',
      failures: [{ reason: 'ApplyFailed', cause: 'ImagePullBackOff', clusters: 1, sample: ['lab-1'] }],
      conditions: [
        { type: 'Degraded', status: 'True', reason: 'ThresholdExceeded', message: 'wave lab: 1 failure, 0 accepted' },
        { type: 'Progressing', status: 'False', reason: 'Halted' },
        { type: 'Stalled', status: 'False', reason: 'NotStalled' },
      ],
    });
  });

  it('says when the soak of a wave ends, and which wave it is in', async () => {
    const played = await begun({ waves: [lab] });
    for (const cluster of played.clusters) await cluster.offer(NEW);
    await played.settle();
    const soaking = { phase: 'Soaking', soakUntil: '2026-01-05T00:10:00.000Z' };
    expect(await played.rollout('kafka-1')).toMatchObject({ wave: '1/2 lab', waves: [soaking, { phase: 'Pending' }] });
    await played.clock.advance(10 * 60_000);
    await played.settle();
    expect(await played.rollout('kafka-1')).toMatchObject({ wave: '2/2 rest', waves: [{ phase: 'Complete' }, {}] });
  });

  it('is stalled where no user approves within the longest deadline, and says so in one write', async () => {
    const played = await begun({ waves: [lab], approval: { default: 'Manual' } });
    for (const cluster of played.clusters) await cluster.offer(NEW);
    await played.settle();
    const stalled = async () => {
      const { conditions = [] } = (await played.rollout('kafka-1')) as { conditions?: { type: string }[] };
      return conditions.find(({ type }) => type === 'Stalled');
    };
    expect(await stalled()).toMatchObject({ status: 'False' });
    expect(await played.controller.pass()).toBe(30 * 60_000);
    await played.clock.advance(30 * 60_000);
    played.hub.cluster.requests.clear();
    await played.controller.pass();
    expect(played.hub.cluster.requests.writes()).toHaveLength(1);
    expect(await stalled()).toMatchObject({ status: 'True', reason: 'NothingMoved' });
    played.hub.cluster.requests.clear();
    await played.controller.pass();
    expect(played.hub.cluster.requests.writes()).toEqual([]);
  });

  it('starts a class once those who may have approved it, and says so on the InstallPlan', async () => {
    const approval = { rules: [{ changes: ['Minor'], action: 'Manual', groups: ['board'] }] };
    const played = await begun({ approval, waves: [{ ...lab, soak: '0s' }] });
    for (const cluster of played.clusters) await cluster.offer(NEW);
    await played.settle();
    expect(await installed(played)).toEqual([OLD, OLD, OLD, OLD]);
    const [one] = (await played.rollout('kafka-1')).classes ?? [];
    const decide = (user: string, groups: readonly string[]) =>
      played.apply('FleetDecision', user, {
        ...{ rollout: 'kafka-1', action: 'Approve', class: one?.hash, reason: 'CHG-1182', by: { user, groups } },
      });
    await decide('eve', []);
    await played.settle();
    expect(await installed(played)).toEqual([OLD, OLD, OLD, OLD]);
    await decide('anna', ['board']);
    await played.settle();
    expect(await installed(played)).toEqual([NEW, NEW, NEW, NEW]);
    const plan = await played.cluster('shop-1').planOf(NEW);
    expect(JSON.parse(plan?.metadata.annotations?.[APPROVED_BY_ANNOTATION] ?? '{}')).toEqual({
      rollout: 'platform/kafka-1',
      class: one?.hash,
      approvedBy: ['anna'],
    });
  });

  it('gives a decision no effect that is older than the rollout: it was about another one of that name', async () => {
    const played = await begun({ approval: { default: 'Manual' } });
    for (const cluster of played.clusters) await cluster.offer(NEW);
    await played.settle();
    const { client } = played.hub;
    const spec = { rollout: 'kafka-1', action: 'Abort', reason: 'wrong version', by: { user: 'anna', groups: [] } };
    await played.apply('FleetDecision', 'old', spec);
    const creationTimestamp = '2020-01-01T00:00:00Z';
    const source: FleetSource = async (kind) => {
      const listed = await listedFrom(client)(kind);
      if (kind !== 'FleetDecision') return listed;
      const older = (object: KubernetesObject) => ({ ...object, metadata: { ...object.metadata, creationTimestamp } });
      return listed.map((one) => ({ ...one, open: () => older(one.open()) }));
    };
    await new RolloutController(client, played.clock, silentLog, source).pass();
    const decision = await client.get({
      apiVersion: FLEET_API,
      kind: 'FleetDecision',
      name: 'old',
      namespace: 'platform',
    });
    expect(decision?.['status']).toMatchObject({ effective: false, reason: 'UnknownRollout' });
    expect(await played.rollout('kafka-1')).toMatchObject({ phase: 'Progressing' });
  });

  it('brings a version to all clusters before the one that follows on it', async () => {
    const played = await begun({ waves: [lab] });
    for (const cluster of played.clusters) await cluster.offer(NEW);
    await played.settle();
    const NEWER = 'kafka-operator.v2.5.0';
    expect(await installed(played)).toEqual([NEW, OLD, OLD, OLD]);
    await played.cluster('lab-1').offer(NEWER);
    await played.settle();
    expect(await played.rollout('kafka-1')).toMatchObject({ phase: 'Progressing' });
    expect(await played.rollout('kafka-2')).toEqual({});
    for (let waves = 0; waves < 2; waves++) {
      await played.clock.advance(10 * 60_000);
      await played.settle();
    }
    expect(await played.rollout('kafka-1')).toMatchObject({ phase: 'Completed' });
    for (const name of NAMES.slice(1)) await played.cluster(name).offer(NEWER);
    await played.settle();
    expect(await installed(played)).toEqual([NEWER, NEW, NEW, NEW]);
  });

  it('keeps the rows of ten rollouts in each assignment', async () => {
    const played = await begun({ waves: [{ ...lab, soak: '0s' }] }, { historyLimit: 100 }, ['lab-1']);
    for (let minor = 4; minor < 16; minor++) {
      for (const cluster of played.clusters) await cluster.offer(`kafka-operator.v2.${minor}.0`);
      await played.settle();
    }
    expect(await played.rollout('kafka-12')).toMatchObject({ phase: 'Completed' });
    const found = await played.hub.client.get({
      apiVersion: FLEET_API,
      kind: 'FleetAssignment',
      name: 'lab-1',
    });
    const kept = Array.from({ length: 10 }, (_, at) => `platform/kafka-${at + 3}`);
    expect(Object.keys(storedRows(found ?? { metadata: {} })).toSorted()).toEqual(kept.toSorted());
  });

  it('keeps as many ended rollouts as historyLimit says, and goes on with the numbers', async () => {
    const names = ['lab-1', 'shop-1'];
    const played = await begun({ waves: [{ ...lab, soak: '0s' }] }, { historyLimit: 2 }, names);
    for (let minor = 4; minor < 9; minor++) {
      for (const cluster of played.clusters) await cluster.offer(`kafka-operator.v2.${minor}.0`);
      await played.settle();
    }
    const list = await played.hub.client.list({ apiVersion: FLEET_API, kind: 'FleetRollout' });
    expect(list?.items.map(({ metadata }) => metadata.name)).toEqual(['kafka-4', 'kafka-5']);
    const plans = await played.hub.client.list({ apiVersion: FLEET_API, kind: 'FleetPlan' });
    const ofPlans = plans?.items.map(({ metadata }) => metadata.name?.replace(/-[0-9a-f]{12}$/, ''));
    expect(ofPlans).toEqual(['kafka-4', 'kafka-5']);
    expect(await installed(played)).toEqual(names.map(() => 'kafka-operator.v2.8.0'));
  });

  it('has a class for each plan that differs', async () => {
    const played = await begun({ waves: [{ ...lab, soak: '0s' }] });
    for (const cluster of played.clusters)
      await cluster.offer(NEW, cluster.name === 'shop-3' ? 'get secrets' : 'get pods');
    await played.settle();
    const { classes = [] } = await played.rollout('kafka-1');
    expect(classes).toHaveLength(2);
    const plans = await played.hub.client.list({ apiVersion: FLEET_API, kind: 'FleetPlan' });
    expect(plans?.items.map(({ metadata }) => metadata.name).toSorted()).toEqual(
      classes.map(({ hash }) => `kafka-1-${hash}`).toSorted(),
    );
    expect(await installed(played)).toEqual([NEW, NEW, NEW, NEW]);
  });
});
