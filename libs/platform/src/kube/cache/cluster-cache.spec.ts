import { afterEach, describe, expect, it } from 'vitest';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { ManualClock } from '../../clock/manual-clock.js';
import { silentLog } from '../../telemetry/log.port.js';
import {
  type KindRef,
  KubeApiError,
  type KubeClient,
  type ListReading,
  type WatchEvent,
} from '../client/kube-client.port.js';
import { ReadBudget } from '../limits/read-budget.js';
import { type CachedKind, ClusterCache } from './cluster-cache.js';

const ROLE: KindRef = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role' };
const SECRET: CachedKind = {
  apiVersion: 'v1',
  kind: 'Secret',
  labelSelector: 'olm.managed=true',
  reduce: ({ data: _data, ...rest }) => rest as KubernetesObject,
};
const GOING: CachedKind = { apiVersion: 'example.com/v1', kind: 'Ship' };

const role = (name: string, resourceVersion: string, more: Partial<KubernetesObject['metadata']> = {}) => ({
  ...ROLE,
  metadata: { name, namespace: 'sea', uid: `uid-${name}`, resourceVersion, ...more },
});
const ref = (name: string) => ({ ...ROLE, name, namespace: 'sea' });
const settle = () => new Promise((resolve) => setImmediate(resolve));
const endings: (() => Promise<void>)[] = [];

/** A cluster whose watches send events when the test says so. */
async function cached(items: readonly KubernetesObject[] = [], kinds: readonly CachedKind[] = [ROLE]) {
  const sent: WatchEvent<KubernetesObject>[] = [];
  let wake = (): void => undefined;
  let broken: Error | undefined;
  let watches = 0;
  const client = {
    cluster: 'east',
    budget: new ReadBudget('east'),
    list: async ({ kind }: KindRef, { keep = (item) => item }: ListReading<KubernetesObject>) =>
      kind === GOING.kind
        ? undefined
        : {
            items: items.filter((item) => item.kind === kind).map(keep),
            resourceVersion: items.length === 0 ? '1' : '10',
          },
    async *watch({ kind }: KindRef, { signal, onOpen, known }: Parameters<KubeClient['watch']>[1]) {
      signal.addEventListener('abort', () => wake());
      watches += 1;
      onOpen?.();
      while (!signal.aborted) {
        if (broken !== undefined) throw broken;
        const next = sent.findIndex((event) => event.type === 'BOOKMARK' || event.object.kind === kind);
        if (next >= 0) yield* sent.splice(next, 1).map((event) => asRead(event, known));
        else await new Promise<void>((resolve) => (wake = resolve));
      }
    },
  } as unknown as KubeClient;
  /** Names and versions of the objects that were parsed. */
  const parsed: string[] = [];
  const asRead = (event: WatchEvent<KubernetesObject>, known: Parameters<KubeClient['watch']>[1]['known']) => {
    if (event.type === 'BOOKMARK' || event.type === 'DELETED') return event;
    const object = known?.(JSON.stringify(event));
    if (object === undefined) parsed.push(`${event.object.metadata.name} ${event.object.metadata.resourceVersion}`);
    return { ...event, object: object ?? event.object };
  };
  const clock = new ManualClock();
  const cache = new ClusterCache({ client, clock, log: silentLog, kinds });
  endings.push(() => cache.stop());
  cache.start();
  await settle();
  const send = async (...events: WatchEvent<KubernetesObject>[]) => {
    sent.push(...events);
    wake();
    await settle();
  };
  const fail = async () => {
    broken = new KubeApiError('east', 0, 'Unreachable', 'cut off');
    wake();
    await settle();
  };
  const names = () => cache.list(ROLE, { namespace: 'sea' })?.map(({ metadata }) => metadata.name);
  const versionOf = (name: string) => cache.get(ref(name))?.found?.metadata.resourceVersion;
  return { cache, clock, send, fail, names, versionOf, parsed, budget: client.budget, watches: () => watches };
}

afterEach(async () => {
  for (const end of endings.splice(0)) await end();
});

describe('a cache of a cluster', () => {
  it('has what was listed and what watches report, without managedFields', async () => {
    const { cache, send, names } = await cached([role('b', '5', { managedFields: [{}] })]);
    await send({ type: 'ADDED', object: role('a', '11') });
    expect(names()).toEqual(['a', 'b']);
    expect(cache.get(ref('b'))?.found).toEqual(role('b', '5'));
    await send({ type: 'DELETED', object: role('b', '12') });
    expect(cache.get(ref('b'))).toEqual({ found: undefined });
  });

  it('watches again where an answer to a write contradicts its watch', async () => {
    const { cache, clock, send, watches } = await cached([role('a', '5')]);
    await send({ type: 'BOOKMARK', resourceVersion: '20' });
    await clock.advance(2_000);
    cache.noteWritten(role('a', '5'));
    cache.noteWritten(role('b', '15'));
    await settle();
    expect(watches()).toBe(1);
    cache.noteWritten(role('a', '15'));
    await clock.advance(2_000);
    expect(watches()).toBe(2);
  });

  it('gives a long object as it was', async () => {
    const long = { ...role('a', '5'), rules: Array.from({ length: 500 }, (_, n) => ({ verbs: [`verb ${n} ü`] })) };
    const { cache } = await cached([long]);
    expect(cache.get(ref('a'))?.found).toEqual(long);
  });

  it('gives names and labels of all objects without what else is in them', async () => {
    const { cache, send } = await cached([role('b', '5', { annotations: { a: 'long one' } }), role('c', '6')]);
    await send({ type: 'DELETED', object: role('c', '11') });
    cache.noteWritten(role('a', '20', { labels: { ship: 'harbor' } }));
    const listed = cache.listMetadata(ROLE)?.map(({ metadata }) => metadata);
    expect(listed).toEqual([
      { name: 'a', namespace: 'sea', uid: 'uid-a', resourceVersion: '20', labels: { ship: 'harbor' } },
      { name: 'b', namespace: 'sea', uid: 'uid-b', resourceVersion: '5' },
    ]);
    expect(cache.listMetadata({ ...ROLE, kind: 'Pod' })).toBeUndefined();
  });

  it('answers what labels and names ask for', async () => {
    const { cache } = await cached([role('a', '5', { labels: { ship: 'harbor' } }), role('b', '6')]);
    const asked = (labelSelector: string) => cache.list(ROLE, { labelSelector })?.map(({ metadata }) => metadata.name);
    expect(asked('ship=harbor')).toEqual(['a']);
    expect(asked('ship in (harbor)')).toBeUndefined();
    expect(cache.list(ROLE, { namespace: 'land' })).toEqual([]);
  });

  describe('of our own writes', () => {
    it('shows the newest answer, until the watch has reached its resourceVersion', async () => {
      const { cache, send, versionOf } = await cached([role('a', '5')]);
      cache.noteWritten(role('a', '20'));
      await send({ type: 'MODIFIED', object: role('a', '15') });
      expect(versionOf('a')).toBe('20');
      await send({ type: 'MODIFIED', object: role('a', '20') }, { type: 'MODIFIED', object: role('a', '21') });
      expect(versionOf('a')).toBe('21');
    });

    it('gives it as it was answered, and keeps it when the watch reports it', async () => {
      const { cache, send } = await cached([role('a', '10')]);
      const answered = role('a', '20', { labels: { from: 'answer' } });
      cache.noteWritten(answered);
      expect(cache.get(ref('a'))?.found).toBe(answered);
      await send({ type: 'MODIFIED', object: role('a', '20', { labels: { from: 'answer' } }) });
      expect(cache.get(ref('a'))?.found).toBe(answered);
      await send({ type: 'MODIFIED', object: role('a', '21', { labels: { from: 'another' } }) });
      expect(cache.get(ref('a'))?.found).toMatchObject({ metadata: { labels: { from: 'another' } } });
    });

    it('gives the answer also where the watch was faster', async () => {
      const { cache, send } = await cached([role('a', '10')]);
      const answered = role('a', '20', { labels: { from: 'answer' } });
      await send({ type: 'MODIFIED', object: role('a', '20', { labels: { from: 'answer' } }) });
      cache.noteWritten(answered);
      expect(cache.get(ref('a'))?.found).toBe(answered);
      cache.noteWritten(role('a', '19'));
      expect(cache.get(ref('a'))?.found).toBe(answered);
    });

    it('are counted by what they take: once they rest, a list of the same takes as much', async () => {
      const long = (version: string) => ({ ...role('a', version), rules: 'many rules of one role, '.repeat(500) });
      const { send, clock, budget } = await cached([long('5')]);
      await clock.advance(5_000);
      const listed = budget.held;
      await send({ type: 'MODIFIED', object: long('20') });
      expect(budget.held).toBeGreaterThan(listed + 10_000);
      await clock.advance(5_000);
      expect(Math.abs(budget.held - listed)).toBeLessThan(100);
    });

    it('are not parsed again from the watch; what others wrote is', async () => {
      const { cache, send, parsed } = await cached([role('a', '10'), role('b', '10')]);
      cache.noteWritten(role('a', '20'));
      cache.noteWritten(role('b', '21'));
      const nested = { ...role('c', '22'), status: { ref: { resourceVersion: '21', uid: 'uid-b' } } };
      await send({ type: 'MODIFIED', object: role('a', '20') }, { type: 'MODIFIED', object: nested });
      await send({ type: 'MODIFIED', object: role('b', '21', { uid: 'another' }) });
      expect(parsed).toEqual(['c 22', 'b 21']);
      expect(cache.get(ref('b'))?.found?.metadata.uid).toBe('another');
    });

    it('hide no change of a user, who names the version and the UID of one in annotations', async () => {
      const { cache, send } = await cached([role('a', '10'), role('mine', '10')]);
      cache.noteWritten(role('a', '20'));
      const { name, namespace, uid, resourceVersion } = role('mine', '21').metadata;
      const metadata = { annotations: { resourceVersion: '20', uid: 'uid-a' }, name, namespace, resourceVersion, uid };
      await send({ type: 'MODIFIED', object: { ...ROLE, metadata } });
      expect(cache.get(ref('mine'))?.found?.metadata.resourceVersion).toBe('21');
    });

    it('shows a new object, and not after it went', async () => {
      const { cache, send, names } = await cached([role('b', '5')]);
      cache.noteWritten(role('a', '20'));
      expect(names()).toEqual(['a', 'b']);
      await send({ type: 'ADDED', object: role('a', '20') }, { type: 'DELETED', object: role('a', '21') });
      expect(names()).toEqual(['b']);
    });

    it('are each in its place among those of others, of many', async () => {
      const many = Array.from({ length: 600 }, (_, n) => role(`role-${n}`, '5', { namespace: `sea-${n % 7}` }));
      const { cache } = await cached(many);
      const place = ({ metadata }: KubernetesObject) => `${metadata.namespace}/${metadata.name}`;
      const shown = (namespace?: string) => cache.list(ROLE, namespace === undefined ? {} : { namespace })?.map(place);
      const before = new Set(shown());
      cache.noteWritten(role('role-7', '20', { namespace: 'sea-0' }));
      cache.noteWritten(role('new', '21', { namespace: 'sea-3' }));
      cache.noteDeleted({ ...ref('role-8'), namespace: 'sea-1' });
      const expected = before.union(new Set(['sea-3/new'])).difference(new Set(['sea-1/role-8']));
      expect(shown()).toEqual([...expected].sort());
      expect(shown('sea-3')).toEqual([...expected].filter((at) => at.startsWith('sea-3/')).sort());
      expect(cache.get({ ...ref('role-7'), namespace: 'sea-0' })?.found?.metadata.resourceVersion).toBe('20');
    });

    it('takes no answer that the watch has overtaken: the object may have gone since', async () => {
      const { cache, send, names } = await cached();
      await send({ type: 'ADDED', object: role('a', '20') }, { type: 'DELETED', object: role('a', '21') });
      cache.noteWritten(role('a', '20'));
      expect(names()).toEqual([]);
    });

    it('hides what we deleted, and shows another one of that name', async () => {
      const { cache, send, names, versionOf } = await cached([role('a', '5')]);
      cache.noteDeleted(ref('a'));
      expect([names(), versionOf('a')]).toEqual([[], undefined]);
      await send({ type: 'MODIFIED', object: role('a', '20', { uid: 'another' }) });
      expect(versionOf('a')).toBe('20');
    });

    it('shows what we deleted again when a finalizer holds it, or the watch never reports it', async () => {
      const { cache, send, clock, names } = await cached([role('a', '5'), role('b', '6')]);
      cache.noteDeleted(ref('a'));
      cache.noteDeleted(ref('b'));
      await send({ type: 'MODIFIED', object: role('a', '20', { deletionTimestamp: '2026-01-01T00:00:00Z' }) });
      expect(names()).toEqual(['a']);
      await clock.advance(11_000);
      expect(names()).toEqual(['a', 'b']);
    });
  });

  describe('that holds only objects with a label', () => {
    const secret = (labels: Record<string, string>, resourceVersion = '5') => ({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'key', namespace: 'sea', uid: 'u', resourceVersion, labels },
      data: { password: 'c2VhbA==' },
    });
    const ours = { namespace: 'sea', labelSelector: 'olm.managed=true' };

    it('answers for those alone, and keeps nothing of what they hold', async () => {
      const { cache } = await cached([secret({ 'olm.managed': 'true' })], [SECRET]);
      expect(cache.list(SECRET, ours)?.map((one) => 'data' in one)).toEqual([false]);
      expect(cache.list(SECRET, { namespace: 'sea' })).toBeUndefined();
      expect(cache.get({ apiVersion: 'v1', kind: 'Secret', name: 'key', namespace: 'sea' })).toBeUndefined();
    });

    it('has one no more once a write of ours took its label', async () => {
      const { cache } = await cached([secret({ 'olm.managed': 'true' })], [SECRET]);
      cache.noteWritten(secret({}, '20'));
      expect(cache.list(SECRET, ours)).toEqual([]);
    });
  });

  describe('does not answer', () => {
    it('for kinds that it does not hold, or of another version', async () => {
      const { cache } = await cached([role('a', '5')]);
      expect(cache.list({ apiVersion: 'v1', kind: 'Pod' }, {})).toBeUndefined();
      expect(cache.list({ ...ROLE, apiVersion: 'rbac.authorization.k8s.io/v2' }, {})).toBeUndefined();
    });

    it('for a kind that is not served', async () => {
      const { cache } = await cached([], [GOING]);
      expect(cache.list(GOING, {})).toBeUndefined();
    });

    it('while its watch is broken', async () => {
      const { fail, names } = await cached([role('a', '5')]);
      expect(names()).toEqual(['a']);
      await fail();
      expect(names()).toBeUndefined();
    });
  });

  describe('given the resourceVersions that the poller has seen', () => {
    it('waits for its watches, and names those that do not reach them', async () => {
      const { cache, send, clock } = await cached([role('a', '5')]);
      expect(await cache.behind({ Role: '10', Pod: '99' }, 250)).toEqual([]);
      const behind = cache.behind({ Role: '20' }, 250);
      await send({ type: 'MODIFIED', object: role('a', '20') });
      await clock.advance(5);
      expect(await behind).toEqual([]);
      const later = cache.behind({ Role: '30' }, 250);
      for (let waited = 0; waited < 300; waited += 5) {
        await settle();
        await clock.advance(5);
      }
      expect(await later).toEqual(['Role']);
    });

    it('does not wait for a watch that is broken', async () => {
      const { cache, fail } = await cached([role('a', '5')]);
      await fail();
      expect(await cache.behind({ Role: '20' }, 250)).toEqual(['Role']);
    });
  });
});
