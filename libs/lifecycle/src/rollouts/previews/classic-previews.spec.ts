import { expect, it } from 'vitest';
import { resolveAsked } from '#core/classic/upgrade-path/asked-path';
import { CATALOG_SOURCE_API } from '#core/kernel/api/catalog-source';
import { FleetOperator } from '#core/kernel/api/fleet/fleet-operator';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { desiredClassic, previewPlace } from '#core/rollout/desired/desired-classic';
import { MemoryContentStore } from '#platform/content/memory-content-store';
import { MemoryJobQueue } from '#platform/queue/memory-job-queue';
import { applyContract, memoryQueues, resolveContract } from '#platform/queue/queues';
import { BundlePulls } from '#platform/registry/bundle-pulls';
import { MemoryProblemStore } from '#platform/store/memory-problem-store';
import { silentLog } from '#platform/telemetry/log.port';
import { directCluster } from '#testing/cluster/direct-client';
import { serveKnownCrds } from '#testing/cluster/served-crds';
import { BundleRegistry } from '../../classic/install-plans/install-plans.fixture.js';
import { NAMESPACE_RULES } from '../../engine/publishing/problem-families.js';
import { ClassicPreviews } from './classic-previews.js';
import { publishPreviews } from './publish-previews.js';

function previewsWith(problems: MemoryProblemStore) {
  const queues = memoryQueues();
  const previews = new ClassicPreviews({
    ...{ problems, queues, content: new MemoryContentStore(), log: silentLog },
    bundlePulls: BundlePulls.withoutTurns(new BundleRegistry()),
    settings: { bundleUnpackTimeout: 0 },
    refused: { note: () => undefined } as never,
  });
  return { previews, queues };
}

it('waits while the poller has not seen the catalog that an operator is to come from', async () => {
  const problems = new MemoryProblemStore();
  const operator = FleetOperator.parse({
    ...{ apiVersion: 'fleet.flotilla.dev/v1alpha1', kind: 'FleetOperator' },
    metadata: { name: 'kafka', namespace: 'platform' },
    spec: { package: 'kafka', namespace: 'apps', catalog: { name: 'curated' } },
  });
  const desired = desiredClassic(operator, { globalCatalogNamespace: 'olm' });
  if (typeof desired === 'string') throw new Error(desired);
  const [resolve, apply] = [new MemoryJobQueue(resolveContract), new MemoryJobQueue(applyContract)];
  const deps = {
    ...{ rules: NAMESPACE_RULES, store: problems, seen: problems, resolve, apply, solveDeadlineMs: 1_000 },
  };
  const nothing = { subscriptions: [], operatorGroups: [], csvs: [], catalogs: [] };
  const snapshot = { namespace: 'apps', globalCatalogNamespace: 'olm', ...nothing };
  await publishPreviews(deps, 'east', snapshot, [{ desired, content: undefined }]);
  const { problem: hash = '' } = (await problems.getObservation('east', previewPlace('apps', 'kafka'))) ?? {};
  const problem = await problems.getProblem(hash);
  if (problem === undefined) throw new Error('no problem');
  const answer = resolveAsked(problem, () => {
    throw new Error('no record');
  });
  await problems.putSolution(hash, answer);

  const { previews } = previewsWith(problems);
  const { client, cluster, stop } = directCluster('east');
  try {
    await serveKnownCrds(client, cluster);
    await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'olm' } });
    expect(await previews.of(client, desired, 'olm')).toHaveProperty('fails');
    // It was made a moment ago.
    const metadata = { name: 'curated', namespace: 'olm' };
    await client.create({ ...CATALOG_SOURCE_API, metadata, spec: { sourceType: 'grpc' } } as KubernetesObject);
    expect(await previews.of(client, desired, 'olm')).toEqual({ waits: 'its catalogs were not read yet' });
  } finally {
    await stop();
  }
});

it('has a namespace observed of which nothing is known any more, as after Redis was emptied', async () => {
  const { previews, queues } = previewsWith(new MemoryProblemStore());
  const asked = { name: 'lamp', source: 'shelf', sourceNamespace: 'olm' };
  const found = await previews.askDeprecations({ cluster: 'east', namespace: 'shop' }, asked, 'lamp.v1');
  expect(found).toEqual({ waits: 'CatalogSource olm/shelf was not read yet' });
  expect(await queues.observe.counts()).toMatchObject({ delayed: 1 });
});
