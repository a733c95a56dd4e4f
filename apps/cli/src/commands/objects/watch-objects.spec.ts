import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { SUBSCRIPTION_API } from '#core/kernel/api/subscription';
import { loadClusters } from '#platform/kube/access/load-clusters';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { serveKnownCrds } from '#testing/cluster/served-crds';
import { type SimulatedFleet, startSimulatedFleet } from '#testing/cluster/simulated-fleet';
import { PATIENCE } from '#testing/patience';
import { installPlan, put, subscription } from '../../clusters/live-objects.fixture.js';
import { recorder } from '../../run-flotilla.fixture.js';
import { fieldSelector } from './field-selector.js';
import { kindsOf } from './live-kinds.js';
import { watchObjects } from './watch-objects.js';

let folder = '';
let fleet: SimulatedFleet;
let clients: KubeClient[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flotilla-live-'));
  fleet = await startSimulatedFleet({ clusters: ['east', 'west'] });
  await writeFile(join(folder, 'kubeconfig'), fleet.kubeconfig(), { mode: 0o600 });
  clients = await loadClusters({ kubeconfigs: [join(folder, 'kubeconfig')], fieldManager: 'test' });
  await Promise.all(clients.map((client) => serveKnownCrds(client, fleet.cluster(client.cluster))));
  for (const name of ['east', 'west']) {
    fleet.cluster(name).create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } });
  }
});
afterAll(async () => {
  await Promise.all(clients.map((client) => client.close()));
  await fleet.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

const watchOptions = (output: 'table' | 'json', ...words: readonly string[]) => ({
  asked: (words.length === 0 ? ['sub'] : words).map((word) => ({ kinds: kindsOf(word), names: [] })),
  form: { output, headers: true },
  allowMissing: false,
});

it('flotilla get --watch prints what is there, then what is added and what is deleted', async () => {
  put(fleet.cluster('east'), subscription());
  const { io, result } = recorder();
  const { promise: stop, resolve: end } = Promise.withResolvers<void>();
  const options = watchOptions('table');
  const watching = watchObjects(clients, io, options, stop);
  const printed = (text: RegExp) => vi.waitFor(() => expect(result.out).toMatch(text), PATIENCE);
  await printed(/^CLUSTER .*CHANNEL +INSTALLED +STATE\neast +team +mill +mill +samples +stable\n$/);
  put(fleet.cluster('west'), subscription());
  await printed(/west +team +mill/);
  fleet.cluster('east').delete({ ...SUBSCRIPTION_API, name: 'mill', namespace: 'team' });
  await printed(/east +team +mill +mill +samples +stable +\(deleted\)\n$/);
  end();
  await watching;
  expect(result).toMatchObject({ err: '', exit: 0 });
  expect(result.out.match(/CLUSTER/g)).toHaveLength(1);
});

it('watches two kinds as JSON, one change a line', async () => {
  put(fleet.cluster('east'), subscription());
  put(fleet.cluster('east'), installPlan('install-1', false, 'RequiresApproval'));
  const { io, result } = recorder();
  const { promise: stop, resolve: end } = Promise.withResolvers<void>();
  const watching = watchObjects(clients.slice(0, 1), io, watchOptions('json', 'sub', 'ip'), stop);
  await vi.waitFor(() => expect(result.out.split('\n')).toHaveLength(3), PATIENCE);
  end();
  await watching;
  const seen = result.out.trim().split('\n');
  expect(seen.map((line) => JSON.parse(line) as unknown)).toMatchObject([
    { type: 'SEEN', object: { kind: 'Subscription', metadata: { annotations: { 'flotilla.dev/cluster': 'east' } } } },
    { type: 'SEEN', object: { kind: 'InstallPlan', metadata: { name: 'install-1' } } },
  ]);
});

it('watches what fields select, with columns of labels', async () => {
  const labelled = subscription();
  put(fleet.cluster('west'), {
    ...labelled,
    metadata: { ...labelled.metadata, name: 'lamp', labels: { tier: 'gold' } },
  });
  const { io, result } = recorder();
  const { promise: stop, resolve: end } = Promise.withResolvers<void>();
  const kinds = [...kindsOf('sub'), ...kindsOf('clustercatalog')];
  const watching = watchObjects(
    clients.slice(1),
    io,
    {
      asked: [{ kinds, names: [] }],
      fields: fieldSelector('metadata.name=lamp,metadata.namespace=team', kinds),
      form: { output: 'table', headers: true, labels: { named: ['tier'], all: true } },
      allowMissing: false,
    },
    stop,
  );
  await vi.waitFor(
    () => expect(result.out).toMatch(/STATE +TIER +LABELS\nwest +team +lamp .* gold +tier=gold\n$/),
    PATIENCE,
  );
  end();
  await watching;
  expect(result.out).not.toContain('mill  mill');
});

it('refuses to sort what comes as it comes', async () => {
  const { io } = recorder();
  const { form, ...options } = watchOptions('table');
  const sorted = { ...options, form: { ...form, sortBy: '.metadata.name' } };
  await expect(watchObjects(clients, io, sorted, Promise.resolve())).rejects.toThrow(/remove --sort-by/);
});
