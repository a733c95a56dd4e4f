import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Action } from '#core/kernel/actions/action';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { type SimulatedFleet, startSimulatedFleet } from '#testing/cluster/simulated-fleet';
import { HttpKubeClient } from '../client/http-kube-client.js';
import { fixedCredentials } from '../transport/credentials.js';
import { HttpTransport } from '../transport/http-transport.js';
import { performActions } from './perform-actions.js';

const NOW = new Date('2026-03-01T12:00:00Z');
const CONFIG_MAP = { apiVersion: 'v1', kind: 'ConfigMap' };
let fleet: SimulatedFleet;
let client: HttpKubeClient;
let names = 0;

const cluster = () => fleet.cluster('harbour');
const unused = () => {
  names += 1;
  return `map-${names}`;
};
const configMap = (name: string, data: Record<string, string> = {}): KubernetesObject => ({
  ...CONFIG_MAP,
  metadata: { name, namespace: 'default' },
  data,
});
const refOf = (name: string) => ({ ...CONFIG_MAP, name, namespace: 'default' });
const live = (name: string) => cluster().get(refOf(name));
const writes = () =>
  cluster()
    .requests.writes()
    .map(({ verb, resource }) => `${verb} ${resource}`);

beforeAll(async () => {
  fleet = await startSimulatedFleet({ clusters: ['harbour'] });
  const headers = { authorization: `Bearer ${cluster().token}` };
  const credentials = fixedCredentials({ headers, tls: { rejectUnauthorized: false } });
  const transport = new HttpTransport({ server: new URL(cluster().url), credentials });
  client = new HttpKubeClient({ cluster: 'harbour', transport, fieldManager: 'flotilla-test' });
});
afterAll(async () => {
  await client.close();
  await fleet.stop();
});
beforeEach(() => cluster().requests.clear());

describe('actions are performed', () => {
  it('in order, and can be performed again', async () => {
    const name = unused();
    const actions: Action[] = [
      { do: 'create', object: configMap(name, { n: '1' }) },
      { do: 'patch', ref: refOf(name), patch: { data: { n: '2' } } },
      { do: 'delete', ref: refOf(unused()), propagation: 'Background' },
    ];
    const outcome = await performActions(client, actions, NOW);
    expect(outcome).toMatchObject({ ok: true, wrote: 2 });
    expect(live(name)).toMatchObject({ data: { n: '2' } });
    await expect(performActions(client, actions, NOW)).resolves.toMatchObject({ ok: true });
    expect(live(name)).toMatchObject({ data: { n: '2' } });
  });

  it('up to the first that fails, which is named with the error', async () => {
    const [before, after] = [unused(), unused()];
    const actions: Action[] = [
      { do: 'create', object: configMap(before) },
      { do: 'patch', ref: refOf('nowhere'), patch: { data: {} } },
      { do: 'create', object: configMap(after) },
    ];
    const outcome = await performActions(client, actions, NOW);
    expect(outcome).toMatchObject({ ok: false, index: 1, action: actions[1], wrote: 1, error: { reason: 'NotFound' } });
    expect([live(before) !== undefined, live(after)]).toEqual([true, undefined]);
  });

  it('a deletion of an object that finalizers hold says how it is now', async () => {
    const name = unused();
    cluster().create({ ...configMap(name), metadata: { ...configMap(name).metadata, finalizers: ['x/y'] } });
    const action: Action = { do: 'delete', ref: refOf(name), propagation: 'Background' };
    const outcome = await performActions(client, [action], NOW);
    const metadata = { name, deletionTimestamp: expect.any(String) };
    expect(outcome).toMatchObject({ ok: true, wrote: 1, written: [{ metadata }], unseen: [] });
  });

  it('a locked deletion of what another client has changed meanwhile fails with Conflict', async () => {
    const name = unused();
    const { metadata } = cluster().create(configMap(name));
    cluster().edit(refOf(name), (object) => Object.assign(object, { data: { theirs: '1' } }));
    const { uid, resourceVersion } = metadata;
    const action: Action = { do: 'delete', ref: refOf(name), propagation: 'Background', uid, resourceVersion };
    const outcome = await performActions(client, [action], NOW);
    expect(outcome).toMatchObject({ ok: false, error: { reason: 'Conflict' } });
    expect(live(name)).toBeDefined();
  });

  it('an update of what another client has changed meanwhile fails with Conflict', async () => {
    const name = unused();
    const old = cluster().create(configMap(name));
    cluster().edit(refOf(name), (object) => Object.assign(object, { data: { theirs: '1' } }));
    const object = { ...configMap(name), metadata: { ...old.metadata } };
    const outcome = await performActions(client, [{ do: 'update', object }], NOW);
    expect(outcome).toMatchObject({ ok: false, error: { reason: 'Conflict' } });
  });
});

describe('what would change nothing is not written', () => {
  const changed = (object: KubernetesObject, data: Record<string, string>): KubernetesObject => ({ ...object, data });
  const rows: Array<{ action: (object: KubernetesObject) => Action; sends: string[]; because: string }> = [
    { action: (object) => ({ do: 'update', object }), sends: [], because: 'the object is as it was' },
    {
      action: (object) => ({
        do: 'update',
        object: { ...object, metadata: { ...object.metadata, managedFields: [] } },
      }),
      sends: [],
      because: 'managedFields are the server’s',
    },
    {
      action: (object) => ({ do: 'update', object: changed(object, { a: '2' }) }),
      sends: ['update configmaps'],
      because: 'a field differs',
    },
    { action: (object) => ({ do: 'updateStatus', object }), sends: [], because: 'the status is as it was' },
    {
      action: ({ metadata }) => patch(metadata.name, { data: { a: '1' } }),
      sends: [],
      because: 'the field has that value',
    },
    {
      action: ({ metadata }) => patch(metadata.name, { data: { b: null } }),
      sends: [],
      because: 'what is to go is not there',
    },
    {
      action: ({ metadata }) => patch(metadata.name, { metadata: { resourceVersion: '1' }, data: { a: '1' } }),
      sends: [],
      because: 'a lock alone is no change',
    },
    {
      action: ({ metadata }) => patch(metadata.name, { data: { a: null } }),
      sends: ['patch configmaps'],
      because: 'what is to go is there',
    },
    {
      action: ({ metadata }) => patch(metadata.name, { metadata: { labels: { x: 'y' } } }),
      sends: ['patch configmaps'],
      because: 'a label is new',
    },
  ];
  const patch = (name = '', body: Record<string, unknown>): Action => ({ do: 'patch', ref: refOf(name), patch: body });

  it.each(rows)('sends $sends: $because', async ({ action, sends }) => {
    const object = cluster().create(configMap(unused(), { a: '1' }));
    cluster().requests.clear();
    const outcome = await performActions(client, [action(object)], NOW, { known: () => object });
    expect(outcome).toMatchObject({ ok: true, wrote: sends.length });
    expect(writes()).toEqual(sends);
  });

  it.each([
    { again: { a: '1', b: '2' }, sends: [], because: 'all is as we applied it' },
    { again: { a: '1', b: '3' }, sends: ['patch configmaps'], because: 'a value differs' },
    { again: { a: '1' }, sends: ['patch configmaps'], because: 'a field of ours is no longer wished for' },
    { again: { a: '1', b: '2', c: '3' }, sends: ['patch configmaps'], because: 'a field is new' },
  ])('an apply sends $sends: $because', async ({ again, sends }) => {
    const name = unused();
    await client.apply(configMap(name, { a: '1', b: '2' }));
    const known = await client.get(refOf(name));
    cluster().requests.clear();
    const action: Action = { do: 'apply', object: configMap(name, again) };
    const options = { fieldManager: 'flotilla-test', ...(known === undefined ? {} : { known: () => known }) };
    await expect(performActions(client, [action], NOW, options)).resolves.toMatchObject({ ok: true });
    expect(writes()).toEqual(sends);
    expect(live(name)?.['data']).toEqual(again);
  });

  it('an apply of what we do not own yet is sent, so that it becomes ours', async () => {
    const known = cluster().create(configMap(unused(), { a: '1' }));
    const action: Action = { do: 'apply', object: configMap(known.metadata.name ?? '', { a: '1' }) };
    await performActions(client, [action], NOW, { fieldManager: 'flotilla-test', known: () => known });
    expect(writes()).toEqual(['patch configmaps']);
  });
});

describe('events', () => {
  const about = (name: string) => ({ ...refOf(name), uid: `uid-of-${name}` });
  const emit = (name: string, reason = 'Sailed', message = 'with the tide'): Action => ({
    do: 'emitEvent',
    about: about(name),
    type: 'Normal',
    reason,
    message,
  });
  const events = (name: string) =>
    cluster()
      .list({ apiVersion: 'v1', kind: 'Event', namespace: 'default' })
      .filter((event) => JSON.stringify(event['involvedObject']).includes(`"uid-of-${name}"`));

  it('are Kubernetes Events about the object', async () => {
    const name = unused();
    await performActions(client, [emit(name)], NOW, { component: 'flotilla-applier' });
    expect(events(name)).toMatchObject([
      {
        involvedObject: about(name),
        type: 'Normal',
        reason: 'Sailed',
        message: 'with the tide',
        source: { component: 'flotilla-applier' },
        firstTimestamp: '2026-03-01T12:00:00Z',
        lastTimestamp: '2026-03-01T12:00:00Z',
        count: 1,
      },
    ]);
  });

  it('that come again are counted; others stand beside them', async () => {
    const name = unused();
    const later = new Date('2026-03-01T12:00:30Z');
    await performActions(client, [emit(name), emit(name, 'Sank')], NOW);
    await performActions(client, [emit(name)], later);
    await performActions(client, [emit(name)], later);
    const counted = events(name).map(({ reason, count, lastTimestamp }) => ({ reason, count, lastTimestamp }));
    expect(counted).toHaveLength(2);
    expect(counted).toContainEqual({ reason: 'Sailed', count: 3, lastTimestamp: '2026-03-01T12:00:30Z' });
    expect(counted).toContainEqual({ reason: 'Sank', count: 1, lastTimestamp: '2026-03-01T12:00:00Z' });
  });

  it('name the change that they are part of, the last one where they come again', async () => {
    const name = unused();
    const named = () => events(name).map(({ metadata, count }) => [metadata.annotations, count]);
    await performActions(client, [emit(name)], NOW, { change: 'c1' });
    expect(named()).toEqual([[{ 'flotilla.dev/change': 'c1' }, 1]]);
    await performActions(client, [emit(name)], NOW, { change: 'c2' });
    await performActions(client, [emit(name)], NOW);
    expect(named()).toEqual([[{ 'flotilla.dev/change': 'c2' }, 3]]);
  });

  it('that cannot be written stop nothing', async () => {
    const name = unused();
    cluster().failNext({ verb: 'create', resource: 'events' }, 403, 'Forbidden', 'the namespace is being terminated');
    const outcome = await performActions(client, [emit(name), { do: 'create', object: configMap(name) }], NOW);
    expect(outcome).toMatchObject({
      ok: true,
      wrote: 1,
      warnings: [{ text: expect.stringContaining('being terminated') }],
    });
    expect(live(name)).toBeDefined();
  });

  it('about an object whose name no Event could have', async () => {
    const role = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', name: 'system:Odd_Name:' };
    const action: Action = { do: 'emitEvent', about: role, type: 'Warning', reason: 'Odd', message: 'm' };
    await expect(performActions(client, [action], NOW)).resolves.toMatchObject({ ok: true, warnings: [] });
  });
});
