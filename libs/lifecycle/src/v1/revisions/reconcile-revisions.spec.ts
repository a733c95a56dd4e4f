import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CLUSTER_EXTENSION_API } from '#core/kernel/api/cluster-extension';
import { CLUSTER_OBJECT_SET_API } from '#core/kernel/api/cluster-object-set';
import { OLM_FINALIZERS } from '#core/v1/revision/revision-keys';
import { Refusal } from '#testing/cluster/objects/refusal';
import {
  configMap,
  configMapRef,
  ExtensionEnvironment,
  NAMESPACE,
  objectSet,
  quietCsv,
} from '../extensions/extension-environment.fixture.js';

const MINUTE_MS = 60_000;
const FOO_IS_BAR = {
  selector: { type: 'GroupKind', groupKind: { group: '', kind: 'ConfigMap' } },
  assertions: [{ type: 'FieldValue', fieldValue: { fieldPath: 'data.foo', value: 'bar' } }],
};
const NOT_BAR = 'Object ConfigMap.v1 mill/one: value at key "data.foo" != "bar"; expected: "bar" got: "foo"';

let env: ExtensionEnvironment;
// The simulated cluster writes real times into objects: they are compared with those of the clock.
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  env = await ExtensionEnvironment.start();
});
afterEach(async () => {
  await env.stop();
  vi.useRealTimers();
});

const dataOf = (name: string) => env.cluster.get(configMapRef(name))?.data;
const isThere = (name: string) => env.cluster.get(configMapRef(name)) !== undefined;
const setData = (name: string, data: Record<string, string>) =>
  env.cluster.edit(configMapRef(name), (object) => Object.assign(object, { data }));
const archive = (name: string) =>
  env.client.patch({ ...CLUSTER_OBJECT_SET_API, name }, { spec: { lifecycleState: 'Archived' } });

describe('a ClusterObjectSet that a user wrote', () => {
  it('is applied phase by phase, and checked every half minute once it has rolled out', async () => {
    env.add(
      objectSet('mill', [
        ['first', configMap('one')],
        ['second', configMap('two')],
      ]),
    );
    expect(await env.passOverSet('mill')).toMatchObject({ result: 'waits', againAfterMs: 30_000 });
    expect(env.setConditions('mill')).toEqual({
      Available: 'True ProbesSucceeded: Objects are available and pass all probes.',
      Progressing: 'True Succeeded: Revision has rolled out.',
      Succeeded: 'True Succeeded: Revision succeeded rolling out.',
    });
    expect([isThere('one'), isThere('two')]).toEqual([true, true]);
    env.writes();
    await env.passOverSet('mill');
    expect(env.writes()).toEqual([]);
  });

  it('does not enter a phase before all objects of the one before it are ready', async () => {
    const phases = [
      ['first', configMap('one', { foo: 'foo' })],
      ['second', configMap('two')],
    ] as const;
    env.add(objectSet('mill', phases, { progressionProbes: [FOO_IS_BAR] }));
    expect(await env.passOverSet('mill')).toMatchObject({ result: 'waits', againAfterMs: 2_000 });
    expect(env.setConditions('mill')).toEqual({
      Available: `False ProbeFailure: ${NOT_BAR}`,
      Progressing: 'True RollingOut: Revision is rolling out.',
    });
    expect(isThere('two')).toBe(false);
  });

  it('stays Succeeded when an object is no longer ready, which Available reports', async () => {
    const probe = {
      selector: { type: 'GroupKind', groupKind: { group: '', kind: 'ConfigMap' } },
      assertions: [{ type: 'FieldsEqual', fieldsEqual: { fieldA: 'data.a', fieldB: 'data.b' } }],
    };
    env.add(objectSet('mill', [['first', configMap('one', { a: '1' })]], { progressionProbes: [probe] }));
    await env.passOverSet('mill');
    setData('one', { a: '1', b: '1' });
    await env.passOverSet('mill');
    setData('one', { a: '1', b: '2' });
    await env.passOverSet('mill');
    expect(env.setConditions('mill')).toMatchObject({
      Available: expect.stringMatching(/^False ProbeFailure: Object ConfigMap.v1 mill\/one: "data.a" != "data.b"/),
      Progressing: 'True Succeeded: Revision has rolled out.',
      Succeeded: 'True Succeeded: Revision succeeded rolling out.',
    });
    setData('one', { a: '1', b: '1' });
    await env.passOverSet('mill');
    expect(env.setConditions('mill')).toMatchObject({
      Available: 'True ProbesSucceeded: Objects are available and pass all probes.',
    });
    expect(env.rolledOut, 'it has rolled out once').toHaveLength(1);
  });

  it('that is being deleted only loses the finalizers of OLM', async () => {
    const finalizers = [...OLM_FINALIZERS, 'example.com/kept'];
    env.add(objectSet('mill', [['first', configMap('one')]], {}, { finalizers }));
    await env.client.delete({ ...CLUSTER_OBJECT_SET_API, name: 'mill' });
    expect(await env.passOverSet('mill')).toMatchObject({ result: expect.stringMatching(/done|waits/) });
    expect(env.cluster.get({ ...CLUSTER_OBJECT_SET_API, name: 'mill' })?.metadata.finalizers).toEqual([
      'example.com/kept',
    ]);
    expect(isThere('one')).toBe(false);
  });

  it('of an extension that has just been deleted is left alone: it goes too', async () => {
    const ownerReferences = [{ ...CLUSTER_EXTENSION_API, name: 'gear', uid: 'gone', controller: true }];
    env.cluster.create(objectSet('gear-1', [['first', configMap('one')]], {}, { ownerReferences }) as never);
    expect(await env.passOverSet('gear-1')).toEqual({ rounds: 1, result: 'done' });
    expect(isThere('one')).toBe(false);
  });

  it('that has gone is no work', async () => {
    expect(await env.passOverSet('mill')).toEqual({ rounds: 1, result: 'done' });
  });
});

describe('the deadline of a revision', () => {
  const stuck = () =>
    env.add(
      objectSet('mill', [['first', configMap('one', { foo: 'foo' })]], {
        progressDeadlineMinutes: 10,
        progressionProbes: [FOO_IS_BAR],
      }),
    );

  it('is reported with the last status once it has passed, and success clears it', async () => {
    stuck();
    await env.clock.advance(10 * MINUTE_MS - 2_000);
    await env.passOverSet('mill');
    expect(env.setConditions('mill')).toMatchObject({ Progressing: 'True RollingOut: Revision is rolling out.' });
    await env.clock.advance(3_000);
    await env.passOverSet('mill');
    expect(env.setConditions('mill')).toMatchObject({
      Available: `False ProbeFailure: ${NOT_BAR}`,
      Progressing:
        'False ProgressDeadlineExceeded: Revision has not rolled out for 10 minute(s). Last status: Revision is rolling out.',
    });
    await env.client.patch({ ...CLUSTER_OBJECT_SET_API, name: 'mill' }, { spec: { progressionProbes: null } });
    await env.passOverSet('mill');
    expect(env.setConditions('mill')).toMatchObject({ Progressing: 'True Succeeded: Revision has rolled out.' });
  });

  it('is awaited, where it comes before any other check', async () => {
    stuck();
    await env.clock.advance(10 * MINUTE_MS - 1_500);
    const { againAfterMs = 0, waitsFor } = Object(await env.passOverSet('mill'));
    expect(waitsFor).toBe('the deadline of revision mill');
    expect(againAfterMs).toBeGreaterThan(0);
    expect(againAfterMs).toBeLessThan(2_000);
  });

  it('does not count for a revision that has succeeded once', async () => {
    env.add(objectSet('mill', [['first', configMap('one')]], { progressDeadlineMinutes: 10 }));
    await env.passOverSet('mill');
    env.cluster.failAll({ verb: 'patch', resource: 'configmaps' }, refusalOf('not now'));
    await env.client.delete(configMapRef('one'));
    await env.clock.advance(11 * MINUTE_MS);
    await env.passOverSet('mill');
    expect(env.setConditions('mill')['Progressing']).toMatch(/^True Retrying: .*not now/);
  });
});

describe('manifests of a revision that lie in Secrets', () => {
  const secret = (text: string, more: object = { immutable: true }) => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'manifests', namespace: NAMESPACE },
    data: { one: Buffer.from(JSON.stringify(configMap('one', { text }))).toString('base64') },
    ...more,
  });
  const ref = { ref: { name: 'manifests', namespace: NAMESPACE, key: 'one' } };
  const set = () => objectSet('mill', [], { phases: [{ name: 'first', objects: [ref] }] });
  const replace = async (object: object) => {
    await env.client.delete({ apiVersion: 'v1', kind: 'Secret', name: 'manifests', namespace: NAMESPACE });
    env.add(object);
  };

  it('must be immutable', async () => {
    env.add(secret('steady', {}), set());
    expect(await env.passOverSet('mill')).toMatchObject({ againAfterMs: 2_000 });
    expect(env.setConditions('mill')).toEqual({
      Progressing:
        'False Blocked: the following secrets are not immutable (referenced secrets must have immutable set to true): mill/manifests',
    });
    expect(isThere('one')).toBe(false);
  });

  it('are waited for where they are missing, at first every second', async () => {
    env.add(set());
    expect(await env.passOverSet('mill')).toMatchObject({ againAfterMs: 1_000 });
    expect(env.setConditions('mill')).toEqual({
      Progressing:
        'True Retrying: resolving ref in phase "first": getting Secret mill/manifests: Secret "manifests" not found',
    });
    env.add(secret('steady'));
    await env.passOverSet('mill');
    expect(env.setConditions('mill')).toMatchObject({ Progressing: 'True Succeeded: Revision has rolled out.' });
    expect(dataOf('one')).toEqual({ text: 'steady' });
  });

  it('must stay what they were: other content blocks the revision, the first one lets it continue', async () => {
    env.add(secret('steady'), set());
    await env.passOverSet('mill');
    await replace(secret('other'));
    await env.passOverSet('mill');
    expect(env.setConditions('mill')['Progressing']).toMatch(
      /^False Blocked: resolved content of 1 phase\(s\) has changed: phase "first" \(expected digest sha256:\w{64}, got sha256:\w{64}\); a referenced object source may have been deleted and recreated with different content$/,
    );
    expect(dataOf('one')).toEqual({ text: 'steady' });
    await replace(secret('steady'));
    await env.passOverSet('mill');
    expect(env.setConditions('mill')).toMatchObject({ Progressing: 'True Succeeded: Revision has rolled out.' });
  });
});

describe('an archived revision', () => {
  it('gives up its objects, the last phase first, and is done when they are gone', async () => {
    env.add(
      objectSet('mill', [
        ['first', configMap('one')],
        ['second', configMap('two')],
      ]),
    );
    await env.passOverSet('mill');
    await env.client.patch(configMapRef('two'), { metadata: { finalizers: ['example.com/slow'] } });
    await archive('mill');
    expect(await env.passOverSet('mill')).toMatchObject({ result: 'waits', againAfterMs: 5_000 });
    const removing = 'removing revision resources that are not owned by another revision';
    expect(env.setConditions('mill')).toMatchObject({
      Progressing: `True Retrying: ${removing}`,
      Available: `Unknown Reconciling: ${removing}`,
    });
    expect(isThere('one')).toBe(true);
    await env.client.patch(configMapRef('two'), { metadata: { finalizers: [] } });
    await env.passOverSet('mill');
    await env.passOverSet('mill');
    expect(env.setConditions('mill')).toMatchObject({
      Progressing: 'False Archived: revision is archived',
      Available: 'Unknown Archived: revision is archived',
    });
    expect([isThere('one'), isThere('two')]).toEqual([false, false]);
    env.writes();
    await env.passOverSet('mill');
    expect(env.writes()).toEqual([]);
  });

  it('leaves objects of others, and gives up its share in those of another controller', async () => {
    env.add(objectSet('mill', [['first', configMap('one'), configMap('two')]]));
    await env.passOverSet('mill');
    env.cluster.edit(configMapRef('one'), ({ metadata }) => delete metadata.ownerReferences);
    const other = { apiVersion: 'v1', kind: 'Namespace', name: NAMESPACE, uid: 'other', controller: true };
    env.cluster.edit(configMapRef('two'), ({ metadata }) => {
      const [own] = metadata.ownerReferences ?? [];
      const uid = env.cluster.get({ apiVersion: 'v1', kind: 'Namespace', name: NAMESPACE })?.metadata.uid ?? '';
      if (own !== undefined)
        metadata.ownerReferences = [
          { ...own, controller: false },
          { ...other, uid },
        ];
    });
    await archive('mill');
    await env.passOverSet('mill');
    expect(env.setConditions('mill')).toMatchObject({ Progressing: 'False Archived: revision is archived' });
    expect(isThere('one')).toBe(true);
    expect(env.cluster.get(configMapRef('two'))?.metadata.ownerReferences?.map(({ kind }) => kind)).toEqual([
      'Namespace',
    ]);
  });

  it('has nothing to give up where its kind is no longer served, or its manifests are gone', async () => {
    const custom = {
      apiVersion: 'mills.example.com/v1',
      kind: 'Mill',
      metadata: { name: 'one', namespace: NAMESPACE },
    };
    const ref = { ref: { name: 'gone', namespace: NAMESPACE, key: 'one' } };
    env.add(objectSet('mill', [['first', custom]], { lifecycleState: 'Archived' }));
    env.add(objectSet('lost', [], { lifecycleState: 'Archived', phases: [{ name: 'first', objects: [ref] }] }));
    await env.passOverSet('mill');
    await env.passOverSet('lost');
    expect(env.setConditions('mill')).toMatchObject({ Progressing: 'False Archived: revision is archived' });
    expect(env.setConditions('lost')).toMatchObject({ Progressing: 'False Archived: revision is archived' });
  });

  it('is taken apart again where the API server refused once', async () => {
    env.add(objectSet('mill', [['first', configMap('one')]]));
    await env.passOverSet('mill');
    await archive('mill');
    env.cluster.failNext({ verb: 'delete', resource: 'configmaps' }, 403, 'Forbidden', 'a policy forbids it');
    expect(await env.passOverSet('mill')).toMatchObject({ result: 'refused', error: { said: 'a policy forbids it' } });
    expect(isThere('one')).toBe(true);
    await env.passOverSet('mill');
    expect(isThere('one')).toBe(false);
  });
});

describe('revisions of one extension', () => {
  it('both count as active while the newer one rolls out; an object that both have passes to the newer', async () => {
    env.extension();
    await env.install('1.0.0', quietCsv(), configMap('one', { text: 'a' }));
    const missing = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'two', namespace: NAMESPACE } };
    env.cluster.failAll({ verb: 'patch', resource: 'configmaps', name: 'two' }, refusalOf('not now'));
    await env.install('1.1.0', quietCsv(), configMap('one', { text: 'b' }), missing);
    expect(env.lifecycles()).toEqual(['1 Active', '2 Active']);
    expect(env.live()?.status?.activeRevisions?.map(({ name }) => name)).toEqual(['gear-1', 'gear-2']);
    expect(env.conditions()).toMatchObject({
      Installed: 'True Succeeded: Installed bundle registry.test/gear:1.0.0 successfully',
      Progressing: expect.stringMatching(/^True Retrying: phase 0 validation error: phase "configuration": .*not now$/),
    });
    expect(dataOf('one')).toEqual({ text: 'a' });
  });

  it('are kept, the newest five of those that are archived', async () => {
    env.extension();
    for (const minor of [0, 1, 2, 3, 4, 5, 6, 7]) {
      await env.install(`1.${minor}.0`, quietCsv(), configMap('one', { text: String(minor) }));
      await env.pass();
    }
    expect(env.lifecycles()).toEqual([
      ...['2', '3', '4', '5', '6', '7'].map((revision) => `${revision} Archived`),
      '8 Active',
    ]);
  });

  it('that bring Secrets are checked from time to time, since Secrets are not watched', async () => {
    env.extension();
    const key = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'key' }, stringData: { text: 'a' } };
    expect(await env.install('1.0.0', quietCsv(), key)).toMatchObject({
      result: 'waits',
      waitsFor: 'changes of Secrets of revision gear-1',
      againAfterMs: env.deps.secretIntervalMs,
    });
  });

  it('report once how long they took', async () => {
    env.extension();
    await env.offer('1.0.0', quietCsv(), configMap('one'));
    await env.clock.advance(42_000);
    await env.install('1.0.0');
    await env.pass();
    const made = Date.parse(env.revisions()[0]?.metadata.creationTimestamp ?? '');
    expect(env.rolledOut).toEqual([(env.clock.now().getTime() - made) / 1_000]);
  });
});

const refusalOf = (message: string) => new Refusal(403, 'Forbidden', message);
