import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { type SimulatedFleet, startSimulatedFleet } from '#testing/cluster/simulated-fleet';
import { startTcpProxy } from '#testing/control-plane/tcp-proxy';
import { aWhile, PATIENCE } from '#testing/patience';
import { ManualClock } from '../../clock/manual-clock.js';
import { HttpKubeClient } from '../client/http-kube-client.js';
import { fixedCredentials } from '../transport/credentials.js';
import { HttpTransport } from '../transport/http-transport.js';
import { Reflector } from './reflector.js';
import type { ReflectorOptions } from './reflector-options.js';

const CONFIG_MAP = { apiVersion: 'v1', kind: 'ConfigMap' };
const LABELS = { suite: 'reflector' };
const endings: Array<() => Promise<unknown>> = [];
let fleet: SimulatedFleet;

const cluster = () => fleet.cluster('harbour');
const put = (name: string, n: string) =>
  cluster().apply({ ...CONFIG_MAP, metadata: { name, namespace: 'default', labels: LABELS }, data: { n } });
const drop = (name: string) => cluster().delete({ ...CONFIG_MAP, name, namespace: 'default' });

beforeEach(async () => {
  fleet = await startSimulatedFleet({ clusters: ['harbour'] });
  endings.push(() => fleet.stop());
});
afterEach(async () => {
  for (const end of endings.splice(0).toReversed()) await end();
});

function clientOf(server = cluster().url) {
  const headers = { authorization: `Bearer ${cluster().token}` };
  const credentials = fixedCredentials({ headers, tls: { rejectUnauthorized: false } });
  const transport = new HttpTransport({ server: new URL(server), credentials });
  const client = new HttpKubeClient({ cluster: 'harbour', transport, fieldManager: 'test' });
  endings.push(() => client.close());
  return client;
}

function watching(options: Partial<ReflectorOptions<KubernetesObject>> = {}) {
  const told: string[] = [];
  const clock = new ManualClock();
  const nameOf = (object: KubernetesObject) => `${object.metadata.name} ${JSON.stringify(object['data'] ?? {})}`;
  const reflector = new Reflector<KubernetesObject>({
    client: clientOf(),
    kind: CONFIG_MAP,
    options: { namespace: 'default', labelSelector: 'suite=reflector' },
    clock,
    random: () => 0.5,
    handlers: {
      onChange: (object, previous) => told.push(`${previous === undefined ? 'new' : 'changed'} ${nameOf(object)}`),
      onDelete: (object) => told.push(`gone ${nameOf(object)}`),
      onReplace: (items) => told.push(`listed ${items.length}`),
    },
    ...options,
  });
  endings.push(() => reflector.stop());
  return { reflector, told, clock };
}

describe('a reflector', () => {
  it('reports what is there, then what changes, and keeps it all', async () => {
    put('a', '1');
    const { reflector, told } = watching();
    expect(reflector.synced()).toBe(false);
    reflector.start();
    await reflector.whenSynced();
    put('b', '1');
    put('a', '2');
    drop('b');
    const all = ['new a {"n":"1"}', 'listed 1', 'new b {"n":"1"}', 'changed a {"n":"2"}', 'gone b {"n":"1"}'];
    await expect.poll(() => told, PATIENCE).toEqual(all);
    expect(reflector.store.list().map(({ metadata }) => metadata.name)).toEqual(['a']);
    expect(reflector.store.get({ namespace: 'default', name: 'a' })).toMatchObject({ data: { n: '2' } });
  });

  it('keeps no managedFields, unless asked to', async () => {
    put('a', '1');
    const { reflector } = watching();
    const whole = watching({ keep: (object) => object }).reflector;
    reflector.start();
    whole.start();
    await Promise.all([reflector.whenSynced(), whole.whenSynced()]);
    expect(reflector.store.list()[0]?.metadata).not.toHaveProperty('managedFields');
    expect(whole.store.list()[0]?.metadata).toHaveProperty('managedFields');
  });

  it('goes on with the next watch when the server ends one', async () => {
    put('there', '1');
    const { reflector, told, clock } = watching();
    reflector.start();
    await expect.poll(() => cluster().openWatches(), PATIENCE).toBe(1);
    cluster().endWatches();
    put('a', '1');
    await advanceUntil(clock, () => told.includes('new a {"n":"1"}'));
    expect(told.filter((line) => line.startsWith('listed'))).toEqual(['listed 1']);
  });

  it.each(['event', 'status'] as const)(
    'lists anew when its resourceVersion is too old (by %s), and reports the differences',
    async (how) => {
      put('stays', '1');
      put('goes', '1');
      const { reflector, told, clock } = watching();
      reflector.start();
      await expect.poll(() => cluster().openWatches(), PATIENCE).toBe(1);
      cluster().failNext({ verb: 'watch' }, 503, 'ServiceUnavailable');
      cluster().endWatches();
      drop('goes');
      put('comes', '1');
      cluster().expireWatches(how);
      await advanceUntil(clock, () => told.filter((line) => line.startsWith('listed')).length === 2);
      expect(told.slice(3)).toEqual(['gone goes {"n":"1"}', 'new comes {"n":"1"}', 'listed 2']);
    },
  );

  it('waits for a kind that is not served yet, and forgets one that is served no more', async () => {
    const kind = { apiVersion: 'sea.example.com/v1', kind: 'Buoy' };
    const { reflector, told, clock } = watching({ kind });
    reflector.start();
    await reflector.whenSynced();
    expect([reflector.served(), reflector.problem()]).toEqual([false, undefined]);
    cluster().create(buoyCrd());
    await advanceUntil(clock, () => reflector.served());
    cluster().create({ ...kind, metadata: { name: 'red', namespace: 'default', labels: LABELS } });
    await expect.poll(() => told, PATIENCE).toContain('new red {}');
    const crd = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      name: 'buoys.sea.example.com',
    };
    cluster().delete(crd);
    await expect.poll(() => cluster().get(crd), PATIENCE).toBeUndefined();
    await expect.poll(() => told, PATIENCE).toContain('gone red {}');
    // As a real API server does.
    cluster().endWatches();
    await advanceUntil(clock, () => !reflector.served());
    expect(reflector.store.size).toBe(0);
  });

  it('says once what is wrong, tries again after growing pauses, and says when it is well again', async () => {
    const said: string[] = [];
    const log = { debug: () => undefined, info: note('info'), warn: note('warn'), error: note('error') };
    function note(level: string) {
      return (_fields: unknown, message: string) => void said.push(`${level}: ${message}`);
    }
    for (let n = 0; n < 4; n += 1) cluster().failNext({ verb: 'list', resource: 'configmaps' }, 403, 'Forbidden', 'no');
    const { reflector, clock } = watching({ log });
    reflector.start();
    await expect.poll(() => reflector.problem(), PATIENCE).toContain('list ConfigMap: no');
    expect(reflector.synced()).toBe(false);
    const lists = () => [...cluster().requests].filter(({ verb }) => verb === 'list').length;
    for (const [pauseMs, times] of [
      [499, 1],
      [1, 2],
      [999, 2],
      [1, 3],
      [1999, 3],
      [1, 4],
    ] as const) {
      await clock.advance(pauseMs);
      await aWhile();
      await expect.poll(lists, PATIENCE).toBe(times);
    }
    await advanceUntil(clock, () => reflector.synced());
    expect(reflector.problem()).toBeUndefined();
    expect(said).toEqual(['warn: a watch failed', 'info: the watch is up to date again']);
  });

  it('opens another watch when one brings nothing for too long', async () => {
    const proxy = await startTcpProxy({ host: '127.0.0.1', port: Number(new URL(cluster().url).port) });
    endings.push(() => proxy.stop());
    const behind = new URL(cluster().url);
    behind.port = String(proxy.port);
    const { reflector, told, clock } = watching({ client: clientOf(behind.href), silenceMs: 60_000 });
    reflector.start();
    await expect.poll(() => cluster().openWatches(), PATIENCE).toBe(1);
    proxy.stall();
    put('a', '1');
    await clock.advance(30_000);
    expect(told).toEqual(['listed 0']);
    await clock.advance(31_000);
    proxy.resume();
    await advanceUntil(clock, () => told.includes('new a {"n":"1"}'));
  });

  it('knows when the server was last heard', async () => {
    const { reflector, clock } = watching();
    expect(reflector.lastSeen()).toEqual(new Date(0));
    reflector.start();
    await expect.poll(() => cluster().openWatches(), PATIENCE).toBe(1);
    const synced = clock.now();
    expect(reflector.lastSeen()).toEqual(synced);
    await clock.advance(5000);
    put('a', '1');
    await expect.poll(() => reflector.lastSeen(), PATIENCE).toEqual(new Date(synced.getTime() + 5000));
  });

  it('survives a handler that fails', async () => {
    const seen: string[] = [];
    const onChange = ({ metadata }: KubernetesObject) => {
      seen.push(metadata.name ?? '');
      throw new Error('a mistake of ours');
    };
    const { reflector } = watching({ handlers: { onChange } });
    reflector.start();
    await reflector.whenSynced();
    put('a', '1');
    put('b', '1');
    await expect.poll(() => seen, PATIENCE).toEqual(['a', 'b']);
  });

  it('reports nothing after it was stopped', async () => {
    const { reflector, told } = watching();
    reflector.start();
    await expect.poll(() => cluster().openWatches(), PATIENCE).toBe(1);
    await reflector.stop();
    put('a', '1');
    await expect.poll(() => cluster().openWatches(), PATIENCE).toBe(0);
    expect(told).toEqual(['listed 0']);
  });
});

/** Moves time on in steps until something is so: pauses are on the clock, the network is not. */
async function advanceUntil(clock: ManualClock, reached: () => boolean): Promise<void> {
  await expect
    .poll(async () => {
      await clock.advance(100);
      return reached();
    }, PATIENCE)
    .toBe(true);
}

function buoyCrd(): KubernetesObject {
  const schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'buoys.sea.example.com' },
    spec: {
      group: 'sea.example.com',
      scope: 'Namespaced',
      names: { plural: 'buoys', singular: 'buoy', kind: 'Buoy', listKind: 'BuoyList' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
    },
  };
}
