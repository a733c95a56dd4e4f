import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Action } from '#core/kernel/actions/action';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { byCodeUnit } from '#core/kernel/canonical/canonical-json';
import { HttpKubeClient } from '#platform/kube/client/http-kube-client';
import type { KindRef, ListOptions } from '#platform/kube/client/kube-client.port';
import { fixedCredentials } from '#platform/kube/transport/credentials';
import { HttpTransport } from '#platform/kube/transport/http-transport';
import { performActions } from '#platform/kube/write/perform-actions';
import { type SimulatedFleet, startSimulatedFleet } from '#testing/cluster/simulated-fleet';
import { PassReader } from './pass-reader.js';

const NOW = new Date('2026-03-01T12:00:00Z');
const KIND = { apiVersion: 'v1', kind: 'Secret' } as const;
const NAMESPACE = 'default';

const named = (name: string, labels: Record<string, string> = {}): KubernetesObject => ({
  ...KIND,
  metadata: { name, namespace: NAMESPACE, labels },
});
const ref = (name: string) => ({ ...KIND, name, namespace: NAMESPACE });

const ASKED: readonly ListOptions[] = [
  {},
  { namespace: NAMESPACE },
  { namespace: 'kube-system' },
  { labelSelector: 'ship=harbor' },
  { namespace: NAMESPACE, labelSelector: 'ship' },
  { labelSelector: 'ship in (harbor)' },
  { fieldSelector: 'metadata.name=chart' },
];

describe('what a pass has read', () => {
  let fleet: SimulatedFleet;
  let client: HttpKubeClient;
  let reader: PassReader;
  const cluster = () => fleet.cluster('sea');
  const readsOf = async (work: () => Promise<unknown>): Promise<string[]> => {
    cluster().requests.clear();
    await work();
    return cluster().requests.map(({ verb }) => verb);
  };
  const perform = async (actions: readonly Action[]) => {
    const outcome = await performActions(client, actions, NOW);
    for (const object of outcome.written) reader.noteWritten(object);
    reader.forgetAbout(outcome.unseen);
  };

  beforeAll(async () => {
    fleet = await startSimulatedFleet({ clusters: ['sea'] });
    const headers = { authorization: `Bearer ${cluster().token}` };
    const credentials = fixedCredentials({ headers, tls: { rejectUnauthorized: false } });
    const transport = new HttpTransport({ server: new URL(cluster().url), credentials });
    client = new HttpKubeClient({ cluster: 'sea', transport, fieldManager: 'flotilla-test' });
    await client.list(KIND); // discovery
  });
  afterAll(async () => {
    await client.close();
    await fleet.stop();
  });
  beforeEach(() => {
    reader = new PassReader(client);
    for (const { metadata } of cluster().list({ ...KIND, namespace: NAMESPACE }))
      cluster().delete(ref(metadata.name ?? ''));
    cluster().create(named('chart', { ship: 'harbor' }));
    cluster().create(named('log'));
  });

  const writes: readonly Readonly<{ because: string; actions: readonly Action[] }>[] = [
    {
      because: 'a new object comes into the lists that it belongs to',
      actions: [{ do: 'create', object: named('map', { ship: 'harbor' }) }],
    },
    { because: 'an object that was there already is read anew', actions: [{ do: 'create', object: named('log') }] },
    {
      because: 'a change takes the place of what was read',
      actions: [{ do: 'patch', ref: ref('chart'), patch: { metadata: { annotations: { a: 'b' } } } }],
    },
    {
      because: 'a label brings an object into a list',
      actions: [{ do: 'patch', ref: ref('log'), patch: { metadata: { labels: { ship: 'harbor' } } } }],
    },
    {
      because: 'a label that goes takes it out',
      actions: [{ do: 'patch', ref: ref('chart'), patch: { metadata: { labels: { ship: null } } } }],
    },
    { because: 'a deletion is seen', actions: [{ do: 'delete', ref: ref('chart'), propagation: 'Background' }] },
    {
      because: 'so is what was done before a refusal',
      actions: [
        { do: 'create', object: named('map') },
        { do: 'patch', ref: ref('none'), patch: {} },
      ],
    },
  ];

  it.each(writes)('is after a write of ours what the API server has: $because', async ({ actions }) => {
    await Promise.all([
      ...ASKED.map((options) => reader.list(KIND, options)),
      reader.get(ref('chart')),
      reader.get(ref('map')),
    ]);
    await perform(actions);
    for (const options of ASKED) {
      const fresh = await new PassReader(client).list(KIND, options);
      expect(byName(await reader.list(KIND, options)), JSON.stringify(options)).toEqual(byName(fresh));
    }
    for (const name of ['chart', 'map', 'log'])
      expect(await reader.get(ref(name))).toEqual(await client.get(ref(name)));
  });

  it('is asked for once, also after a write, and answers narrower questions', async () => {
    const ask = () =>
      Promise.all(
        [{ namespace: NAMESPACE }, { namespace: NAMESPACE, labelSelector: 'ship' }].map((options) =>
          reader.list(KIND, options),
        ),
      );
    expect(await readsOf(ask)).toEqual(['list']);
    await perform([{ do: 'create', object: named('map', { ship: 'harbor' }) }]);
    const [all, labelled] = await ask();
    expect([all?.length, labelled?.length]).toEqual([3, 2]);
    expect(
      await readsOf(async () => [await ask(), await reader.get(ref('map')), await reader.get(ref('none'))]),
    ).toEqual([]);
  });

  it('is not kept of an object that is going: our write may have been the last that it waited for', async () => {
    cluster().create({ ...named('wreck'), metadata: { ...named('wreck').metadata, finalizers: ['sea.example/tow'] } });
    cluster().delete(ref('wreck'));
    await reader.list(KIND, { namespace: NAMESPACE });
    await perform([{ do: 'patch', ref: ref('wreck'), patch: { metadata: { finalizers: null } } }]);
    const names = (await reader.list(KIND, { namespace: NAMESPACE })).map(({ metadata }) => metadata.name);
    expect(names.toSorted()).toEqual(['chart', 'log']);
  });

  it('a read that failed is tried again', async () => {
    cluster().failNext({ verb: 'list', resource: 'secrets' }, 500, 'InternalError');
    await expect(reader.list(KIND)).rejects.toThrow('injected InternalError');
    expect((await reader.list(KIND, { namespace: NAMESPACE })).length).toBe(2);
    expect((await reader.list(KIND)).length).toBeGreaterThanOrEqual(2);
  });
});

describe('what a pass reads of a cache', () => {
  const secret = named('chart');
  const asked: string[] = [];
  const cluster = (behind: readonly string[] = []) => ({
    get: async () => void asked.push('get'),
    list: async () => {
      asked.push('list');
      return { items: [], resourceVersion: '1' };
    },
    serverVersion: async () => 'v1',
    cache: {
      get: ({ kind }: KindRef) => (kind === 'Secret' ? { found: secret } : undefined),
      list: ({ kind }: KindRef) => (kind === 'Secret' ? [secret] : undefined),
      noteWritten: () => undefined,
      noteDeleted: () => undefined,
    },
    behind,
  });
  const CONFIG_MAP = { ...KIND, kind: 'ConfigMap' };
  beforeEach(() => void asked.splice(0));

  it('is no request, where the cache has the answer', async () => {
    const reader = new PassReader(cluster());
    expect([await reader.get(ref('chart')), await reader.list(KIND)]).toEqual([secret, [secret]]);
    expect(asked).toEqual([]);
    await reader.list(CONFIG_MAP);
    expect(asked).toEqual(['list']);
    expect(reader.live).toBe(false);
  });

  it('is names and labels alone of a long list, and the whole object where that is asked for', async () => {
    const { cache } = cluster();
    const { name, namespace } = secret.metadata;
    const short = { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace } };
    const reader = new PassReader({ ...cluster(), cache: { ...cache, listMetadata: () => [short] } });
    expect(await reader.listMetadata(KIND)).toEqual([short]);
    expect([await reader.get(ref('chart')), await reader.list(KIND)]).toEqual([secret, [secret]]);
    const written = { ...secret, metadata: { ...secret.metadata, labels: { from: 'answer' } } };
    reader.noteWritten(written);
    expect([await reader.listMetadata(KIND), await reader.list(KIND)]).toEqual([[written], [written]]);
    reader.doubt('Secret');
    expect(await reader.listMetadata(KIND)).toEqual([]);
    expect(asked).toEqual(['list']);
  });

  it('is read again where the cache has come up to a version since', async () => {
    let held: readonly KubernetesObject[] = [];
    const { cache } = cluster();
    const reader = new PassReader({
      ...cluster(),
      cache: { ...cache, list: () => held },
      lagging: async (seen) => Object.keys(seen).filter((kind) => kind === 'ConfigMap'),
    });
    await Promise.all([reader.list(KIND), reader.list(CONFIG_MAP)]);
    held = [secret];
    expect(await reader.lagging({ Secret: '7', ConfigMap: '7' }, 0)).toEqual(['ConfigMap']);
    expect([await reader.list(KIND), await reader.list(CONFIG_MAP)]).toEqual([[secret], []]);
    reader.doubtAll();
    expect(await reader.lagging({ ConfigMap: '7' }, 0), 'live').toEqual([]);
  });

  it('reads each object of a list once, however many of them were written since', async () => {
    let reads = 0;
    const many = Array.from({ length: 500 }, (_, n) => named(`chart-${n}`));
    const items = many.map((one) => ({
      ...KIND,
      get metadata() {
        reads += 1;
        return one.metadata;
      },
    }));
    const cache = {
      get: () => undefined,
      list: () => items,
      noteWritten: () => undefined,
      noteDeleted: () => undefined,
    };
    const cached = new PassReader({ ...cluster(), cache });
    await cached.list(KIND);
    reads = 0;
    for (const one of many.toReversed()) cached.noteWritten({ ...one, spec: 'written' });
    expect((await cached.list(KIND)).map(({ spec }) => spec)).toEqual(many.map(() => 'written'));
    expect(reads).toBeLessThanOrEqual(2 * many.length);
  });

  it('is nothing of a kind that it is behind with', async () => {
    const reader = new PassReader(cluster(['Secret']));
    expect([await reader.get(ref('chart')), await reader.list(KIND)]).toEqual([undefined, []]);
  });

  it.each([
    { because: 'a creation met an object', unseen: { do: 'create', object: secret } },
    { because: 'it was deleted', unseen: { do: 'delete', ref: ref('chart'), propagation: 'Background' } },
  ] as const)('is nothing any more of its kind once $because', async ({ unseen }) => {
    const reader = new PassReader(cluster());
    reader.forgetAbout([unseen]);
    expect(await reader.get(ref('chart'))).toBeUndefined();
    expect(reader.live).toBe(false);
  });

  it('is nothing at all once a pass has found that another client wrote first', async () => {
    const reader = new PassReader(cluster());
    await reader.list(KIND);
    reader.doubtAll();
    expect([reader.live, reader.mayHaveLost, await reader.list(KIND)]).toEqual([true, false, []]);
    reader.forgetAbout([{ do: 'delete', ref: ref('chart'), propagation: 'Background' }]);
    expect(reader.mayHaveLost).toBe(true);
  });
});

const byName = (objects: readonly KubernetesObject[]): readonly KubernetesObject[] =>
  objects.toSorted((a, b) => byCodeUnit(a.metadata.name ?? '', b.metadata.name ?? ''));
