import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { type DirectCluster, directCluster } from '#testing/cluster/direct-client';
import { pause } from '#testing/patience';
import { HttpKubeClient } from './http-kube-client.js';
import type { WatchEvent } from './kube-client.port.js';

const MAPS = { apiVersion: 'v1', kind: 'ConfigMap' };
const LAMPS = { apiVersion: 'lamps.example.com/v1', kind: 'Lamp' };
const ref = (name: string) => ({ ...MAPS, name, namespace: 'default' });
const map = (name: string, data: Record<string, string> = {}, labels: Record<string, string> = {}) => ({
  ...MAPS,
  metadata: { name, namespace: 'default', labels },
  data,
});
const LAMP_CRD = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'lamps.lamps.example.com' },
  spec: {
    group: 'lamps.example.com',
    scope: 'Namespaced',
    names: { kind: 'Lamp', plural: 'lamps', singular: 'lamp', listKind: 'LampList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
};

let direct: DirectCluster;
let client: HttpKubeClient;
beforeEach(() => {
  direct = directCluster('sea');
  ({ client } = direct);
});
afterEach(() => direct.stop());

const cluster = () => direct.cluster;
const verbs = () => cluster().requests.map(({ verb, resource = '' }) => `${verb} ${resource}`.trim());

describe('a read', () => {
  it('gives the object; undefined where there is none, and where its kind is not served', async () => {
    cluster().create(map('one', { a: '1' }));
    expect(await client.get(ref('one'))).toMatchObject({ data: { a: '1' } });
    expect(await client.get(ref('none'))).toBeUndefined();
    expect(await client.get({ ...LAMPS, name: 'one', namespace: 'default' })).toBeUndefined();
    expect(await client.list(LAMPS)).toBeUndefined();
  });

  it.each([
    ['', 'default'],
    ['a/b', 'default'],
    ['..', 'default'],
    ['a%2fb', 'default'],
    ['one', undefined],
    ['one', 'a/b'],
  ])('of the name %j in namespace %j is refused without a request', async (name, namespace) => {
    await client.get(ref('none'));
    cluster().requests.clear();
    await expect(client.get({ ...MAPS, name, namespace })).rejects.toMatchObject({ status: 400, reason: 'BadRequest' });
    await expect(client.delete({ ...MAPS, name, namespace })).rejects.toMatchObject({ reason: 'BadRequest' });
    expect(verbs()).toEqual([]);
  });

  it.each<[string, object, string[]]>([
    ['all', {}, ['one', 'two']],
    ['those with a label', { labelSelector: 'ship=harbour' }, ['two']],
    ['one by name', { fieldSelector: 'metadata.name=one' }, ['one']],
    ['those of another namespace', { namespace: 'kube-public' }, []],
  ])('of a list gives %s, each with its kind', async (_, options, names) => {
    cluster().create(map('one'));
    cluster().create(map('two', {}, { ship: 'harbour' }));
    const items = (await client.list(MAPS, options))?.items.filter(
      ({ metadata }) => metadata.name !== 'kube-root-ca.crt',
    );
    expect(items?.map(({ kind, apiVersion, metadata }) => [apiVersion, kind, metadata.name])).toEqual(
      names.map((name) => ['v1', 'ConfigMap', name]),
    );
  });
});

describe('a list in pages', () => {
  let paged: HttpKubeClient;
  beforeEach(() => {
    for (const name of ['a', 'b', 'c', 'd', 'e'])
      cluster().create(map(name, { text: name.repeat(3) }, { kept: 'yes' }));
    paged = new HttpKubeClient({ cluster: 'sea', transport: direct.transport, fieldManager: 'test', pageSize: 2 });
  });
  const names = async (options: object = {}) =>
    (await paged.list(MAPS, { labelSelector: 'kept', ...options }))?.items.map(({ metadata }) => metadata.name);

  const pages = () =>
    cluster().requests.filter(({ verb, resource }) => verb === 'list' && resource === 'configmaps').length;

  it('is put together', async () => {
    expect(await names()).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(pages()).toBe(3);
  });

  it('keeps of each item what is asked for', async () => {
    const keep = ({ apiVersion, kind, metadata }: KubernetesObject) => ({
      apiVersion,
      kind,
      metadata: { name: metadata.name },
    });
    const list = await paged.list(MAPS, { labelSelector: 'kept', keep });
    expect(list?.items[4]).toEqual({ ...MAPS, metadata: { name: 'e' } });
  });

  it('whose continuation has expired is read anew in one piece', async () => {
    const { handle } = cluster();
    let expired = 0;
    cluster().handle = (request) => {
      if (request.query.has('continue') && expired++ === 0) cluster().expireWatches();
      return handle.call(cluster(), request);
    };
    expect(await names()).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect([expired, pages()]).toEqual([1, 3]);
  });

  it('that is refused in the middle gives nothing', async () => {
    const { handle } = cluster();
    cluster().handle = (request) => {
      if (request.query.has('continue')) cluster().failNext({ verb: 'list' }, 403, 'Forbidden', 'not yours');
      return handle.call(cluster(), request);
    };
    await expect(names()).rejects.toMatchObject({ reason: 'Forbidden', said: 'not yours' });
  });
});

describe('a write', () => {
  it('is answered with the object as it is stored, under the name of the field manager', async () => {
    const { object } = await client.create<KubernetesObject>(map('one', { a: '1' }));
    expect(object.metadata.resourceVersion).toBe(cluster().get(ref('one'))?.metadata.resourceVersion);
    expect(JSON.stringify(object.metadata['managedFields'])).toContain('flotilla-applier');
  });

  it('on top of what another client wrote is a Conflict', async () => {
    const { object } = await client.create(map('one'));
    cluster().edit(ref('one'), (live) => Object.assign(live, { data: { a: '1' } }));
    await expect(client.update({ ...object, data: { a: '2' } })).rejects.toMatchObject({
      status: 409,
      reason: 'Conflict',
    });
  });

  it.each<[string, 'merge' | 'strategic' | undefined, object]>([
    ['merge, by default', undefined, { data: { b: '2' }, metadata: { finalizers: ['example.com/b'] } }],
    ['merge', 'merge', { data: { b: '2' }, metadata: { finalizers: ['example.com/b'] } }],
    ['strategic', 'strategic', { data: { b: '2' }, metadata: { finalizers: ['example.com/a', 'example.com/b'] } }],
  ])('may be a patch of type %s', async (_, type, after) => {
    cluster().create({
      ...map('one', { a: '1' }),
      metadata: { ...map('one').metadata, finalizers: ['example.com/a'] },
    });
    const patch = { data: { a: null, b: '2' }, metadata: { finalizers: ['example.com/b'] } };
    const { object } = await client.patch(ref('one'), patch, type === undefined ? {} : { type });
    expect({ ...object, metadata: { finalizers: object.metadata.finalizers?.toSorted() } }).toMatchObject(after);
    expect(Object(object)['data']).toEqual({ b: '2' });
  });

  it('may be an apply, which takes fields from others and sends no managedFields', async () => {
    const live = cluster().create(map('one', { a: 'theirs' }));
    const { object } = await client.apply({ ...map('one', { a: 'ours' }), metadata: { ...live.metadata } } as never);
    expect(object).toMatchObject({ data: { a: 'ours' } });
  });

  it('of a status changes nothing else', async () => {
    cluster().create(LAMP_CRD);
    while (!(await client.serves(LAMPS))) await pause(0);
    const metadata = { name: 'one', namespace: 'default' };
    const { object } = await client.create({ ...LAMPS, metadata, spec: { light: 'low' } } as KubernetesObject);
    await client.updateStatus({ ...object, spec: { light: 'high' }, status: { lit: true } } as never);
    expect(cluster().get({ ...LAMPS, ...metadata })).toMatchObject({ spec: { light: 'low' }, status: { lit: true } });
  });

  it('as a dry run stores nothing', async () => {
    const { object } = await client.create(map('one'), { dryRun: true });
    expect(object.metadata.name).toBe('one');
    await client.apply(map('two') as never, { dryRun: true });
    expect([cluster().get(ref('one')), cluster().get(ref('two'))]).toEqual([undefined, undefined]);
  });

  it('of a kind that is not served is NotFound, and says what is missing', async () => {
    const lamp = { ...LAMPS, metadata: { name: 'one', namespace: 'default' } };
    await expect(client.create(lamp)).rejects.toMatchObject({
      reason: 'NotFound',
      message:
        'cluster "sea": create Lamp default/one: the cluster does not serve kind Lamp of lamps.example.com/v1; install its CustomResourceDefinition first',
    });
  });

  it('brings the warnings of the API server', async () => {
    const { handle } = cluster();
    cluster().handle = (request) => {
      const answer = handle.call(cluster(), request);
      return answer === undefined || 'watch' in answer
        ? answer
        : { ...answer, warnings: ['is deprecated', 'says "no"'] };
    };
    expect((await client.create(map('one'))).warnings).toEqual(['is deprecated', 'says "no"']);
  });
});

describe('a deletion', () => {
  it('says whether the object was there', async () => {
    cluster().create(map('one'));
    expect([await client.delete(ref('one')), await client.delete(ref('one'))]).toEqual([true, false]);
    expect(await client.delete({ ...LAMPS, name: 'one', namespace: 'default' })).toBe(false);
  });

  it('of the object of a uid leaves another one of its name', async () => {
    const first = cluster().create(map('one'));
    cluster().delete(ref('one'));
    cluster().create(map('one'));
    expect(await client.delete(ref('one'), { uid: first.metadata.uid })).toBe(false);
    expect(cluster().get(ref('one'))).toBeDefined();
  });

  it('that is refused for another reason fails', async () => {
    const { metadata } = cluster().create(map('one'));
    cluster().failNext({ verb: 'delete' }, 409, 'Conflict', 'not now');
    await expect(client.delete(ref('one'), { uid: metadata.uid })).rejects.toMatchObject({ said: 'not now' });
  });
});

describe('the kinds that a cluster serves', () => {
  it('are read once for each API', async () => {
    await client.get(ref('one'));
    await client.get(ref('two'));
    expect(cluster().requests.filter(({ path }) => path === '/api/v1')).toHaveLength(1);
  });

  it('come with a CRD that this client writes, and go with it', async () => {
    expect(await client.serves(LAMPS)).toBe(false);
    await client.create(LAMP_CRD as never);
    while (!(await client.serves(LAMPS))) await pause(0);
    expect(await client.list(LAMPS)).toMatchObject({ items: [] });
    await client.delete({ ...LAMP_CRD, name: LAMP_CRD.metadata.name });
    await expect.poll(() => client.list(LAMPS), { interval: 1 }).toBeUndefined();
    expect(await client.serves(LAMPS)).toBe(false);
  });

  it('are asked for again where another client removed the CRD', async () => {
    cluster().create(LAMP_CRD);
    while (!(await client.serves(LAMPS))) await pause(0);
    cluster().delete({ ...LAMP_CRD, name: LAMP_CRD.metadata.name });
    await expect.poll(() => client.list(LAMPS), { interval: 1 }).toBeUndefined();
    await expect(client.create({ ...LAMPS, metadata: { name: 'one', namespace: 'default' } })).rejects.toMatchObject({
      reason: 'NotFound',
    });
  });
});

describe('an API server that does not answer', () => {
  it('is no refusal: the error has status 0 and says what to check', async () => {
    await client.get(ref('one'));
    cluster().lossOf = () => 'request';
    await expect(client.get(ref('one'))).rejects.toMatchObject({
      status: 0,
      reason: 'Unreachable',
      answered: false,
      message: expect.stringMatching(
        /^cluster "sea" at https:\/\/sea\.test: get ConfigMap default\/one: .*; nothing was changed; the read is retried/,
      ),
    });
  });

  it('after a write leaves open whether it was carried out', async () => {
    await client.get(ref('one'));
    cluster().lossOf = () => 'answer';
    await expect(client.create(map('one'))).rejects.toMatchObject({ reason: 'Unreachable' });
    expect(cluster().get(ref('one'))).toBeDefined();
  });
});

describe('a client that acts as another user', () => {
  const acting = () =>
    client.actingAs({ user: 'system:serviceaccount:default:miller', groups: ['system:authenticated'] });

  it('has the rights of that user alone', async () => {
    cluster().create(map('one'));
    await expect(acting().get(ref('one'))).rejects.toMatchObject({ reason: 'Forbidden' });
    expect(await client.get(ref('one'))).toBeDefined();
    expect(cluster().requests.map(({ impersonatedUser }) => impersonatedUser)).toContain(
      'system:serviceaccount:default:miller',
    );
  });

  it('shares the budget of its cluster, and ends nothing when it is closed', async () => {
    const other = acting();
    expect(other.budget).toBe(client.budget);
    await other.close();
    expect(await client.serverVersion()).toBe('v1.34.4');
  });
});

describe('a watch', () => {
  const watch = (resourceVersion: string, stop = new AbortController()) => {
    const events: string[] = [];
    const open = Promise.withResolvers<void>();
    const options = { resourceVersion, signal: stop.signal, namespace: 'default', onOpen: open.resolve };
    const ended = (async () => {
      for await (const event of client.watch<KubernetesObject>(MAPS, options)) events.push(titleOf(event));
    })();
    const opened = Promise.race([open.promise, ended]);
    opened.catch(() => undefined);
    return { events, ended, stop, opened };
  };
  const titleOf = (event: WatchEvent<KubernetesObject>) =>
    event.type === 'BOOKMARK' ? event.type : `${event.type} ${event.object.metadata.name}`;
  const now = async () => (await client.list(MAPS))?.resourceVersion ?? '';

  it('brings what happens from a resourceVersion on, until it is aborted', async () => {
    const { events, ended, stop, opened } = watch(await now());
    await opened;
    cluster().create(map('one'));
    cluster().edit(ref('one'), (object) => Object.assign(object, { data: { a: '1' } }));
    cluster().delete(ref('one'));
    await expect
      .poll(() => events.filter((event) => event.endsWith(' one')), { interval: 1 })
      .toEqual(['ADDED one', 'MODIFIED one', 'DELETED one']);
    stop.abort();
    await ended;
    await expect.poll(() => cluster().openWatches(), { interval: 1 }).toBe(0);
  });

  it('brings an object that its reader has already as the reader has it, and asks for no deletion', async () => {
    const { object } = await client.create<KubernetesObject>(map('one'));
    const stop = new AbortController();
    const known = (line: string) => (line.includes(`"uid":"${object.metadata.uid}"`) ? object : undefined);
    const options = { resourceVersion: '1', signal: stop.signal, namespace: 'default', known };
    cluster().delete(ref('one'));
    const found: WatchEvent<KubernetesObject>[] = [];
    for await (const event of client.watch<KubernetesObject>(MAPS, options)) {
      if (event.type !== 'BOOKMARK' && event.object.metadata.name === 'one') found.push(event);
      if (event.type === 'DELETED') break;
    }
    expect(found.map((event) => 'object' in event && event.object === object)).toEqual([true, false]);
    stop.abort();
  });

  it('ends without an error when the server ends it', async () => {
    const { ended, opened } = watch(await now());
    await opened;
    cluster().endWatches();
    expect(await ended).toBeUndefined();
  });

  it.each(['event', 'status'] as const)('from a resourceVersion that is too old is Expired (as %s)', async (how) => {
    const old = await now();
    cluster().create(map('one'));
    cluster().expireWatches(how);
    await expect(watch(old).ended).rejects.toMatchObject({ status: 410, reason: 'Expired' });
  });

  it('of a kind that is not served is NotFound', async () => {
    const events = client.watch(LAMPS, { resourceVersion: '1', signal: new AbortController().signal });
    await expect(events[Symbol.asyncIterator]().next()).rejects.toMatchObject({ reason: 'NotFound' });
  });

  it('that is refused says why', async () => {
    const from = await now();
    cluster().failNext({ verb: 'watch' }, 403, 'Forbidden', 'not yours');
    await expect(watch(from).ended).rejects.toMatchObject({ reason: 'Forbidden', said: 'not yours' });
  });
});
