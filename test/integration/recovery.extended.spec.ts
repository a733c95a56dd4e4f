import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { PATIENCE } from '#testing/patience';
import { needing, programs } from '#testing/report/needs';
import { putSampleCatalog } from '../../apps/cli/src/commands/demo/environment/sample-images.js';
import { type BadInputEnvironment, startBadInputEnvironment } from '../story/bad-input-environment.js';
import { createCatalog, createNamespace, operators, subscribe } from '../story/bad-input-fixture.js';
import { EXAMPLES } from '../story/play-story.js';
import { allRunning } from '../story/quick-environment.js';
import { type ConfiguredRedis, startConfiguredRedis } from './redis-support/configured-redis.js';

const there = await programs({ program: 'redis-server', debian: 'redis-server' });
const OLM = 'operators.coreos.com/v1alpha1';
const PACKAGE = 'lighthouse-operator';
const CATALOG = 'recovery/catalog:latest';
const NEWEST = [`${PACKAGE}.v1.2.0 Succeeded`];

/**
 * Returns the results of decisions of users or the hub in a namespace, with the generation of each object.
 */
async function leftIn(client: KubeClient, namespace: string): Promise<string[]> {
  const kinds = ['Subscription', 'InstallPlan', 'ClusterServiceVersion'];
  const lists = await Promise.all(kinds.map((kind) => client.list({ apiVersion: OLM, kind }, { namespace })));
  return lists.flatMap((list, index) =>
    (list?.items ?? []).map(
      ({ metadata }) => `${kinds[index]} ${metadata.name} ${metadata.uid} generation ${metadata.generation}`,
    ),
  );
}

const until = <T>(ask: () => Promise<T>, expected: T): Promise<void> =>
  vi.waitFor(async () => expect(await ask()).toEqual(expected), PATIENCE);

describe('a hub that lost a part of itself', needing(there), () => {
  let folder = '';
  let redis: ConfiguredRedis;
  let set: BadInputEnvironment;
  let before: Readonly<Record<string, readonly string[]>> = {};

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'flotilla-recovery-'));
    redis = await startConfiguredRedis({ lines: ['requirepass SECRET'], client: { password: 'SECRET' } });
    set = await startBadInputEnvironment({
      redis: { url: `redis://:SECRET@127.0.0.1:${redis.port}`, how: 'the test' },
      settings: { FLOTILLA_CONTENT_DIR: join(folder, 'content') },
    });
    await putSampleCatalog(EXAMPLES, 'v1', set.registry, CATALOG);
    for (const namespace of ['upgraded', 'removed', 'declined']) await install(namespace);
    await copyOfRedis();
    await putSampleCatalog(EXAMPLES, 'v2', set.registry, CATALOG);
    await decide();
    before = await left();
  });
  afterAll(async () => {
    await set?.stop();
    await redis?.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  /** Installs the oldest version, from a catalog whose next edition is seen within seconds. */
  async function install(namespace: string): Promise<void> {
    const { east, registry } = set;
    await createNamespace(east, namespace);
    const registryPoll = { interval: '1s' };
    await createCatalog(east, namespace, { image: `${registry.host}/${CATALOG}`, updateStrategy: { registryPoll } });
    await subscribe(east, namespace, PACKAGE);
    await until(() => operators(east, namespace), [`${PACKAGE}.v1.0.0 Succeeded`]);
    if (namespace !== 'declined') return;
    const spec = { installPlanApproval: 'Manual' };
    await east.patch({ apiVersion: OLM, kind: 'Subscription', name: PACKAGE, namespace }, { spec });
  }

  /** Copies Redis as a user does: memory goes to disk, and the file is put aside. */
  async function copyOfRedis(): Promise<void> {
    const kept = await redis.admin.keys('*observation*');
    expect(kept, 'it has what was observed before').toContainEqual(expect.stringContaining('east/removed'));
    await redis.admin.save();
    const [, path = ''] = (await redis.admin.config('GET', 'dir')) as string[];
    await copyFile(join(path, 'dump.rdb'), join(folder, 'dump.rdb'));
  }

  /** Decides after the copy: an upgrade, a removal, and an upgrade that waits for approval. */
  async function decide(): Promise<void> {
    const { east } = set;
    const own = { name: PACKAGE, namespace: 'removed', apiVersion: OLM };
    await east.delete({ ...own, kind: 'Subscription' });
    await east.delete({ ...own, kind: 'ClusterServiceVersion', name: `${PACKAGE}.v1.0.0` });
    await until(() => operators(east, 'removed'), []);
    await until(() => operators(east, 'upgraded'), NEWEST);
    const plans = async () => {
      const list = await east.list({ apiVersion: OLM, kind: 'InstallPlan' }, { namespace: 'declined' });
      return (list?.items ?? []).filter((plan) => Object(plan['status']).phase === 'RequiresApproval').length;
    };
    await until(plans, 1);
  }

  async function left(): Promise<Record<string, string[]>> {
    const namespaces = ['upgraded', 'removed', 'declined'];
    return Object.fromEntries(
      await Promise.all(namespaces.map(async (namespace) => [namespace, await leftIn(set.east, namespace)] as const)),
    );
  }

  /** Expects that the present requests are installed, and that no earlier decision is undone. */
  async function expectRecovered(namespace: string): Promise<void> {
    const { east, registry } = set;
    await createNamespace(east, namespace);
    await createCatalog(east, namespace, { image: `${registry.host}/${CATALOG}` });
    await subscribe(east, namespace, PACKAGE);
    await expect.poll(() => operators(east, namespace), PATIENCE).toEqual(NEWEST);
    expect(await left()).toEqual(before);
    expect(await operators(east, 'upgraded')).toEqual(NEWEST);
    expect(await operators(east, 'declined')).toEqual([`${PACKAGE}.v1.0.0 Succeeded`]);
  }

  it.each([
    { services: 'go on', ended: false },
    { services: 'are started with it', ended: true },
  ])(
    'Redis, restored from a copy of before: no decision is undone; services $services',
    async ({ services, ended }) => {
      const [, path = ''] = (await redis.admin.config('GET', 'dir')) as string[];
      if (ended) await Promise.all(set.environment.services.map((service) => service.stop('SIGKILL')));
      await redis.kill();
      await copyFile(join(folder, 'dump.rdb'), join(path, 'dump.rdb'));
      await redis.restart();
      if (ended) for (const service of set.environment.services) service.start();
      await expect.poll(() => redis.admin.dbsize().catch(() => 0), PATIENCE).toBeGreaterThan(10);
      await expectRecovered(`after-${services.replaceAll(' ', '-')}`);
    },
  );

  it('the content that it keeps on disk: it is pulled again', async () => {
    await rm(join(folder, 'content'), { recursive: true, force: true, maxRetries: 5 });
    await expectRecovered('after-content');
    await Promise.all(set.environment.services.map((service) => service.stop('SIGKILL')));
    await rm(join(folder, 'content'), { recursive: true, force: true, maxRetries: 5 });
    for (const service of set.environment.services) service.start();
    await allRunning(set.environment.services);
    await expectRecovered('after-content-and-start');
  });

  it('its kubeconfig: it goes on with what it holds, and with the file once that is back', async () => {
    const [file = ''] = set.environment.kubeconfigs;
    const text = await readFile(file, 'utf8');
    await rm(file);
    await expectRecovered('without-kubeconfig');
    await writeFile(file, text, { mode: 0o600 });
    await expectRecovered('after-kubeconfig');
  });
});
