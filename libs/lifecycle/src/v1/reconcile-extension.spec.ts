import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CLUSTER_EXTENSION_API } from '#core/kernel/api/cluster-extension';
import { CLUSTER_OBJECT_SET_API } from '#core/kernel/api/cluster-object-set';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { deployment } from '#core/v1/bundle-render/sample-bundle.fixture';
import { OLM_FINALIZERS } from '#core/v1/revision/revision-keys';
import { Refusal } from '#testing/cluster/objects/refusal';
import type { Loss } from '#testing/cluster/simulated-cluster';
import {
  chosen,
  configMap,
  configMapRef,
  ExtensionEnvironment,
  imageOf,
  quietCsv,
  SYSTEM_NAMESPACE,
} from './extensions/extension-environment.fixture.js';

const GEAR = { ...CLUSTER_EXTENSION_API, name: 'gear' };
const WRITES = new Set(['create', 'update', 'patch', 'delete']);

let env: ExtensionEnvironment;
beforeEach(async () => {
  env = await ExtensionEnvironment.start();
});
afterEach(() => env.stop());

const settings = (text: string) => configMap('settings', { text });
const owners = ({ metadata }: KubernetesObject) =>
  (metadata.ownerReferences ?? []).map(({ kind, name }) => `${kind} ${name}`);
const secrets = () => env.cluster.list({ apiVersion: 'v1', kind: 'Secret', namespace: SYSTEM_NAMESPACE });

describe('a pass over a ClusterExtension', () => {
  it('installs the chosen bundle and reports it', async () => {
    env.extension();
    expect(await env.install('1.0.0', quietCsv(), settings('steady'))).toEqual({ rounds: 2, result: 'done' });
    expect(env.conditions()).toMatchObject({
      Installed: 'True Succeeded: Installed bundle registry.test/gear:1.0.0 successfully',
      Progressing: 'True Succeeded: Revision 1.0.0 has rolled out.',
      Available: 'True ProbesSucceeded: Objects are available and pass all probes.',
      Deprecated: 'False NotDeprecated: not deprecated',
    });
    expect(env.live()?.status).toMatchObject({
      install: { bundle: { name: 'gear.v1.0.0', version: '1.0.0' } },
      activeRevisions: [{ name: 'gear-1' }],
    });
    expect(env.events()).toEqual([
      'Normal AvailableProbesSucceeded: Objects are available and pass all probes.',
      'Normal InstalledSucceeded: Installed bundle registry.test/gear:1.0.0 successfully',
      'Normal ProgressingSucceeded: Revision 1.0.0 has rolled out.',
      'Normal RevisionCreated: Revision gear-1 for bundle gear.v1.0.0 version 1.0.0 was created',
    ]);
    expect(env.rolledOut).toHaveLength(1);
  });

  it('marks what it applies, and has all of it go with the extension', async () => {
    env.extension();
    await env.install('1.0.0', quietCsv(), settings('steady'));
    const applied = env.cluster.get(configMapRef('settings'));
    expect(applied).toMatchObject({
      data: { text: 'steady' },
      metadata: {
        labels: {
          'olm.operatorframework.io/owner-kind': 'ClusterExtension',
          'olm.operatorframework.io/owner-name': 'gear',
          'app.kubernetes.io/managed-by': 'olm.operatorframework.io',
        },
        annotations: {
          'olm.operatorframework.io/bundle-version': '1.0.0',
          'olm.operatorframework.io/package-name': 'gear',
          'olm.operatorframework.io/revision': '1',
        },
        ownerReferences: [{ kind: 'ClusterObjectSet', name: 'gear-1', controller: true }],
      },
    });
    expect(env.revisions().map(owners)).toEqual([['ClusterExtension gear']]);
    expect(secrets().map(owners)).toEqual([['ClusterObjectSet gear-1']]);
    await env.client.delete(GEAR);
    await expect.poll(() => env.cluster.get(configMapRef('settings')), { interval: 1 }).toBeUndefined();
    expect([env.revisions(), secrets()]).toEqual([[], []]);
  });

  it('writes nothing where nothing has changed', async () => {
    env.extension();
    await env.install('1.0.0', quietCsv(), settings('steady'));
    env.writes();
    expect(await env.pass()).toEqual({ rounds: 1, result: 'done' });
    expect(env.writes()).toEqual([]);
  });

  it('writes nothing for what the API server did not store of a manifest: empty lists and maps', async () => {
    const policy = {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'NetworkPolicy',
      metadata: { name: 'deny' },
      spec: { podSelector: {}, policyTypes: ['Ingress'], ingress: [] },
    };
    env.extension();
    await env.install('1.0.0', quietCsv(), policy, configMap('empty', {}));
    env.writes();
    await env.pass();
    expect(env.writes()).toEqual([]);
  });

  it('names by an Event a right to read that the hub is missing, and goes on once it is given', async () => {
    env.extension();
    const said =
      'clusterobjectsets.olm.operatorframework.io is forbidden: User "hub" cannot list resource "clusterobjectsets" in API group "olm.operatorframework.io" at the cluster scope';
    const given = env.cluster.failAll({ resource: 'clusterobjectsets' }, new Refusal(403, 'Forbidden', said));
    expect(await env.install('1.0.0', quietCsv(), settings('steady'))).toMatchObject({ result: 'refused' });
    expect(env.events()).toContain(`Warning ReadRefused: ${said}`);
    given();
    expect(await env.install('1.0.0', quietCsv(), settings('steady'))).toMatchObject({ result: 'done' });
  });

  it('does nothing for an extension that does not exist', async () => {
    expect(await env.pass()).toEqual({ rounds: 1, result: 'done' });
    expect(env.writes()).toEqual([]);
  });

  it('leaves the status as it is while there is no answer for the present spec', async () => {
    env.extension();
    await env.install('1.0.0', quietCsv(), settings('steady'));
    const before = env.live()?.status;
    await env.change({ source: { catalog: { version: '2' } } });
    expect(await env.pass()).toMatchObject({ result: 'waits', waitsFor: 'the choice of a bundle, or its content' });
    expect(env.live()?.status).toEqual(before);
  });

  it('upgrades: the new revision takes over, what it does not have goes, the earlier one is archived', async () => {
    env.extension();
    await env.install('1.0.0', quietCsv(), settings('steady'), configMap('old'));
    const uid = env.cluster.get(configMapRef('settings'))?.metadata.uid;
    await env.install('1.1.0', quietCsv(), settings('quick'), configMap('new'));
    await env.pass();
    expect(env.lifecycles()).toEqual(['1 Archived', '2 Active']);
    expect(env.cluster.get(configMapRef('settings'))).toMatchObject({ metadata: { uid }, data: { text: 'quick' } });
    expect(env.cluster.get(configMapRef('old'))).toBeUndefined();
    expect(env.cluster.get(configMapRef('new'))).toBeDefined();
    expect(env.setConditions('gear-1')).toMatchObject({
      Progressing: 'False Archived: revision is archived',
      Available: 'Unknown Archived: revision is archived',
      Succeeded: 'True Succeeded: Revision succeeded rolling out.',
    });
    expect(env.live()?.status?.install?.bundle.version).toBe('1.1.0');
    expect(env.live()?.status?.activeRevisions).toEqual([{ name: 'gear-2' }]);
  });

  it('makes another revision for another version of the same content', async () => {
    env.extension();
    await env.install('1.0.0', quietCsv(), settings('steady'));
    await env.install('1.0.1', quietCsv(), settings('steady'));
    expect(env.lifecycles()).toEqual(['1 Archived', '2 Active']);
  });

  it('repairs what another client changed or deleted, and leaves fields of others as they are', async () => {
    env.extension();
    await env.install('1.0.0', quietCsv(), settings('steady'), configMap('other'));
    await env.client.delete(configMapRef('other'));
    const theirs = {
      metadata: { annotations: { 'example.com/note': 'kept' } },
      data: { text: 'broken', more: 'kept' },
    };
    await env.client.patch(configMapRef('settings'), theirs);
    await env.pass();
    expect(env.cluster.get(configMapRef('other'))).toBeDefined();
    expect(env.cluster.get(configMapRef('settings'))).toMatchObject({
      metadata: { annotations: { 'example.com/note': 'kept' } },
      data: { text: 'steady', more: 'kept' },
    });
    expect(env.lifecycles()).toEqual(['1 Active']);
  });
});

describe('a pass over a ClusterExtension that is interrupted', () => {
  /** The n-th write of the cluster gets lost. */
  const loseWrite = (n: number, loss: Loss) => {
    let writes = 0;
    env.cluster.lossOf = ({ verb }) => {
      if (WRITES.has(verb)) writes += 1;
      return WRITES.has(verb) && writes === n ? loss : undefined;
    };
    return () => writes;
  };
  const sight = () => ({
    lifecycles: env.lifecycles(),
    conditions: env.conditions(),
    secrets: secrets().map(owners),
    data: env.cluster.get(configMapRef('settings'))?.data,
  });

  it.each<Loss>(['request', 'answer'])(
    'at any one write, of which the %s is lost, is completed by the next',
    async (loss) => {
      for (let at = 1; ; at += 1) {
        const written = loseWrite(at, loss);
        env.extension();
        await env.offer('1.0.0', quietCsv(), settings('steady'));
        const first = await env.pass();
        const isLost = written() >= at;
        // An Event only informs: that it is lost fails no pass.
        if (first.result === 'failed') expect(first.error, `write ${at}`).toMatchObject({ reason: 'Unreachable' });
        await env.install('1.0.0');
        expect(await env.install('1.0.0'), `write ${at}`).toEqual({ rounds: 1, result: 'done' });
        expect(sight(), `write ${at}`).toMatchObject({
          lifecycles: ['1 Active'],
          conditions: { Progressing: 'True Succeeded: Revision 1.0.0 has rolled out.' },
          secrets: [['ClusterObjectSet gear-1']],
          data: { text: 'steady' },
        });
        await env.stop();
        env = await ExtensionEnvironment.start();
        if (!isLost) break;
        expect(at).toBeLessThan(30);
      }
    },
  );

  it('by an API server that does not answer: it fails, and says nothing that was not read', async () => {
    env.extension();
    await env.offer('1.0.0', quietCsv(), settings('steady'));
    env.cluster.lossOf = () => 'request';
    expect(await env.pass()).toMatchObject({ result: 'failed', error: { reason: 'Unreachable', cluster: 'east' } });
    env.cluster.lossOf = () => undefined;
    expect(env.live()?.status).toBeUndefined();
    expect(await env.install('1.0.0')).toMatchObject({ result: 'done' });
  });

  it.each([
    ['the status', { verb: 'update', resource: 'clusterextensions', subresource: 'status' }],
    ['the revision', { verb: 'update', resource: 'clusterobjectsets', subresource: 'status' }],
    ['the owner of a Secret', { verb: 'patch', resource: 'secrets' }],
  ])('by another client that wrote %s first: it starts over', async (_, match) => {
    env.extension();
    env.cluster.failNext(match, 409, 'Conflict');
    expect(await env.install('1.0.0', quietCsv(), settings('steady'))).toMatchObject({ result: 'done' });
    expect(env.conditions()).toMatchObject({ Progressing: 'True Succeeded: Revision 1.0.0 has rolled out.' });
    expect(env.lifecycles()).toEqual(['1 Active']);
  });

  it.each([
    ['no Secrets', { verb: 'create', resource: 'secrets' }],
    ['no revisions', { verb: 'create', resource: 'clusterobjectsets' }],
  ])('by a cluster that lets the hub make %s: the refusal is the outcome, and nothing is applied', async (_, match) => {
    env.extension();
    await env.offer('1.0.0', quietCsv(), settings('steady'));
    env.cluster.failNext(match, 403, 'Forbidden', 'a policy forbids it');
    expect(await env.pass()).toMatchObject({
      result: 'refused',
      error: { reason: 'Forbidden', said: 'a policy forbids it' },
    });
    expect(env.lifecycles()).toEqual([]);
    expect(env.cluster.get(configMapRef('settings'))).toBeUndefined();
    expect(await env.install('1.0.0')).toMatchObject({ result: 'done' });
  });
});

describe('a pass that reads from a cache', () => {
  /** The cluster as it was at this moment, whatever is written later. */
  async function frozen() {
    const { client } = env;
    const kinds = [CLUSTER_EXTENSION_API, CLUSTER_OBJECT_SET_API];
    const lists = new Map<string, readonly KubernetesObject[]>();
    for (const kind of kinds) lists.set(kind.kind, (await client.list(kind))?.items ?? []);
    const cache = {
      list: ({ kind }: { kind: string }) => lists.get(kind),
      get: ({ kind, name }: { kind: string; name: string }) => {
        const items = lists.get(kind);
        return items && { found: items.find(({ metadata }) => metadata.name === name) };
      },
      noteWritten: () => undefined,
      noteDeleted: () => undefined,
    };
    return {
      get: client.get.bind(client),
      list: client.list.bind(client),
      serverVersion: () => client.serverVersion(),
      cache,
    } as Parameters<ExtensionEnvironment['pass']>[0];
  }

  it('that lags makes no second revision for what one has already', async () => {
    env.extension();
    const reads = await frozen();
    await env.install('1.0.0', quietCsv(), settings('steady'));
    expect(env.lifecycles()).toEqual(['1 Active']);
    await env.answer(chosen({ name: 'gear.v1.0.0', version: '1.0.0' }, imageOf('1.0.0')));
    env.writes();
    await env.pass(reads);
    expect(env.lifecycles()).toEqual(['1 Active']);
    expect(env.writes()).toEqual([]);
  });

  it('has a rollout that is under way decided on live reads', async () => {
    env.extension();
    const deployments = [deployment('gear', { nodeSelector: { nowhere: 'true' } })];
    await env.install('1.0.0', quietCsv({}, { deployments }));
    await env.pass();
    const reads = await frozen();
    env.cluster.requests.clear();
    await env.pass(reads);
    const lists = env.cluster.requests.filter(({ verb }) => verb === 'list').map(({ resource }) => resource);
    expect(lists).toContain('clusterobjectsets');
  });

  it('that still has an extension without its deletion makes none of its objects again', async () => {
    env.extension({}, { finalizers: ['example.com/kept'] });
    await env.install('1.0.0', quietCsv(), settings('steady'));
    const reads = await frozen();
    await env.client.delete(GEAR);
    env.cluster.delete(configMapRef('settings'));
    await env.pass(reads);
    expect(env.cluster.get(configMapRef('settings'))).toBeUndefined();
  });
});

describe('the deletion of a ClusterExtension', () => {
  const finalizers = [...OLM_FINALIZERS, 'example.com/kept'];

  it('takes the finalizers of OLM off it and its revisions, keeps those of others, and applies nothing', async () => {
    env.extension({}, { finalizers });
    await env.install('1.0.0', quietCsv(), settings('steady'));
    const [revision] = env.revisions();
    await env.client.patch({ ...CLUSTER_OBJECT_SET_API, name: 'gear-1' }, { metadata: { finalizers } });
    await env.client.delete(GEAR);
    env.cluster.delete(configMapRef('settings'));
    env.writes();
    expect(await env.pass()).toEqual({ rounds: 1, result: 'done' });
    expect(env.live()?.metadata.finalizers).toEqual(['example.com/kept']);
    expect(env.revisions().map(({ metadata }) => [metadata.uid, metadata.finalizers])).toEqual([
      [revision?.metadata.uid, ['example.com/kept']],
    ]);
    expect(env.writes()).toEqual(['patch clusterextensions gear', 'patch clusterobjectsets gear-1']);
    expect(await env.pass()).toEqual({ rounds: 1, result: 'done' });
    expect(env.writes()).toEqual([]);
    expect(env.cluster.get(configMapRef('settings'))).toBeUndefined();
  });

  it('is over once the last finalizer of OLM is off', async () => {
    env.extension({}, { finalizers: [...OLM_FINALIZERS] });
    await env.client.delete(GEAR);
    expect(env.live()).toBeDefined();
    await env.pass();
    expect(env.live()).toBeUndefined();
  });

  it('keeps a finalizer that another client added just before', async () => {
    env.extension({}, { finalizers: [...OLM_FINALIZERS] });
    await env.client.delete(GEAR);
    const held = env.cluster.holdNext({ verb: 'patch', resource: 'clusterextensions' });
    const passed = env.pass();
    await held.arrived;
    env.cluster.edit(GEAR, ({ metadata }) => metadata.finalizers?.push('example.com/late'));
    held.release();
    expect(await passed).toMatchObject({ result: 'done' });
    expect(env.live()?.metadata.finalizers).toEqual(['example.com/late']);
  });
});
