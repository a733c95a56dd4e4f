import { expect, it } from 'vitest';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { SystemClock } from '#platform/clock/system-clock';
import { WatchCache } from '#platform/kube/cache/watch-cache';
import type { KubeClient, WatchEvent } from '#platform/kube/client/kube-client.port';
import { PATIENCE, PATIENCE_MS } from '#testing/patience';
import { buoyCrd, CONFIG_MAP, CRD, configMap, configMapRef } from './contract-objects.js';
import type { ContractSubject } from './kube-client.contract.js';

export function watchContract(subject: ContractSubject): void {
  const versionNow = async () =>
    (await subject().client.list(CONFIG_MAP, { namespace: subject().namespace }))?.resourceVersion ?? '';

  const touchThrice = async (client: KubeClient, namespace: string, name: string) => {
    await client.create(configMap(namespace, name, { n: '1' }));
    await client.patch(configMapRef(namespace, name), { data: { n: '2' } });
    await client.delete(configMapRef(namespace, name));
  };

  it('sends every change after the resourceVersion of a list, in order', async () => {
    const { client, namespace } = subject();
    const resourceVersion = await versionNow();
    await touchThrice(client, namespace, 'watched');
    const seen = await take(client, namespace, 'watched', resourceVersion, 3);
    expect(seen.map(describe)).toEqual(['ADDED watched 1', 'MODIFIED watched 2', 'DELETED watched 2']);
  });

  it('goes on after a broken connection where it was, missing nothing and repeating nothing', async () => {
    const { client, namespace, disconnect } = subject();
    const resourceVersion = await versionNow();
    await touchThrice(client, namespace, 'interrupted');
    const [first] = await take(client, namespace, 'interrupted', resourceVersion, 1);
    disconnect();
    const from = first?.type === 'BOOKMARK' ? '' : (first?.object.metadata.resourceVersion ?? '');
    const rest = await take(client, namespace, 'interrupted', from, 2);
    expect(rest.map(describe)).toEqual(['MODIFIED interrupted 2', 'DELETED interrupted 2']);
  });

  it('ends without an error when it is aborted', async () => {
    const { client, namespace } = subject();
    const controller = new AbortController();
    const options = { namespace, resourceVersion: await versionNow(), signal: controller.signal };
    const watching = Array.fromAsync(client.watch(CONFIG_MAP, { ...options, onOpen: () => controller.abort() }));
    await expect(watching).resolves.toEqual([]);
  });

  it('a broken connection ends a watch with an error that says so', async () => {
    const { client, namespace, disconnect } = subject();
    const options = { namespace, resourceVersion: await versionNow(), signal: AbortSignal.timeout(PATIENCE_MS) };
    const watching = Array.fromAsync(client.watch(CONFIG_MAP, { ...options, onOpen: disconnect }));
    await expect(watching).rejects.toMatchObject({ status: 0, reason: 'Unreachable' });
  });

  it('says that a resourceVersion is too old', async () => {
    const { client, namespace, expire } = subject();
    const group = `old.${namespace}.example.com`;
    await client.create(buoyCrd(group));
    const kind = { apiVersion: `${group}/v1`, kind: 'Buoy' };
    await expect.poll(() => client.serves(kind), PATIENCE).toBe(true);
    await expect.poll(() => client.list(kind), PATIENCE).toBeDefined();
    expire?.();
    const watching = client.watch(kind, { resourceVersion: '1', signal: AbortSignal.timeout(PATIENCE_MS) });
    await expect(Array.fromAsync(watching)).rejects.toMatchObject({ status: 410, reason: 'Expired' });
    await client.delete({ ...CRD, name: `buoys.${group}` });
  });

  it('a kind that is not served cannot be watched', async () => {
    const options = { resourceVersion: '', signal: AbortSignal.timeout(PATIENCE_MS) };
    const watching = subject().client.watch({ apiVersion: 'nowhere.example.com/v1', kind: 'Nothing' }, options);
    await expect(Array.fromAsync(watching)).rejects.toMatchObject({ status: 404, reason: 'NotFound' });
  });

  it('a cache follows the cluster through broken connections', async () => {
    const { client, direct, namespace, disconnect } = subject();
    const changes: string[] = [];
    const cache = new WatchCache({
      client,
      kinds: [CONFIG_MAP],
      options: { namespace, labelSelector: 'suite=cache' },
      clock: new SystemClock(),
      onChange: (_kind, object, previous) => changes.push(changeOf(object, previous)),
    });
    const labels = { labels: { suite: 'cache' } };
    await client.create(configMap(namespace, 'cached-1', { n: '1' }, labels));
    // By the newest change the cache finds that the server is unchanged.
    await client.create(configMap(namespace, 'cached-3', { n: '1' }, labels));
    cache.start();
    try {
      await cache.whenSynced();
      disconnect();
      await direct.create(configMap(namespace, 'cached-2', { n: '1' }, labels));
      disconnect();
      await direct.patch(configMapRef(namespace, 'cached-1'), { data: { n: '2' } });
      await direct.delete(configMapRef(namespace, 'cached-2'));
      const contents = () => cache.list(CONFIG_MAP, namespace).map((object) => [object.metadata.name, object['data']]);
      await expect.poll(contents, PATIENCE).toEqual([
        ['cached-1', { n: '2' }],
        ['cached-3', { n: '1' }],
      ]);
      // The order of each object's own changes; of several, a list in between brings those that went first.
      expect(changes.filter((change) => change.endsWith('cached-1'))).toEqual(['new cached-1', 'changed cached-1']);
      expect(changes.filter((change) => change.endsWith('cached-2'))).toEqual(['new cached-2', 'gone cached-2']);
      expect(changes.filter((change) => change.endsWith('cached-3'))).toEqual(['new cached-3']);
    } finally {
      await cache.stop();
    }
  });
}

/** The next changes of one object: controllers of a real cluster write into the namespace, too. */
async function take(client: KubeClient, namespace: string, name: string, resourceVersion: string, count: number) {
  const seen: WatchEvent<KubernetesObject>[] = [];
  const options = { namespace, resourceVersion, signal: AbortSignal.timeout(PATIENCE_MS) };
  for await (const event of client.watch(CONFIG_MAP, options)) {
    if (event.type !== 'BOOKMARK' && event.object.metadata.name === name) seen.push(event);
    if (seen.length === count) break;
  }
  return seen;
}

function describe(event: WatchEvent<KubernetesObject>): string {
  if (event.type === 'BOOKMARK') return event.type;
  const data = event.object['data'];
  const n = typeof data === 'object' && data !== null && 'n' in data ? data.n : '';
  return `${event.type} ${event.object.metadata.name} ${n}`;
}

function changeOf(object: KubernetesObject | undefined, previous: KubernetesObject | undefined): string {
  const name = (object ?? previous)?.metadata.name;
  if (object === undefined) return `gone ${name}`;
  return `${previous === undefined ? 'new' : 'changed'} ${name}`;
}
