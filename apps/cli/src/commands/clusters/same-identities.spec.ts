import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { type SimulatedFleet, startSimulatedFleet } from '#testing/cluster/simulated-fleet';
import { runFlotilla } from '../../run-flotilla.fixture.js';

let folder = '';
let fleet: SimulatedFleet;

/** The API server of `aaa` gives the UID of `east`. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flotilla-identities-'));
  fleet = await startSimulatedFleet({ clusters: ['aaa', 'east', 'west'] });
  const system = { apiVersion: 'v1', kind: 'Namespace', name: 'kube-system' };
  const uid = fleet.cluster('east').get(system)?.metadata.uid;
  const own = fleet.cluster('aaa').get(system);
  Object.assign(own?.metadata ?? {}, { uid });
  await writeFile(join(folder, 'kubeconfig'), fleet.kubeconfig(), { mode: 0o600 });
});
afterAll(async () => {
  await fleet.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});
beforeEach(() => {
  vi.stubEnv('FLOTILLA_KUBECONFIG', join(folder, 'kubeconfig'));
  return () => vi.unstubAllEnvs();
});

const conflict = (name: string) => expect.stringContaining(`has the same UID of namespace kube-system as ${name} (`);

it('clusters list and check name both clusters that give one identity, and no other', async () => {
  const list = await runFlotilla(['clusters', 'list', '-o', 'json']);
  const { items } = JSON.parse(list.out) as { items: readonly { name: string; because?: string }[] };
  expect(items.map(({ name, because }) => [name, because])).toEqual([
    ['aaa', conflict('east')],
    ['east', conflict('aaa')],
    ['west', undefined],
  ]);
  const check = await runFlotilla(['clusters', 'check']);
  expect(check.err).toMatch(/^aaa: has the same UID .* as east .*\neast: has the same UID .* as aaa /m);
  expect([check.err.includes('west'), check.exit]).toEqual([false, 1]);
});
