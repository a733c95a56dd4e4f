import { describe, expect, it } from 'vitest';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { ManualClock } from '#platform/clock/manual-clock';
import type { KindRef, KubeClient, ListReading } from '#platform/kube/client/kube-client.port';
import { ReadBudget } from '#platform/kube/limits/read-budget';
import { silentLog } from '#platform/telemetry/log.port';
import { ClusterCaches } from './cluster-caches.js';

const settle = () => new Promise((resolve) => setImmediate(resolve));

/** A client of an empty cluster that counts its open watches. */
function countingClient(cluster: string) {
  const open = new Set<symbol>();
  const budget = new ReadBudget(cluster);
  const object = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'sea', uid: 'u', resourceVersion: '1' } };
  const client = {
    cluster,
    budget,
    list: async ({ kind }: KindRef, { keep = (item) => item }: ListReading<KubernetesObject>) => ({
      items: kind === 'Namespace' ? [keep(object)] : [],
      resourceVersion: '10',
    }),
    async *watch(_kind: KindRef, { signal }: Parameters<KubeClient['watch']>[1]) {
      const watch = Symbol('watch');
      open.add(watch);
      if (!signal.aborted) await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      open.delete(watch);
    },
  } as unknown as KubeClient;
  return { client, budget, watches: () => open.size };
}
const caches = (handlerBytes?: (kind: string) => number) =>
  new ClusterCaches({
    clock: new ManualClock(),
    log: silentLog,
    ...(handlerBytes === undefined ? {} : { handlerBytes }),
  });

describe('the caches of a process', () => {
  it('are one for each cluster, however many roles read it', async () => {
    const [poller, applier] = [countingClient('east'), countingClient('east')];
    const all = caches();
    const [first, second] = [all.lease(poller.client), all.lease(applier.client)];
    await settle();
    expect(second.cache).toBe(first.cache);
    expect(poller.watches()).toBeGreaterThan(10);
    expect(applier.watches()).toBe(0);
    const other = countingClient('west');
    const third = all.lease(other.client);
    expect(third.cache).not.toBe(first.cache);
    await Promise.all([first.end(), second.end(), third.end()]);
    expect([poller.watches(), other.watches()]).toEqual([0, 0]);
  });

  it('end with the last lease, and a lease ends once', async () => {
    const { client, budget, watches } = countingClient('east');
    const all = caches();
    const [first, second] = [all.lease(client), all.lease(client)];
    await settle();
    await first.end();
    await first.end();
    expect(watches()).toBeGreaterThan(10);
    expect(second.cache.get({ apiVersion: 'v1', kind: 'Namespace', name: 'sea' })?.found).toBeDefined();
    expect(budget.held).toBeGreaterThan(0);
    await second.end();
    expect(watches()).toBe(0);
    expect(budget.held).toBe(0);
  });

  it('are opened anew for who comes after the end, even while it is under way', async () => {
    const { client, watches } = countingClient('east');
    const all = caches();
    const first = all.lease(client);
    await settle();
    const before = watches();
    const ending = first.end();
    const second = all.lease(client);
    await ending;
    await settle();
    expect(second.cache).not.toBe(first.cache);
    expect(watches()).toBe(before);
    await second.end();
  });

  it('charge the budget of the cluster with what readers take for an object', async () => {
    const held = async (handlerBytes?: (kind: string) => number) => {
      const { client, budget } = countingClient('east');
      const lease = caches(handlerBytes).lease(client);
      await settle();
      const bytes = budget.held;
      await lease.end();
      return bytes;
    };
    expect(await held((kind) => (kind === 'Namespace' ? 1_000_000 : 0))).toBe((await held()) + 1_000_000);
  });
});
