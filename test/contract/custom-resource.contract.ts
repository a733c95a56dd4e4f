import { beforeAll, expect, it, vi } from 'vitest';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { PATIENCE } from '#testing/patience';
import { buoyCrd, CRD } from './contract-objects.js';
import type { ContractSubject } from './kube-client.contract.js';

export function customResourceContract(subject: ContractSubject): void {
  let group = '';
  const kind = () => ({ apiVersion: `${group}/v1`, kind: 'Buoy' });
  const buoy = (name: string, more: Record<string, unknown>): KubernetesObject => ({
    ...kind(),
    metadata: { name, namespace: subject().namespace },
    ...more,
  });
  const refOf = (name: string) => ({ ...kind(), name, namespace: subject().namespace });

  beforeAll(async () => {
    const { client, namespace } = subject();
    group = `${namespace}.example.com`;
    await expect(client.serves(kind()), 'not before its definition').resolves.toBe(false);
    await client.create(buoyCrd(group));
    await vi.waitUntil(() => client.serves(kind()), PATIENCE);
  });

  it('a new kind can be created, read and listed', async () => {
    const { client, namespace } = subject();
    await client.create(buoy('first', { spec: { depth: 3 } }));
    await expect(client.get(refOf('first'))).resolves.toMatchObject({ spec: { depth: 3 } });
    const list = await client.list(kind(), { namespace });
    expect(list?.items.map(({ metadata }) => metadata.name)).toContain('first');
  });

  it('refuses what the schema forbids, and says where', async () => {
    const { client } = subject();
    await expect(client.create(buoy('shallow', { spec: { depth: 0 } }))).rejects.toMatchObject({
      reason: 'Invalid',
      causes: [expect.stringContaining('spec.depth')],
    });
  });

  it.each([
    {
      because: 'a rule at a field',
      spec: { light: 'Red!', lamps: 1 },
      causes: ['spec.light: Invalid value: "string": light must be a word'],
    },
    {
      because: 'a rule at an object, with a reason of its own',
      spec: { light: 'red' },
      causes: ['spec: Forbidden: a light needs lamps'],
    },
    {
      because: 'no rule is evaluated where the schema is broken',
      spec: { light: 7 },
      causes: [
        expect.stringContaining('spec.light in body must be of type string'),
        '<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; ' +
          'correct the existing errors to complete validation',
      ],
    },
  ])('refuses what a rule of the schema forbids: $because', async ({ spec, causes }) => {
    const { client } = subject();
    const refused = await client.create(buoy('ruled', { spec })).catch((error: unknown) => error);
    expect(refused).toMatchObject({ reason: 'Invalid', causes });
  });

  it('refuses a change that a rule forbids, and leaves what was there before the rule', async () => {
    const { client } = subject();
    await client.create(buoy('moored', { spec: { harbour: 'north', light: 'red', lamps: 1 } }));
    const move = client.patch(refOf('moored'), { spec: { harbour: 'south' } });
    await expect(move).rejects.toMatchObject({
      reason: 'Invalid',
      causes: ['spec.harbour: Invalid value: "string": harbour is immutable'],
    });
    await client.patch(refOf('moored'), { spec: { harbour: null } });
    await client.patch(refOf('moored'), { spec: { harbour: 'south' } });
    await expect(client.get(refOf('moored'))).resolves.toMatchObject({ spec: { harbour: 'south' } });
  });

  it('drops an unknown field and warns of it', async () => {
    const { client } = subject();
    const { object, warnings } = await client.create(buoy('strange', { spec: { depth: 1, sails: 2 } }));
    expect(object['spec']).toEqual({ depth: 1 });
    expect(warnings).toEqual([expect.stringContaining('unknown field "spec.sails"')]);
  });

  it('spec and status are written apart', async () => {
    const { client } = subject();
    const both = buoy('parted', { spec: { depth: 1 }, status: { phase: 'Ignored' } });
    const { object: made } = await client.create(both);
    expect(made['status']).toBeUndefined();
    const { object } = await client.updateStatus({ ...made, spec: { depth: 9 }, status: { phase: 'Ready' } });
    expect(object).toMatchObject({ spec: { depth: 1 }, status: { phase: 'Ready' }, metadata: { generation: 1 } });
    const { object: updated } = await client.update({ ...object, spec: { depth: 2 }, status: { phase: 'Ignored' } });
    expect(updated).toMatchObject({ spec: { depth: 2 }, status: { phase: 'Ready' }, metadata: { generation: 2 } });
    await expect(client.updateStatus(made)).rejects.toMatchObject({ reason: 'Conflict' });
    await client.patch(refOf('parted'), { status: { phase: 'Patched' } }, { subresource: 'status' });
    await expect(client.get(refOf('parted'))).resolves.toMatchObject({ status: { phase: 'Patched' } });
  });

  it('a kind whose definition is deleted is gone with its objects', async () => {
    const { client, namespace } = subject();
    const passing = `passing.${namespace}.example.com`;
    const there = { apiVersion: `${passing}/v1`, kind: 'Buoy' };
    await client.create(buoyCrd(passing));
    await expect.poll(() => client.serves(there), PATIENCE).toBe(true);
    await client.create({ ...there, metadata: { name: 'x', namespace } });
    await client.delete({ ...CRD, name: `buoys.${passing}` });
    await expect.poll(() => client.list(there), PATIENCE).toBeUndefined();
    await expect(client.create({ ...there, metadata: { name: 'y', namespace } })).rejects.toMatchObject({
      status: 404,
      message: expect.stringContaining('CustomResourceDefinition'),
    });
  });
}
