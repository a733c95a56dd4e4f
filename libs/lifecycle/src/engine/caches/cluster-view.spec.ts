import { describe, expect, it } from 'vitest';
import { CSV_API } from '#core/kernel/api/cluster-service-version';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { ManualClock } from '#platform/clock/manual-clock';
import {
  type KindRef,
  KubeApiError,
  type KubeClient,
  type ListReading,
  type WatchEvent,
} from '#platform/kube/client/kube-client.port';
import { ReadBudget } from '#platform/kube/limits/read-budget';
import { silentLog } from '#platform/telemetry/log.port';
import { PassReader } from '../passes/pass-reader.js';
import { ClusterCaches } from './cluster-caches.js';
import { ClusterView } from './cluster-view.js';

const MINUTE = 60_000;
const settle = () => new Promise((resolve) => setImmediate(resolve));
const NAMESPACE = { apiVersion: 'v1', kind: 'Namespace' };
const secret = (name: string) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, namespace: 'harbour', uid: name, resourceVersion: '5', labels: { 'olm.managed': 'true' } },
  data: { key: 'c2VjcmV0' },
});
const csv = (phase: string) => ({
  ...CSV_API,
  metadata: { name: 'lamp.v1', namespace: 'harbour', uid: 'lamp', resourceVersion: '6' },
  spec: {},
  status: { phase },
});

/** A cluster with these objects; `emit` sends an event to every open watch of the kind. */
function clusterOf(...objects: readonly KubernetesObject[]) {
  const watches = new Set<{ kind: string; emit: (event: WatchEvent<KubernetesObject>) => void }>();
  const held = [...objects];
  let lists = 0;
  const client = {
    cluster: 'east',
    budget: new ReadBudget('east'),
    list: async ({ kind }: KindRef, { keep = (item) => item }: ListReading<KubernetesObject>) => {
      lists += 1;
      return { items: held.filter((object) => object.kind === kind).map(keep), resourceVersion: '10' };
    },
    async *watch({ kind }: KindRef, { signal, onOpen }: Parameters<KubeClient['watch']>[1]) {
      const events: WatchEvent<KubernetesObject>[] = [];
      let wake = (): void => undefined;
      const emit = (event: WatchEvent<KubernetesObject>) => {
        events.push(event);
        wake();
      };
      const watch = { kind, emit };
      watches.add(watch);
      onOpen?.();
      signal.addEventListener('abort', () => wake());
      while (!signal.aborted) {
        yield* events.splice(0);
        if (events.length === 0 && !signal.aborted) {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
      }
      watches.delete(watch);
    },
  } as unknown as KubeClient;
  const emit = async (event: WatchEvent<KubernetesObject>) => {
    const { kind } = 'object' in event ? event.object : { kind: '' };
    for (const watch of watches) if (watch.kind === kind) watch.emit(event);
    await settle();
  };
  const watched = () => [...watches].map(({ kind }) => kind).sort();
  return { client, held, emit, watched, lists: () => lists };
}

function viewOf(
  cluster: ReturnType<typeof clusterOf>,
  staysOpen = false,
  clock = new ManualClock(),
  caches = new ClusterCaches({ clock, log: silentLog }),
) {
  const moved: string[] = [];
  const onMoved = (namespace: string) => void moved.push(namespace);
  const view = new ClusterView({ client: cluster.client, clock, caches, staysOpen, onMoved });
  const pass = async () => new PassReader(await view.reads({}));
  return { clock, view, moved, pass };
}

describe('the view of an idle cluster', () => {
  it('watches nothing before the first pass, and nothing after the last one', async () => {
    const cluster = clusterOf({ ...NAMESPACE, metadata: { name: 'sea', uid: 'a', resourceVersion: '1' } });
    const { clock, view, pass } = viewOf(cluster);
    view.start();
    await settle();
    expect(cluster.watched()).toEqual([]);
    const reader = await pass();
    expect(await reader.list(NAMESPACE)).toHaveLength(1);
    expect(cluster.watched().length).toBeGreaterThan(10);
    await clock.advance(2 * MINUTE);
    expect(cluster.watched()).toEqual([]);
    expect(view.isOpen).toBe(false);
    expect(cluster.client.budget.held).toBe(0);
    await view.stop();
  });

  it('reads what is there by then when the next pass comes', async () => {
    const cluster = clusterOf({ ...NAMESPACE, metadata: { name: 'sea', uid: 'a', resourceVersion: '1' } });
    const { clock, view, pass } = viewOf(cluster);
    await pass();
    await clock.advance(2 * MINUTE);
    cluster.held.push({ ...NAMESPACE, metadata: { name: 'river', uid: 'b', resourceVersion: '2' } });
    const listed = cluster.lists();
    const reader = await pass();
    const opening = cluster.lists();
    expect(opening).toBeGreaterThan(listed);
    expect((await reader.list(NAMESPACE)).map(({ metadata }) => metadata.name)).toEqual(['river', 'sea']);
    expect(cluster.lists(), 'from the cache').toBe(opening);
    await view.stop();
  });

  it('is not idle while a pass reads, and a closed cache answers no pass that goes on', async () => {
    const cluster = clusterOf({ ...NAMESPACE, metadata: { name: 'sea', uid: 'a', resourceVersion: '1' } });
    const { clock, view, pass } = viewOf(cluster);
    const reader = await pass();
    for (let minute = 0; minute < 5; minute += 1) {
      await clock.advance(0.8 * MINUTE);
      reader.forgetAll();
      await reader.list(NAMESPACE);
    }
    expect(view.isOpen).toBe(true);
    await clock.advance(2 * MINUTE);
    cluster.held.length = 0;
    reader.forgetAll();
    expect(await reader.list(NAMESPACE), 'asked of the cluster').toEqual([]);
    await view.stop();
  });

  it('is opened by no work that follows on a pass, and doubts the kinds of which passes had seen more', async () => {
    const cluster = clusterOf({ ...NAMESPACE, metadata: { name: 'sea', uid: 'a', resourceVersion: '1' } });
    const { clock, view } = viewOf(cluster);
    expect(await view.readsAfter()).not.toHaveProperty('cache');
    expect(view.isOpen).toBe(false);
    const opening = view.reads({ Namespace: '11', Role: '9' });
    await settle();
    await clock.advance(1_000);
    await opening;
    const following = view.readsAfter();
    await clock.advance(1_000);
    expect(await following).toMatchObject({ cache: {}, behind: ['Namespace'] });
    await view.stop();
  });

  it('stays open for five minutes after a pass has written', async () => {
    const cluster = clusterOf({ ...NAMESPACE, metadata: { name: 'sea', uid: 'a', resourceVersion: '1' } });
    const { clock, view } = viewOf(cluster);
    const { cache } = await view.reads({});
    cache?.noteWritten({ ...NAMESPACE, metadata: { name: 'sea', uid: 'a', resourceVersion: '11' } });
    await clock.advance(4.5 * MINUTE);
    expect(view.isOpen).toBe(true);
    await clock.advance(2 * MINUTE);
    expect(view.isOpen).toBe(false);
    await view.stop();
  });

  it('is closed sooner while the caches of many clusters are open', async () => {
    const clock = new ManualClock();
    const caches = new ClusterCaches({ clock, log: silentLog });
    const others = Array.from({ length: 120 }, (_, n) =>
      caches.lease(Object.assign(clusterOf().client, { cluster: `cluster-${n}` })),
    );
    const { view, pass } = viewOf(clusterOf(), false, clock, caches);
    await pass();
    await clock.advance(6_000);
    expect(view.isOpen).toBe(false);
    await Promise.all(others.map((other) => other.end()));
    await pass();
    await clock.advance(6_000);
    expect(view.isOpen, 'beside few others').toBe(true);
    await view.stop();
  });

  it('is closed a minute after a write where memory is short', async () => {
    const clock = new ManualClock();
    let short = false;
    const caches = new ClusterCaches({ clock, log: silentLog, isMemoryShort: () => short });
    const others = Array.from({ length: 120 }, (_, n) =>
      caches.lease(Object.assign(clusterOf().client, { cluster: `cluster-${n}` })),
    );
    const { view } = viewOf(clusterOf(), false, clock, caches);
    const { cache } = await view.reads({});
    cache?.noteWritten({ ...NAMESPACE, metadata: { name: 'sea', uid: 'a', resourceVersion: '11' } });
    await clock.advance(1.5 * MINUTE);
    expect(view.isOpen).toBe(true);
    short = true;
    await clock.advance(1.1 * MINUTE);
    expect(view.isOpen).toBe(false);
    await view.stop();
    await Promise.all(others.map((other) => other.end()));
  });

  it('opens nothing any more after its end', async () => {
    const cluster = clusterOf({ ...NAMESPACE, metadata: { name: 'sea', uid: 'a', resourceVersion: '1' } });
    const { view, pass } = viewOf(cluster);
    await view.stop();
    const reader = await pass();
    expect(reader.live).toBe(true);
    expect(await reader.list(NAMESPACE)).toHaveLength(1);
    expect(cluster.watched()).toEqual([]);
  });

  it.each(['Pending', ''])('stays open while an operator waits for rights: phase %j', async (phase) => {
    const cluster = clusterOf(csv(phase));
    const { clock, view, pass, moved } = viewOf(cluster);
    await pass();
    await clock.advance(10 * MINUTE);
    expect(view.isOpen).toBe(true);
    const role = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role' };
    const metadata = { name: 'of-a-user', namespace: 'harbour', uid: 'r', resourceVersion: '11' };
    await cluster.emit({ type: 'ADDED', object: { ...role, metadata } });
    await clock.advance(1_000);
    expect(moved).toEqual(['harbour']);
    await cluster.emit({
      type: 'MODIFIED',
      object: { ...csv('Succeeded'), metadata: { ...csv('').metadata, resourceVersion: '12' } },
    });
    await clock.advance(2 * MINUTE);
    expect(view.isOpen).toBe(false);
    await view.stop();
  });
});

describe('managed Secrets of an idle cluster', () => {
  const gone = { type: 'DELETED', object: secret('web') } as const;

  it('are watched from the start, where there are any: each change wakes a pass', async () => {
    const cluster = clusterOf(secret('web'));
    const { view, moved } = viewOf(cluster);
    view.start();
    await settle();
    expect(cluster.watched()).toEqual(['Secret']);
    await cluster.emit(gone);
    expect(moved).toEqual(['harbour']);
    await view.stop();
    expect(cluster.watched()).toEqual([]);
  });

  it('are watched on after the cache that has found them was closed', async () => {
    const cluster = clusterOf();
    const { clock, view, moved, pass } = viewOf(cluster);
    view.start();
    await settle();
    await pass();
    cluster.held.push(secret('web'));
    await cluster.emit({ type: 'ADDED', object: { ...secret('web') } });
    await clock.advance(2 * MINUTE);
    expect(cluster.watched()).toEqual(['Secret']);
    moved.length = 0;
    await cluster.emit(gone);
    expect(moved).toEqual(['harbour']);
    await view.stop();
  });

  it('wake one pass each while cache and watch both see them', async () => {
    const cluster = clusterOf(secret('web'));
    const { view, moved, pass } = viewOf(cluster);
    view.start();
    await settle();
    await pass();
    await cluster.emit(gone);
    expect(moved).toEqual(['harbour']);
    await view.stop();
  });

  it('are seen by the cache alone where it stays open', async () => {
    const cluster = clusterOf(secret('web'));
    const { clock, view, moved } = viewOf(cluster, true);
    view.start();
    await settle();
    await clock.advance(10 * MINUTE);
    expect(cluster.watched().filter((kind) => kind === 'Secret')).toHaveLength(1);
    await cluster.emit(gone);
    expect(moved).toEqual(['harbour']);
    await view.stop();
  });
});

describe('watches that the API server refuses to the applier', () => {
  const said = (verb: string, resource: string) =>
    `${verb} of ${resource}: ${resource} is forbidden: User "hub" cannot ${verb} resource "${resource}" in API group "" at the cluster scope`;
  const refusal = (verb: string, resource: string) => new KubeApiError('east', 403, 'Forbidden', said(verb, resource));

  it.each(['list', 'watch'])('are named while the cache is open, until the right to %s is given', async (verb) => {
    const cluster = clusterOf();
    const given = cluster.client[verb as 'list' | 'watch'].bind(cluster.client);
    let isGiven = false;
    Object.assign(cluster.client, {
      [verb]: (kind: KindRef, options: never) => {
        if (kind.kind === 'Role' && !isGiven) throw refusal(verb, 'roles');
        return given(kind, options);
      },
    });
    const { clock, view } = viewOf(cluster, true);
    view.start();
    await settle();
    expect(view.deniedWatches()).toEqual([said(verb, 'roles')]);
    isGiven = true;
    for (let second = 0; second < 60; second += 1) await clock.advance(1_000);
    expect(view.deniedWatches()).toEqual([]);
    await view.stop();
  });

  it('are named for the watch of Secrets, too, which goes on while the cluster is idle', async () => {
    const cluster = clusterOf();
    Object.assign(cluster.client, {
      list: async () => {
        throw refusal('list', 'secrets');
      },
    });
    const { view } = viewOf(cluster);
    view.start();
    await settle();
    expect(view.deniedWatches()).toEqual([said('list', 'secrets')]);
    await view.stop();
  });

  it('are no other trouble: a cluster that does not answer is named elsewhere', async () => {
    const cluster = clusterOf();
    Object.assign(cluster.client, {
      list: async () => {
        throw new KubeApiError('east', 0, 'Unreachable', 'connection refused');
      },
    });
    const { view } = viewOf(cluster);
    view.start();
    await settle();
    expect(view.deniedWatches()).toEqual([]);
    await view.stop();
  });
});
