import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CLUSTER_EXTENSION_API } from '#core/kernel/api/cluster-extension';
import { CLUSTER_OBJECT_SET_API } from '#core/kernel/api/cluster-object-set';
import { refOf } from '#core/kernel/api/kubernetes-object';
import { OBJECT_DATA_TYPE, OWNER_NAME_LABEL, REVISION_NAME_LABEL } from '#core/v1/revision/revision-keys';
import { DecidedOnCache } from '../../engine/passes/perform.js';
import {
  configMap,
  configMapRef,
  ExtensionEnvironment,
  NAMESPACE,
  quietCsv,
  SYSTEM_NAMESPACE,
} from '../extensions/extension-environment.fixture.js';
import { makeRevision } from './make-revision.js';

let env: ExtensionEnvironment;
beforeEach(async () => {
  env = await ExtensionEnvironment.start();
});
afterEach(() => env.stop());

const SECRET = { apiVersion: 'v1', kind: 'Secret' };
const secrets = () => env.cluster.list({ ...SECRET, namespace: SYSTEM_NAMESPACE });
const desired = (...objects: object[]) =>
  ({
    from: { bundle: { name: 'gear.v1.0.0', version: '1.0.0' }, image: 'registry.test/gear:1.0.0' },
    phases: [{ name: 'configuration', objects }],
    inputs: 'inputs',
    query: 'query',
    digest: 'sha256:1',
  }) as unknown as Parameters<typeof makeRevision>[1];
const make = async (...objects: object[]) => makeRevision(await env.round(), desired(...objects));

describe('a new revision', () => {
  it('is stored with its manifests in immutable Secrets, which it owns', async () => {
    env.extension({ progressDeadlineMinutes: 10 });
    expect(await make(configMap('one'))).toMatchObject({ revision: { metadata: { name: 'gear-1' } } });
    expect(env.revisions()).toMatchObject([
      {
        metadata: {
          labels: { 'olm.operatorframework.io/owner-kind': 'ClusterExtension', [OWNER_NAME_LABEL]: 'gear' },
          annotations: { 'olm.operatorframework.io/bundle-name': 'gear.v1.0.0' },
        },
        spec: { revision: 1, lifecycleState: 'Active', collisionProtection: 'Prevent', progressDeadlineMinutes: 10 },
      },
    ]);
    const uid = env.revisions()[0]?.metadata.uid;
    expect(secrets()).toMatchObject([
      {
        type: OBJECT_DATA_TYPE,
        immutable: true,
        metadata: {
          labels: { [REVISION_NAME_LABEL]: 'gear-1', [OWNER_NAME_LABEL]: 'gear' },
          ownerReferences: [{ kind: 'ClusterObjectSet', name: 'gear-1', uid, controller: true }],
        },
      },
    ]);
    expect(env.cluster.get({ apiVersion: 'v1', kind: 'Namespace', name: SYSTEM_NAMESPACE })).toBeDefined();
  });

  it('of manifests of more than 900 KiB lies in several Secrets', async () => {
    env.extension();
    const text = 'x'.repeat(500 * 1024);
    await make(configMap('one', { text }), configMap('two', { text }));
    expect(secrets()).toHaveLength(2);
  });

  it('is compressed where one manifest is larger than a Secret, and applied as it was', async () => {
    env.extension();
    const text = 'x'.repeat(950 * 1024);
    await env.install('1.0.0', quietCsv(), configMap('large', { text }));
    expect(env.cluster.get(configMapRef('large'))?.data).toEqual({ text });
    expect(JSON.stringify(secrets()).length).toBeLessThan(100_000);
  });

  it('is not stored, nor any of its manifests, where one is too large even so: the extension is Blocked', async () => {
    env.extension();
    const text = randomBytes(950 * 1024).toString('base64');
    await env.offer('1.0.0', quietCsv(), configMap('large', { text }));
    expect(await env.pass()).toMatchObject({ result: 'done' });
    expect(env.conditions()['Progressing']).toMatch(
      /^False Blocked: error for resolved bundle "gear\.v1\.0\.0" with version "1\.0\.0": object in phase 0 index 0 exceeds maximum Secret data size \(\d+ bytes > 921600 bytes\) even after compression$/,
    );
    expect([env.revisions(), secrets()]).toEqual([[], []]);
  });

  it('is not decided on a cache', async () => {
    env.extension();
    const pass = await env.round();
    Object.defineProperty(pass.reader, 'live', { value: false });
    await expect(makeRevision(pass, desired(configMap('one')))).rejects.toBeInstanceOf(DecidedOnCache);
  });

  it('of an extension that is deleted meanwhile goes with it, and the pass goes on', async () => {
    env.extension();
    const pass = await env.round();
    const held = env.cluster.holdNext({ verb: 'get', resource: 'clusterobjectsets' });
    const made = makeRevision(pass, desired(configMap('one')));
    await held.arrived;
    await env.client.delete({ ...CLUSTER_EXTENSION_API, name: 'gear' });
    await expect.poll(() => env.revisions(), { interval: 1 }).toEqual([]);
    held.release();
    expect(await made).toEqual({ gone: true });
    await expect.poll(secrets, { interval: 1 }).toEqual([]);
  });
});

describe('Secrets of an earlier extension of the same name', () => {
  const earlier = async (metadata: object) => {
    env.extension();
    await make(configMap('one'));
    const [secret] = secrets();
    const [revision] = env.revisions();
    if (secret === undefined || revision === undefined) throw new Error('nothing was stored');
    env.cluster.edit({ ...refOf(secret), ...SECRET }, (object) => Object.assign(object.metadata, metadata));
    await env.client.delete({ ...CLUSTER_OBJECT_SET_API, name: 'gear-1' });
    return { ...refOf(secret), ...SECRET };
  };

  it('that are being collected are waited for: nothing refers to them', async () => {
    const ref = await earlier({ finalizers: ['example.com/slow'] });
    await expect.poll(() => env.cluster.get(ref)?.metadata.deletionTimestamp, { interval: 1 }).toBeDefined();
    expect(await make(configMap('one'))).toEqual({ collecting: true });
    expect(env.revisions()).toEqual([]);
  });

  it('that are being deleted are waited for, though they still name this extension as their owner', async () => {
    const ref = await earlier({ finalizers: ['example.com/slow'] });
    const { apiVersion, kind } = CLUSTER_EXTENSION_API;
    const owner = { apiVersion, kind, name: 'gear', uid: env.live()?.metadata.uid ?? '' };
    env.cluster.edit(ref, (object) => Object.assign(object.metadata, { ownerReferences: [owner] }));
    await env.client.delete(ref);
    expect(await make(configMap('one'))).toEqual({ collecting: true });
    expect(env.revisions()).toEqual([]);
  });

  it('that belong to others are not taken', async () => {
    const uid = env.cluster.get({ apiVersion: 'v1', kind: 'Namespace', name: NAMESPACE })?.metadata.uid ?? '';
    await earlier({ ownerReferences: [{ apiVersion: 'v1', kind: 'Namespace', name: NAMESPACE, uid }] });
    expect(await make(configMap('one'))).toEqual({ collecting: true });
  });

  it('make the pass wait two seconds', async () => {
    env.extension();
    await env.offer('1.0.0', quietCsv(), configMap('one'));
    await env.pass();
    const [secret] = secrets();
    if (secret === undefined) throw new Error('nothing was stored');
    env.cluster.edit({ ...refOf(secret), ...SECRET }, ({ metadata }) => {
      metadata.finalizers = ['example.com/slow'];
    });
    await env.client.delete({ ...CLUSTER_EXTENSION_API, name: 'gear' });
    await expect.poll(() => env.revisions(), { interval: 1 }).toEqual([]);
    env.extension();
    await env.offer('1.0.0');
    expect(await env.pass()).toMatchObject({ result: 'waits', againAfterMs: 2_000 });
    env.cluster.edit({ ...refOf(secret), ...SECRET }, ({ metadata }) => {
      delete metadata.finalizers;
    });
    await expect.poll(secrets, { interval: 1 }).toEqual([]);
    await env.install('1.0.0');
    expect(env.conditions()).toMatchObject({ Progressing: 'True Succeeded: Revision 1.0.0 has rolled out.' });
  });
});

describe('Secrets that a revision does not own yet', () => {
  const orphan = (labels: Record<string, string>) => {
    const metadata = { name: 'orphan', namespace: SYSTEM_NAMESPACE, labels };
    env.add({ ...SECRET, metadata, immutable: true });
    return () => env.cluster.get({ ...SECRET, ...metadata })?.metadata.ownerReferences?.map(({ name }) => name);
  };

  it('get it as their owner in the next pass', async () => {
    env.extension();
    await env.install('1.0.0', quietCsv(), configMap('one'));
    const owners = orphan({ [REVISION_NAME_LABEL]: 'gear-1', [OWNER_NAME_LABEL]: 'gear' });
    await env.pass();
    expect(owners()).toEqual(['gear-1']);
  });

  it.each([
    ['another extension', { [REVISION_NAME_LABEL]: 'gear-1', [OWNER_NAME_LABEL]: 'lamp' }],
    ['no revision', { [REVISION_NAME_LABEL]: 'gear-9', [OWNER_NAME_LABEL]: 'gear' }],
    ['no extension', { [REVISION_NAME_LABEL]: 'gear-1' }],
  ])('and are of %s are left alone', async (_, labels) => {
    env.extension();
    await env.install('1.0.0', quietCsv(), configMap('one'));
    const owners = orphan(labels as Record<string, string>);
    await env.pass();
    expect(owners()).toBeUndefined();
  });
});
