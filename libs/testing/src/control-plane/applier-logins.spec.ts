import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadClusters } from '#platform/kube/access/load-clusters';
import { type SimulatedFleet, startSimulatedFleet } from '../cluster/simulated-fleet.js';
import { applierLogins, roleOfAppliers } from './applier-logins.js';

let folder = '';
let file = '';
let fleet: SimulatedFleet;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flotilla-applier-logins-'));
  fleet = await startSimulatedFleet({ clusters: ['east', 'west'] });
  file = join(folder, 'kubeconfig');
  await writeFile(file, fleet.kubeconfig(), { mode: 0o600 });
});
afterAll(async () => {
  await fleet?.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

/** Creates an object of a kind that the listed role has, and one of another kind. The answers by context. */
async function answers(
  role: string | undefined,
  alsoWrites: readonly string[] = [],
): Promise<Readonly<Record<string, readonly string[]>>> {
  const kubeconfigs = await applierLogins([file], folder, { environment: { FLOTILLA_TEST_ROLE: role }, alsoWrites });
  const clients = await loadClusters({ kubeconfigs, fieldManager: 'test' });
  const metadata = { generateName: 'some-', namespace: 'default' };
  const asked = clients.map(async (client) => {
    const created = ['v1 ConfigMap', 'batch/v1 Job'].map((text) => {
      const [apiVersion = '', kind = ''] = text.split(' ');
      return client.create({ apiVersion, kind, metadata }).then(
        () => 'created',
        (error: Error) => (/forbidden/.test(error.message) ? 'forbidden' : error.message),
      );
    });
    return [client.cluster, await Promise.all(created)] as const;
  });
  const found = Object.fromEntries(await Promise.all(asked));
  await Promise.all(clients.map((client) => client.close()));
  return found;
}

describe('logins of appliers in a run of tests', () => {
  it.each([
    { role: undefined, job: 'created', name: 'cluster-admin' },
    { role: 'apply', job: 'created', name: 'flotilla:apply' },
    { role: 'apply-listed', job: 'forbidden', name: 'flotilla:apply-listed' },
  ])('have the role of the run: $name', async ({ role, job, name }) => {
    expect(roleOfAppliers({ FLOTILLA_TEST_ROLE: role })).toBe(name);
    expect(await answers(role)).toEqual({ east: ['created', job], west: ['created', job] });
  });

  it('have further kinds where a test lists them', async () => {
    const wanted = ['created', 'created'];
    expect(await answers('apply-listed', ['jobs.batch'])).toEqual({ east: wanted, west: wanted });
  });

  it('are those of the clusters, unchanged, in a run without a role', async () => {
    expect(await applierLogins([file], folder, { environment: {} })).toEqual([file]);
  });

  it('an unknown role ends the run with the roles that there are', () => {
    expect(() => roleOfAppliers({ FLOTILLA_TEST_ROLE: 'listed' })).toThrow(
      'FLOTILLA_TEST_ROLE=listed: no role; use apply or apply-listed',
    );
  });
});
