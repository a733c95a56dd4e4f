import { beforeEach, describe, expect, it } from 'vitest';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { BareCluster } from '#testing/cluster/bare-cluster';
import { directClient } from '#testing/cluster/direct-client';
import { PassClient } from './pass-client.js';

const KIND = { apiVersion: 'v1', kind: 'ConfigMap' } as const;
const REF = { ...KIND, name: 'chart', namespace: 'default' };
type Chart = KubernetesObject & Readonly<{ data?: Readonly<Record<string, string>> }>;

/** The cache of the cluster has what was there at the beginning, and nothing that came after it. */
describe('the client of a pass', () => {
  let client: KubeClient;
  let pass: PassClient;
  let epoch: number;
  beforeEach(async () => {
    client = directClient(new BareCluster().cluster, 'test').client;
    const metadata = { name: 'chart', namespace: 'default' };
    const { object: cached } = await client.create<Chart>({ ...KIND, metadata, data: { depth: 'cached' } });
    await client.patch(REF, { data: { depth: 'by another' } });
    epoch = 0;
    pass = new PassClient(client, {
      epoch: () => epoch,
      get: (ref) => client.get(ref),
      list: (kind, options) => client.list(kind, options),
      serverVersion: () => client.serverVersion(),
      cache: {
        get: () => ({ found: cached }),
        list: () => [cached],
        noteWritten: () => undefined,
        noteDeleted: () => undefined,
      },
    });
  });

  const read = async () => {
    const listed = (await pass.list<Chart>(KIND, { namespace: 'default' })).items;
    const charts = [await pass.get<Chart>(REF), listed.find(({ metadata }) => metadata.name === 'chart')];
    return charts.map((chart) => chart?.data?.['depth']);
  };

  it('reads from the cache of the cluster', async () => {
    expect(await read()).toEqual(['cached', 'cached']);
  });

  it.each([
    ['patched', () => pass.patch(REF, { data: { depth: 'own' } })],
    [
      'applied',
      () => pass.apply<Chart>({ ...KIND, metadata: { name: 'chart', namespace: 'default' }, data: { depth: 'own' } }),
    ],
  ])('reads what it has %s, in lists, too', async (_how, write) => {
    await read();
    await write();
    expect(await read()).toEqual(['own', 'own']);
  });

  it('asks the cluster after a write that was refused', async () => {
    const before = await pass.get<Chart>(REF);
    if (before === undefined) throw new Error('it was there');
    await expect(pass.update<Chart>({ ...before, data: { depth: 'own' } })).rejects.toThrow(/modified/);
    expect(await read()).toEqual(['by another', 'by another']);
  });

  it('writes nothing by what it has read before the API server went back', async () => {
    expect(await read()).toEqual(['cached', 'cached']);
    epoch += 1;
    await expect(pass.patch(REF, { data: { depth: 'own' } })).rejects.toMatchObject({ reason: 'Conflict' });
    expect(await read()).toEqual(['by another', 'by another']);
    await pass.patch(REF, { data: { depth: 'own' } });
    expect(await read()).toEqual(['own', 'own']);
  });

  it('asks the cluster after a deletion', async () => {
    await pass.delete(REF);
    expect(await read()).toEqual([undefined, undefined]);
  });

  it('keeps what it has read where a write is only tried', async () => {
    await pass.patch(REF, { data: { depth: 'tried' } }, { dryRun: true });
    expect(await read()).toEqual(['cached', 'cached']);
  });
});
