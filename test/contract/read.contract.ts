import { beforeAll, expect, it } from 'vitest';
import { CONFIG_MAP, configMap, configMapRef } from './contract-objects.js';
import type { ContractSubject } from './kube-client.contract.js';

export function readContract(subject: ContractSubject): void {
  const names = ['map-1', 'map-2', 'map-3', 'map-4', 'map-5', 'map-6', 'map-7'];
  const labelsOf = (name: string) => ({
    labels: { parity: Number(name.at(-1)) % 2 === 0 ? 'even' : 'odd', suite: 'read' },
  });

  beforeAll(async () => {
    const { client, namespace } = subject();
    for (const name of names) await client.create(configMap(namespace, name, { name }, labelsOf(name)));
  });

  const listed = async (selectors: Readonly<{ labelSelector?: string; fieldSelector?: string }>) => {
    const { client, namespace } = subject();
    const list = await client.list(CONFIG_MAP, { namespace, ...selectors });
    return list?.items.map(({ metadata }) => metadata.name).toSorted();
  };

  it('an object that is not there is undefined, no error', async () => {
    const { client, namespace } = subject();
    await expect(client.get(configMapRef(namespace, 'nowhere'))).resolves.toBeUndefined();
  });

  it('a kind that is not served is undefined, no error', async () => {
    const { client, namespace } = subject();
    const kind = { apiVersion: 'nowhere.example.com/v1', kind: 'Nothing' };
    await expect(client.list(kind)).resolves.toBeUndefined();
    await expect(client.get({ ...kind, namespace, name: 'x' })).resolves.toBeUndefined();
    await expect(client.serves(kind)).resolves.toBe(false);
    await expect(client.serves(CONFIG_MAP)).resolves.toBe(true);
  });

  it('a list has every object of every page once, each with apiVersion and kind', async () => {
    const { client, namespace } = subject();
    const list = await client.list(CONFIG_MAP, { namespace, labelSelector: 'suite=read' });
    expect(list?.items.map(({ metadata }) => metadata.name).toSorted()).toEqual(names);
    expect(list?.items.map(({ apiVersion, kind }) => ({ apiVersion, kind }))).toEqual(names.map(() => CONFIG_MAP));
    expect(list?.resourceVersion).toMatch(/^\d+$/);
  });

  it.each([
    { selectors: { labelSelector: 'suite=read,parity=even' }, found: ['map-2', 'map-4', 'map-6'], because: 'equality' },
    {
      selectors: { labelSelector: 'suite in (read),parity notin (odd)' },
      found: ['map-2', 'map-4', 'map-6'],
      because: 'sets',
    },
    { selectors: { labelSelector: 'suite=read,!parity' }, found: [], because: 'absence' },
    { selectors: { fieldSelector: 'metadata.name=map-5' }, found: ['map-5'], because: 'a field' },
  ])('selects by $because', async ({ selectors, found }) => {
    await expect(listed(selectors)).resolves.toEqual(found);
  });

  it('says the version of the server', async () => {
    await expect(subject().client.serverVersion()).resolves.toMatch(/^v1\.\d+\.\d+/);
  });

  it.each([
    { name: '', because: 'it would name the whole collection' },
    { name: '..', because: 'it would leave the collection' },
    { name: 'a/b', because: 'it would name a subresource' },
  ])('refuses the name "$name" before anything is sent: $because', async ({ name }) => {
    const { client, namespace } = subject();
    await expect(client.delete(configMapRef(namespace, name))).rejects.toMatchObject({ reason: 'BadRequest' });
    await expect(client.get(configMapRef(namespace, name))).rejects.toMatchObject({ reason: 'BadRequest' });
    await expect(listed({ labelSelector: 'suite=read' })).resolves.toEqual(names);
  });

  it('acts as another user where asked to', async () => {
    const { client } = subject();
    const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview', metadata: {} };
    const asBob = client.actingAs({ user: 'bob', groups: ['sailors', 'system:authenticated'] });
    const { object } = await asBob.create(review);
    expect(object).toMatchObject({ status: { userInfo: { username: 'bob' } } });
    await asBob.close();
    await expect(client.serverVersion(), 'closing it leaves the cluster open').resolves.toBeTruthy();
  });
}
