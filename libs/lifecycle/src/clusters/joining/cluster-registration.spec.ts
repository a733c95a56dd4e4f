import { describe, expect, it, vi } from 'vitest';
import { ManualClock } from '#platform/clock/manual-clock';
import type { Settings } from '#platform/config/settings';
import { joinCluster } from '#platform/joining/join-cluster';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { silentLog } from '#platform/telemetry/log.port';
import { directCluster } from '#testing/cluster/direct-client';
import { Refusal } from '#testing/cluster/objects/refusal';
import { PATIENCE } from '#testing/patience';
import { ClusterRegistration } from './cluster-registration.js';

const ROLE = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', name: 'aggregate-olm-edit' };

describe('a cluster that refuses a part of what joining gives it', () => {
  it('is tried again after pauses that grow, and named until then', async () => {
    const { cluster, client, stop } = directCluster('harbour');
    const clock = new ManualClock();
    const hub = { clock, log: silentLog, settings: { joinInstall: true } as Settings };
    const registration = new ClusterRegistration(hub, () => 0.5);
    const refused = new Refusal(403, 'Forbidden', 'not for you');
    const allow = cluster.failAll({ verb: 'patch', resource: 'clusterroles', name: ROLE.name }, refused);
    const part = registration.partOf(client);
    await part.start();
    await clock.advance(0);
    const health = async () => (await registration.check.check()).detail;
    await vi.waitFor(async () => expect(await health()).toMatch(/harbour: ClusterRole aggregate-olm-edit/), PATIENCE);

    const tries = () => cluster.requests.filter(({ verb, name }) => verb === 'patch' && name === ROLE.name).length;
    expect(tries()).toBe(1);
    await clock.advance(30_000);
    await vi.waitFor(() => expect(tries()).toBe(2), PATIENCE);
    await clock.advance(59_000);
    allow();
    expect(tries(), 'the pause doubles').toBe(2);
    await clock.advance(1_000);
    await vi.waitFor(async () => expect(await health()).toBe('nothing was refused on joining'), PATIENCE);
    expect(cluster.get(ROLE)).toMatchObject({ rules: expect.anything() });

    cluster.requests.clear();
    await clock.advance(60 * 60_000);
    expect(
      cluster.requests.filter(() => true),
      'once all is there, it is not asked again',
    ).toEqual([]);
    await part.stop();
    await stop();
  });
});

it('a cluster that does not serve a new definition yet is asked again soon, and nothing is called refused', async () => {
  const { cluster, client, stop } = directCluster('harbour');
  await joinCluster(client);
  const group = { apiVersion: 'operators.coreos.com/v1', kind: 'OperatorGroup', namespace: 'operators' };
  const ref = { ...group, name: 'global-operators' };
  cluster.delete(ref);
  const clock = new ManualClock();
  const said: string[] = [];
  const log = { ...silentLog, info: (_facts: object, text: string) => void said.push(text) };
  const hub = { clock, log, settings: { joinInstall: true } as Settings };
  const registration = new ClusterRegistration(hub, () => 0.5);
  let isServed = false;
  const serves: KubeClient['serves'] = async (kind) => (kind.kind !== ref.kind || isServed) && client.serves(kind);
  const slow = new Proxy<KubeClient>(client, {
    get: (target, key) => {
      const value = key === 'serves' ? serves : (Reflect.get(target, key) as unknown);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
  const part = registration.partOf(slow);
  await part.start();
  await clock.advance(0);
  await vi.waitFor(() => expect(said).toEqual(['waiting for new definitions to be served']), PATIENCE);
  expect((await registration.check.check()).detail).toBe('nothing was refused on joining');
  isServed = true;
  await clock.advance(5_000);
  await vi.waitFor(() => expect(cluster.get(ref)).toBeDefined(), PATIENCE);
  await part.stop();
  await stop();
});
