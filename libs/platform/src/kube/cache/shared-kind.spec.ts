import { afterEach, describe, expect, it } from 'vitest';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { ManualClock } from '../../clock/manual-clock.js';
import { silentLog } from '../../telemetry/log.port.js';
import type { KindRef, KubeClient, ListReading, WatchEvent } from '../client/kube-client.port.js';
import { ReadBudget } from '../limits/read-budget.js';
import { ClusterCache } from './cluster-cache.js';
import { WatchCache } from './watch-cache.js';

const DEPLOYMENT: KindRef = { apiVersion: 'apps/v1', kind: 'Deployment' };
const NODE: KindRef = { apiVersion: 'v1', kind: 'Node' };
const MANAGED = { labelSelector: 'olm.managed=true' };

const deployment = (name: string, resourceVersion: string, labels: Record<string, string> = {}) => ({
  ...DEPLOYMENT,
  metadata: { name, namespace: 'sea', uid: `uid-${name}`, resourceVersion, labels },
  spec: { replicas: 1 },
});
const managed = (name: string, resourceVersion: string) => deployment(name, resourceVersion, { 'olm.managed': 'true' });
const nameOnly = ({ apiVersion, kind, metadata }: KubernetesObject): KubernetesObject => ({
  apiVersion,
  kind,
  metadata: { name: metadata.name, namespace: metadata.namespace },
});
const settle = () => new Promise((resolve) => setImmediate(resolve));
const endings: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

/** A cluster with these objects; `watches` are the kinds of which a watch is open. */
function clusterWith(items: readonly KubernetesObject[]) {
  const watches: string[] = [];
  const events: WatchEvent<KubernetesObject>[] = [];
  const wakes = new Set<() => void>();
  const client = {
    cluster: 'east',
    budget: new ReadBudget('east'),
    list: async ({ kind }: KindRef, { keep = (item) => item }: ListReading<KubernetesObject>) => ({
      items: items.filter((item) => item.kind === kind).map(keep),
      resourceVersion: '10',
    }),
    async *watch({ kind }: KindRef, { signal, onOpen }: Parameters<KubeClient['watch']>[1]) {
      watches.push(kind);
      onOpen?.();
      while (!signal.aborted) {
        const next = events.findIndex((event) => event.type !== 'BOOKMARK' && event.object.kind === kind);
        if (next >= 0) yield* events.splice(next, 1);
        else
          await new Promise<void>((resolve) => {
            wakes.add(resolve);
            signal.addEventListener('abort', () => resolve());
          });
      }
      watches.splice(watches.indexOf(kind), 1);
    },
  } as unknown as KubeClient;
  const tell = async (...told: WatchEvent<KubernetesObject>[]) => {
    events.push(...told);
    for (const wake of wakes) wake();
    await settle();
  };
  return { client, watches, tell };
}

/** A cache of all Deployments, and who reads the managed ones and all Nodes beside it. */
function shared(items: readonly KubernetesObject[]) {
  const { client, watches, tell } = clusterWith(items);
  const deps = { client, clock: new ManualClock(), log: silentLog };
  const cache = new ClusterCache({ ...deps, kinds: [DEPLOYMENT] });
  const seen: string[] = [];
  const reader = new WatchCache({
    ...deps,
    shared: cache,
    kinds: [DEPLOYMENT, NODE],
    options: MANAGED,
    keep: nameOnly,
    onChange: (_kind, object, previous) =>
      seen.push(
        [
          object === undefined ? 'gone' : previous === undefined ? 'new' : 'changed',
          (object ?? previous)?.metadata.name,
        ].join(' '),
      ),
  });
  endings.push(
    () => cache.stop(),
    () => reader.stop(),
  );
  return { cache, reader, seen, tell, watches };
}

describe('a kind that another role of the process has cached', () => {
  it('is not watched again; kinds that it has not are', async () => {
    const { cache, reader, watches } = shared([]);
    cache.start();
    reader.start();
    await settle();
    expect(watches).toEqual(['Deployment', 'Node']);
    await reader.stop();
    expect(watches).toEqual(['Deployment']);
  });

  it('has what the selector takes in, cut down to what is wanted', async () => {
    const { cache, reader } = shared([deployment('own', '5'), managed('tug', '6')]);
    cache.start();
    reader.start();
    await settle();
    const tug = { ...DEPLOYMENT, metadata: { name: 'tug', namespace: 'sea' } };
    expect(reader.list(DEPLOYMENT)).toEqual([tug]);
    expect(reader.list(DEPLOYMENT, 'land')).toEqual([]);
    expect(reader.list(DEPLOYMENT, 'sea', ({ metadata }) => metadata.name !== 'tug')).toEqual([]);
    expect(reader.metadata(DEPLOYMENT)).toMatchObject([{ name: 'tug', resourceVersion: '6' }]);
    expect(reader.get({ ...DEPLOYMENT, name: 'tug', namespace: 'sea' })).toEqual(tug);
    expect(reader.get({ ...DEPLOYMENT, name: 'own', namespace: 'sea' })).toBeUndefined();
  });

  it.each(['before', 'after'])('reports each object once where it is followed %s the first list', async (when) => {
    const { cache, reader, seen } = shared([managed('tug', '6')]);
    cache.start();
    if (when === 'after') await settle();
    expect(reader.synced()).toBe(false);
    reader.start();
    await settle();
    expect(reader.synced()).toBe(true);
    expect(seen).toEqual(['new tug']);
  });

  it('reports changes, and as gone what lost its label or was deleted', async () => {
    const { cache, reader, seen, tell } = shared([managed('tug', '6'), managed('dredger', '7')]);
    cache.start();
    reader.start();
    await settle();
    seen.length = 0;
    await tell({ type: 'MODIFIED', object: managed('tug', '11') });
    await tell({ type: 'MODIFIED', object: deployment('tug', '12') });
    await tell({ type: 'MODIFIED', object: deployment('tug', '13') });
    await tell({ type: 'MODIFIED', object: managed('tug', '14') });
    await tell({ type: 'DELETED', object: managed('dredger', '15') });
    await tell({ type: 'ADDED', object: deployment('own', '16') });
    expect(seen).toEqual(['changed tug', 'gone tug', 'new tug', 'gone dredger']);
  });

  it('reports nothing more once it is stopped, while the cache goes on', async () => {
    const { cache, reader, seen, tell } = shared([]);
    cache.start();
    reader.start();
    await settle();
    await reader.stop();
    await tell({ type: 'ADDED', object: managed('tug', '11') });
    expect(seen).toEqual([]);
    expect(cache.list(DEPLOYMENT, {})).toHaveLength(1);
  });

  it('reports to the others when one reader fails', async () => {
    const { cache, reader, seen } = shared([managed('tug', '6')]);
    const end = cache.ofKind(DEPLOYMENT)?.follow({
      onChange: () => {
        throw new Error('a defect');
      },
      onDelete: () => undefined,
    });
    endings.push(async () => void end?.());
    cache.start();
    reader.start();
    await settle();
    expect(seen).toEqual(['new tug']);
  });

  it('is watched apart where the cache has not all that is wanted', async () => {
    const { client, watches } = clusterWith([]);
    const deps = { client, clock: new ManualClock(), log: silentLog };
    const cache = new ClusterCache({ ...deps, kinds: [{ ...DEPLOYMENT, ...MANAGED }] });
    const reader = new WatchCache({ ...deps, shared: cache, kinds: [DEPLOYMENT] });
    endings.push(
      () => cache.stop(),
      () => reader.stop(),
    );
    cache.start();
    reader.start();
    await settle();
    expect(watches).toEqual(['Deployment', 'Deployment']);
  });
});
