import { expect, it } from 'vitest';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { configMap, configMapRef } from './contract-objects.js';
import type { ContractSubject } from './kube-client.contract.js';

export function writeContract(subject: ContractSubject): void {
  it('creates with a generated name, and reads back what was written', async () => {
    const { client, namespace } = subject();
    const object: KubernetesObject = {
      ...configMap(namespace, '', { a: '1' }),
      metadata: { generateName: 'made-', namespace },
    };
    const { object: made } = await client.create(object);
    expect(made.metadata.name).toMatch(/^made-[a-z0-9]{5}$/);
    await expect(client.get(configMapRef(namespace, made.metadata.name ?? ''))).resolves.toMatchObject({
      metadata: { uid: made.metadata.uid, resourceVersion: made.metadata.resourceVersion },
      data: { a: '1' },
    });
  });

  it('refuses to create what is there', async () => {
    const { client, namespace } = subject();
    await client.create(configMap(namespace, 'once'));
    await expect(client.create(configMap(namespace, 'once'))).rejects.toMatchObject({
      status: 409,
      reason: 'AlreadyExists',
      said: 'configmaps "once" already exists',
    });
  });

  it('refuses to create in a namespace that is not there', async () => {
    const { client } = subject();
    await expect(client.create(configMap('no-such-namespace', 'x'))).rejects.toMatchObject({
      status: 404,
      reason: 'NotFound',
      said: 'namespaces "no-such-namespace" not found',
    });
  });

  it('updates with the newest resourceVersion only', async () => {
    const { client, namespace } = subject();
    const { object: first } = await client.create(configMap(namespace, 'locked', { a: '1' }));
    const { object: second } = await client.update({ ...first, data: { a: '2' } });
    expect(second.metadata.resourceVersion).not.toBe(first.metadata.resourceVersion);
    await expect(client.update({ ...first, data: { a: '3' } })).rejects.toMatchObject({
      status: 409,
      reason: 'Conflict',
    });
    await expect(client.get(configMapRef(namespace, 'locked'))).resolves.toMatchObject({ data: { a: '2' } });
  });

  it('an update that changes nothing keeps the resourceVersion', async () => {
    const { client, namespace } = subject();
    const { object } = await client.create(configMap(namespace, 'same', { a: '1' }));
    const { object: again } = await client.update(object);
    expect(again.metadata.resourceVersion).toBe(object.metadata.resourceVersion);
  });

  it('merges a patch: null takes away, the rest stays; with a resourceVersion it is a lock', async () => {
    const { client, namespace } = subject();
    const ref = configMapRef(namespace, 'patched');
    const { object } = await client.create(configMap(namespace, 'patched', { a: '1', b: '2' }));
    await client.patch(ref, { data: { b: null, c: '3' } });
    expect((await client.get(ref))?.['data']).toEqual({ a: '1', c: '3' });
    const { resourceVersion } = object.metadata;
    const late = client.patch(ref, { metadata: { resourceVersion }, data: { a: '9' } });
    await expect(late).rejects.toMatchObject({ reason: 'Conflict' });
    await expect(client.patch(configMapRef(namespace, 'nowhere'), { data: {} })).rejects.toMatchObject({ status: 404 });
  });

  it('applies: creates, takes away what it no longer names, leaves the fields of others', async () => {
    const { client, namespace } = subject();
    const ref = configMapRef(namespace, 'applied');
    await client.apply(configMap(namespace, 'applied', { mine: '1', alsoMine: '2' }));
    await client.patch(ref, { data: { theirs: '3' }, metadata: { labels: { theirs: 'too' } } });
    await client.apply(configMap(namespace, 'applied', { mine: '4' }));
    const live = await client.get(ref);
    expect(live?.['data']).toEqual({ mine: '4', theirs: '3' });
    expect(live?.metadata.labels).toEqual({ theirs: 'too' });
  });

  it('applying the same again keeps the resourceVersion', async () => {
    const { client, namespace } = subject();
    const object = configMap(namespace, 'applied-twice', { a: '1' });
    const { object: first } = await client.apply(object);
    const { object: second } = await client.apply(object);
    expect(second.metadata.resourceVersion).toBe(first.metadata.resourceVersion);
  });

  it('takes over a field of another field manager when it applies', async () => {
    const { client, namespace } = subject();
    await client.create(configMap(namespace, 'contested', { a: 'theirs' }));
    const { object } = await client.apply(configMap(namespace, 'contested', { a: 'ours' }));
    expect(object['data']).toEqual({ a: 'ours' });
  });

  it('a dry run answers as the write would, and stores nothing', async () => {
    const { client, namespace } = subject();
    const { object } = await client.create(configMap(namespace, 'dry', { a: '1' }), { dryRun: true });
    expect(object).toMatchObject({ data: { a: '1' } });
    await expect(client.get(configMapRef(namespace, 'dry'))).resolves.toBeUndefined();
  });

  it('names the fields at fault when the server finds an object invalid', async () => {
    const { client, namespace } = subject();
    const object = configMap(namespace, 'Not_A_Name');
    await expect(client.create(object)).rejects.toMatchObject({
      status: 422,
      reason: 'Invalid',
      causes: [expect.stringContaining('metadata.name')],
      message: expect.stringContaining(`create ConfigMap ${namespace}/Not_A_Name`),
    });
  });
}
