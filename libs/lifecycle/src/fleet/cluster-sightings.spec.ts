import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import type { CredentialsFault, LoginLife } from '#platform/fleet/secret-access';
import { type ClusterListener, fixedClusters } from '#platform/membership/service-clusters.port';
import { silentLog } from '#platform/telemetry/log.port';
import { type DirectClient, directClient } from '#testing/cluster/direct-client';
import { Refusal } from '#testing/cluster/objects/refusal';
import { PATIENCE } from '#testing/patience';
import { looseDefinitions, PlayedFleet } from '../rollouts/controller/rollouts.fixture.js';
import { ClusterSightings } from './cluster-sightings.js';

type Condition = Readonly<{ type: string; status: string; reason: string; message: string }>;
const acting = { acts: true, signs: [] } as const;

describe('what a poller reports of the clusters of a fleet', () => {
  let fleet: PlayedFleet;
  let access: DirectClient;
  let sightings: ClusterSightings;
  let isPaused = false;
  let operators: number | undefined;
  let fault: CredentialsFault | undefined;
  let life: LoginLife = {};
  let tell: ClusterListener = () => undefined;
  beforeEach(async () => {
    isPaused = false;
    operators = undefined;
    fault = undefined;
    life = {};
    fleet = await PlayedFleet.begin(['one', 'two'], () => ({}), { definitions: await looseDefinitions() });
    for (const name of ['one', 'two']) {
      await fleet.hub.client.delete({ apiVersion: FLEET_API, kind: 'FleetCluster', name });
      await add(name, name);
    }
    access = directClient(fleet.cluster('one').direct.cluster, 'flotilla-poller');
    sightings = new ClusterSightings({
      hub: fleet.hub.client,
      clusters: {
        ...fixedClusters([access.client]),
        isPaused: () => isPaused,
        subscribe: (listener) => {
          tell = listener;
          return () => undefined;
        },
      },
      detectors: { status: async () => acting },
      operatorsIn: () => operators,
      clock: fleet.clock,
      log: silentLog,
      isAlone: true,
      credentials: { faultOf: () => fault, lifeOf: () => life },
    });
    sightings.start();
  });
  afterEach(async () => {
    await sightings.stop();
    await fleet.stop();
  });

  const add = (name: string, context: string) => addWith(name, { context });
  const addWith = (name: string, way: object) =>
    fleet.hub.client.create({
      apiVersion: FLEET_API,
      kind: 'FleetCluster',
      metadata: { name },
      spec: { access: way },
    } as KubernetesObject);
  const statusOf = async (name: string) => {
    await fleet.clock.advance(1_000);
    const found = await fleet.hub.client.get({ apiVersion: FLEET_API, kind: 'FleetCluster', name });
    return (found as { status?: { uid?: string; facts?: object; conditions?: readonly Condition[] } } | undefined)
      ?.status;
  };
  const reasons = async (name: string) =>
    (await statusOf(name))?.conditions?.map(({ type, status, reason }) => `${type}=${status} ${reason}`);

  it('is that one answers, and what it is', async () => {
    const wanted = [
      'CredentialsValid=True Valid',
      'IdentityStable=True Same',
      'Managed=True Acting',
      'PermissionsSufficient=True AllGranted',
      'Reachable=True Answering',
    ];
    await expect.poll(() => reasons('one'), PATIENCE).toEqual(wanted);
    expect(await statusOf('one')).toMatchObject({ uid: expect.stringMatching(/./), version: 'v1.34.4' });
  });

  it('is that no kubeconfig has the other one', async () => {
    await expect.poll(() => reasons('two'), PATIENCE).toEqual(['Reachable=False Refused']);
    expect((await statusOf('two'))?.conditions?.[0]?.message).toBe('no kubeconfig of the hub has its context');
  });

  it('is which field is wrong of a FleetCluster that does not follow its schema, until it is corrected', async () => {
    await expect.poll(() => reasons('one'), PATIENCE).toContain('Managed=True Acting');
    const ref = { apiVersion: FLEET_API, kind: 'FleetCluster', name: 'one' };
    const edit = (paused: unknown) =>
      fleet.hub.cluster.edit(ref, (stored) => Object.assign(stored['spec'] as object, { paused }));
    edit('yes');
    const managed = async () => {
      for (let seconds = 0; seconds < 16; seconds++) await fleet.clock.advance(1_000);
      const found = (await statusOf('one'))?.conditions?.find(({ type }) => type === 'Managed');
      return `${found?.status} ${found?.reason} ${found?.message}`;
    };
    await expect.poll(managed, PATIENCE).toContain('False Unreadable spec.paused: ');
    expect(await managed()).toContain('. Nothing is written there until this is corrected');
    fleet.hub.cluster.requests.clear();
    await managed();
    expect(fleet.hub.cluster.requests.writes()).toEqual([]);
    edit(false);
    await expect.poll(managed, PATIENCE).toBe('True Acting ');
  });

  it('changes after 40 seconds of silence, and not before', async () => {
    await expect.poll(() => reasons('one'), PATIENCE).toContain('Reachable=True Answering');
    access.cutOff(true);
    for (let seconds = 0; seconds < 25; seconds++) await fleet.clock.advance(1_000);
    expect(await reasons('one')).toContain('Reachable=True Answering');
    for (let seconds = 0; seconds < 30; seconds++) await fleet.clock.advance(1_000);
    await expect.poll(() => reasons('one'), PATIENCE).toContain('Reachable=False Timeout');
    access.cutOff(false);
    await expect.poll(() => reasons('one'), PATIENCE).toContain('Reachable=True Answering');
  });

  it('is written at once where another service has written in the same moment', async () => {
    await expect.poll(() => reasons('one'), PATIENCE).toContain('Reachable=True Answering');
    operators = 7;
    fleet.hub.cluster.failNext({ verb: 'update', resource: 'fleetclusters' }, 409, 'Conflict', 'it has changed');
    for (let seconds = 0; seconds < 16; seconds++) await fleet.clock.advance(1_000);
    expect(await statusOf('one')).toMatchObject({ operators: 7 });
  });

  it('is the silence of one that holds every question, within 50 seconds, and said once', async () => {
    await expect.poll(() => reasons('one'), PATIENCE).toContain('Reachable=True Answering');
    const answers = Promise.withResolvers<void>();
    fleet.cluster('one').direct.cluster.delay = () => answers.promise;
    for (let seconds = 0; seconds < 25; seconds++) await fleet.clock.advance(1_000);
    expect(await reasons('one')).toContain('Reachable=True Answering');
    for (let seconds = 0; seconds < 24; seconds++) await fleet.clock.advance(1_000);
    await expect.poll(() => reasons('one'), PATIENCE).toContain('Reachable=False Timeout');
    fleet.hub.cluster.requests.clear();
    for (let seconds = 0; seconds < 60; seconds++) await fleet.clock.advance(1_000);
    expect(fleet.hub.cluster.requests.writes()).toEqual([]);
    answers.resolve();
    await expect.poll(() => reasons('one'), PATIENCE).toContain('Reachable=True Answering');
  });

  it('is not the silence of one whose question is old because the machine slept', async () => {
    await expect.poll(() => reasons('one'), PATIENCE).toContain('Reachable=True Answering');
    const answers = Promise.withResolvers<void>();
    fleet.cluster('one').direct.cluster.delay = () => answers.promise;
    for (let seconds = 0; seconds < 16; seconds++) await fleet.clock.advance(1_000);
    fleet.clock.set(3_600_000);
    for (let seconds = 0; seconds < 16; seconds++) await fleet.clock.advance(1_000);
    expect(await reasons('one')).toContain('Reachable=True Answering');
    answers.resolve();
    for (let seconds = 0; seconds < 30; seconds++) await fleet.clock.advance(1_000);
    expect(await reasons('one')).toContain('Reachable=True Answering');
  });

  it('is not written again while nothing changes', async () => {
    await expect.poll(() => reasons('one'), PATIENCE).toContain('Reachable=True Answering');
    await expect.poll(() => reasons('two'), PATIENCE).toContain('Reachable=False Refused');
    fleet.hub.cluster.requests.clear();
    for (let seconds = 0; seconds < 60; seconds++) await fleet.clock.advance(1_000);
    expect(fleet.hub.cluster.requests.writes()).toEqual([]);
  });

  it('names a pause as soon as it begins', async () => {
    await expect.poll(() => reasons('one'), PATIENCE).toContain('Managed=True Acting');
    isPaused = true;
    await tell([{ kind: 'changed', cluster: 'one', what: 'paused' }]);
    await expect.poll(() => reasons('one'), PATIENCE).toContain('Managed=False Paused');
  });

  it('is its nodes and what its owner claims, each where it may be read', async () => {
    const { cluster } = fleet.cluster('one').direct;
    const status = { nodeInfo: { architecture: 'arm64' } };
    cluster.create({
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: 'n' },
      spec: { providerID: 'aws:///i-1' },
      status,
    });
    const metadata = { name: 'cluster-claims', namespace: 'flotilla-system' };
    cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: metadata.namespace } });
    cluster.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { site: 'hall-7' } });
    await tell([{ kind: 'changed', cluster: 'one', what: 'access' }]);
    const facts = async () => (await statusOf('one'))?.facts;
    const known = { distribution: 'kubernetes', nodes: 1, provider: 'aws', claims: { site: 'hall-7' } };
    await expect.poll(facts, PATIENCE).toMatchObject(known);
    cluster.failAll({ resource: 'nodes' }, new Refusal(403, 'Forbidden', 'forbidden'));
    cluster.edit({ apiVersion: 'v1', kind: 'ConfigMap', ...metadata }, (object) =>
      Object.assign(object, { data: { site: 'hall-8' } }),
    );
    await tell([{ kind: 'changed', cluster: 'one', what: 'access' }]);
    await expect.poll(facts, PATIENCE).toMatchObject({ ...known, claims: { site: 'hall-8' } });
    expect(await reasons('one')).toContain('Reachable=True Answering');
  });

  it('is how many operators it has, once that is known', async () => {
    await expect.poll(() => reasons('one'), PATIENCE).toContain('Reachable=True Answering');
    expect(await statusOf('one')).not.toHaveProperty('operators');
    for (const count of [3, 0]) {
      operators = count;
      for (let seconds = 0; seconds < 15; seconds++) await fleet.clock.advance(1_000);
      await expect.poll(() => statusOf('one'), PATIENCE).toMatchObject({ operators: count });
    }
  });

  it('is a login that is refused, before the cluster counts as away', async () => {
    await expect.poll(() => reasons('one'), PATIENCE).toContain('CredentialsValid=True Valid');
    fleet.cluster('one').direct.cluster.failAll({}, new Refusal(401, 'Unauthorized', 'Unauthorized'));
    for (let seconds = 0; seconds < 20; seconds++) await fleet.clock.advance(1_000);
    await expect.poll(() => reasons('one'), PATIENCE).toContain('CredentialsValid=False Rejected');
    expect(await reasons('one')).toContain('Reachable=True Answering');
  });

  describe('with a login in a Secret', () => {
    const inSecret = async (name: string) => {
      await fleet.hub.client.delete({ apiVersion: FLEET_API, kind: 'FleetCluster', name });
      await addWith(name, { secretRef: { name: 'login' } });
    };

    it('is why that cannot be used, of a cluster that was never reached', async () => {
      fault = { reason: 'Unsafe', message: 'its user has exec' };
      await inSecret('two');
      await expect.poll(() => reasons('two'), PATIENCE).toEqual(['CredentialsValid=False Unsafe']);
      expect((await statusOf('two'))?.conditions?.[0]?.message).toBe('its user has exec');
    });

    it('is when that ends, and then that it has', async () => {
      const at = (seconds: number) => new Date(fleet.clock.now().getTime() + seconds * 1_000).toISOString();
      life = { expiresAt: at(60), renewedFrom: at(30) };
      await inSecret('one');
      await expect.poll(() => reasons('one'), PATIENCE).toContain('CredentialsValid=True Valid');
      expect(await statusOf('one')).toMatchObject({
        ...{ credentialsExpireAt: life.expiresAt, credentialsRenewedFrom: life.renewedFrom },
      });
      for (let seconds = 0; seconds < 80; seconds++) await fleet.clock.advance(1_000);
      await expect.poll(() => reasons('one'), PATIENCE).toContain('CredentialsValid=False Expired');
    });
  });

  it('is a mistake of its name where the context has another one', async () => {
    await add('three', 'one');
    await expect.poll(() => reasons('three'), PATIENCE).toEqual(['Reachable=False Refused']);
    expect((await statusOf('three'))?.conditions?.[0]?.message).toContain('the name of its context, "one"');
  });
});
