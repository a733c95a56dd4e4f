import { expect, it } from 'vitest';
import { PATIENCE } from '#testing/patience';
import { configMap, configMapRef } from './contract-objects.js';
import type { ContractSubject } from './kube-client.contract.js';

/** The garbage collector of a real cluster has to learn of a new object before it can follow its owners. */

export function lifetimeContract(subject: ContractSubject): void {
  it('deletes, and says whether there was something to delete', async () => {
    const { client, namespace } = subject();
    const ref = configMapRef(namespace, 'short-lived');
    await client.create(configMap(namespace, 'short-lived'));
    await expect(client.delete(ref)).resolves.toBe(true);
    await expect(client.delete(ref)).resolves.toBe(false);
  });

  it('does not delete a namesake of the object that was meant', async () => {
    const { client, namespace } = subject();
    const ref = configMapRef(namespace, 'namesake');
    const { object } = await client.create(configMap(namespace, 'namesake'));
    await expect(client.delete(ref, { uid: '00000000-0000-4000-8000-000000000000' })).resolves.toBe(false);
    await expect(client.get(ref)).resolves.toBeDefined();
    await expect(client.delete(ref, { uid: object.metadata.uid ?? '' })).resolves.toBe(true);
  });

  it('does not delete another version than the one that was meant', async () => {
    const { client, namespace } = subject();
    const ref = configMapRef(namespace, 'version');
    const { object } = await client.create(configMap(namespace, 'version'));
    const { uid = '', resourceVersion = '' } = object.metadata;
    const { object: changed } = await client.patch(ref, { data: { a: 'b' } });
    await expect(client.delete(ref, { uid, resourceVersion })).rejects.toMatchObject({ reason: 'Conflict' });
    const newest = changed.metadata.resourceVersion ?? '';
    await expect(client.delete(ref, { uid, resourceVersion: newest })).resolves.toBe(true);
  });

  it('shows an object that finalizers hold, and no other, in the answer to its deletion', async () => {
    const { client, namespace } = subject();
    const held: (string | undefined)[] = [];
    for (const [name, metadata] of [
      ['holds', { finalizers: ['example.com/hold'] }],
      ['goes', {}],
    ] as const) {
      await client.create(configMap(namespace, name, {}, metadata));
      await client.delete(configMapRef(namespace, name), { onHeld: ({ metadata: { name } }) => held.push(name) });
    }
    expect(held).toEqual(['holds']);
    await client.patch(configMapRef(namespace, 'holds'), { metadata: { finalizers: null } });
  });

  it('an object with a finalizer stays, marked, until the finalizer is taken away', async () => {
    const { client, namespace } = subject();
    const ref = configMapRef(namespace, 'held');
    await client.create(configMap(namespace, 'held', {}, { finalizers: ['example.com/hold'] }));
    await client.delete(ref);
    expect((await client.get(ref))?.metadata.deletionTimestamp).toBeDefined();
    await client.patch(ref, { metadata: { finalizers: null } });
    await expect(client.get(ref)).resolves.toBeUndefined();
  });

  it('what an object owns goes with it, unless it is orphaned', async () => {
    const { client, namespace } = subject();
    const family = async (name: string) => {
      const { object } = await client.create(configMap(namespace, name));
      const owner = { apiVersion: 'v1', kind: 'ConfigMap', name, uid: object.metadata.uid ?? '' };
      await client.create(configMap(namespace, `${name}-child`, {}, { ownerReferences: [owner] }));
      return { parent: configMapRef(namespace, name), child: configMapRef(namespace, `${name}-child`) };
    };
    const [taken, left] = [await family('owner'), await family('orphaning-owner')];
    await client.delete(left.parent, { propagation: 'Orphan' });
    await client.delete(taken.parent, { propagation: 'Background' });
    await expect.poll(() => client.get(taken.child), PATIENCE).toBeUndefined();
    await expect.poll(() => client.get(left.parent), PATIENCE).toBeUndefined();
    expect((await client.get(left.child))?.metadata.ownerReferences ?? []).toEqual([]);
  });
}
