import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { CLUSTER_CATALOG_API, ClusterCatalog } from '#core/kernel/api/cluster-catalog';
import { loadClusters } from '#platform/kube/access/load-clusters';
import { serveCrds } from '#testing/cluster/served-crds';
import { startControlPlane } from '#testing/control-plane/find-control-plane';
import { LONG_PATIENCE, PATIENCE } from '#testing/patience';
import { type InMemoryRegistry, startRegistry } from '#testing/registry/in-memory-registry';
import type { ServicesEnvironment } from '../../apps/cli/src/commands/demo/environment/demo-environment.js';
import type { ServiceProcess } from '../../apps/cli/src/commands/demo/environment/service-process.js';
import { catalogImage } from '../story/bad-input-fixture.js';
import { bundleImage, ExtensionFixture, packageBlobs } from '../story/extension-fixture.js';
import { allRunning, startQuickEnvironment } from '../story/quick-environment.js';
import { secondProcessOf } from '../story/second-process.js';

type Pair = readonly [poller: ServiceProcess, applier: ServiceProcess];

describe('two pollers and two appliers for ClusterExtensions (spec: v1-scenarios.md, "metrics.feature", "ha.feature")', () => {
  const endings: (() => Promise<unknown>)[] = [];
  let registry: InMemoryRegistry;
  let environment: ServicesEnvironment;
  let east: ExtensionFixture;
  let first: Pair;
  let second: Pair;

  beforeAll(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'flotilla-hubs-'));
    endings.push(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
    registry = await startRegistry();
    endings.push(() => registry.stop());
    const plane = await startControlPlane({ clusters: 1 });
    endings.push(() => plane.stop());
    const kubeconfigs = plane.clusters.map(({ kubeconfigPath }) => kubeconfigPath);
    const [client] = await loadClusters({ kubeconfigs, fieldManager: 'e2e' });
    if (client === undefined) throw new Error('a control plane without clusters');
    endings.push(() => client.close());
    await serveCrds(client);
    environment = await startQuickEnvironment({ registry, kubeconfigs });
    endings.push(() => environment.stop());
    const poller = environment.services.at(0);
    const applier = environment.services.at(-1);
    if (poller === undefined || applier === undefined) throw new Error('an environment without services');
    first = [poller, applier];
    second = [secondProcessOf(environment, 'catalog-poller', folder), secondProcessOf(environment, 'applier', folder)];
    endings.push(() => Promise.all(second.map((one) => one.stop())));
    for (const one of second) one.start();
    await allRunning([...environment.services, ...second]);
    east = new ExtensionFixture(client);
    await east.namespace('lights');
    await east.catalog('lamps', await offer('1.0.0'));
    await east.extension('lamp', 'lights', { packageName: 'lamp' });
    await vi.waitFor(async () => expect(await east.installState('lamp')).toBe('1.0.0 True Succeeded'), PATIENCE);
  });
  afterAll(async () => {
    for (const end of endings.toReversed()) await end();
  });

  const offered: { version: string; image: string }[] = [];
  /** A catalog with this version after all that were offered before. */
  async function offer(version: string): Promise<string> {
    const digest = registry.put(
      `bundles/lamp:v${version}`,
      await bundleImage({ name: 'lamp', version, text: version }),
    );
    offered.push({ version, image: `${registry.host}/bundles/lamp@${digest}` });
    const text = packageBlobs('lamp', offered).map((blob) => JSON.stringify(blob));
    registry.put(`shelf/lamps:${version}`, await catalogImage({ 'catalog.json': text.join('\n') }));
    return `${registry.host}/shelf/lamps:${version}`;
  }

  const metrics = async (service: ServiceProcess) => {
    const answer = await fetch(`${await service.url()}/metrics`);
    return { status: answer.status, text: await answer.text() };
  };

  it.each([
    { scenario: 52, service: 'applier', at: 1, says: /^flotilla_extension_rollout_duration_seconds_bucket/m },
    {
      scenario: 53,
      service: 'catalog-poller',
      at: 0,
      says: /^flotilla_extension_installed\{cluster="[^"]+",name="lamp",package="lamp",version="1.0.0"\} 1$/m,
    },
  ] as const)('scenario $scenario: $service serves its metrics', async ({ at, says }) => {
    const asked = () => Promise.all([first[at], second[at]].map(metrics));
    const answers = await asked();
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    for (const { text } of answers) expect(text).toMatch(/^process_cpu_seconds_total \d/m);
    // Either of the two may have done the work; some of it is counted every few seconds.
    await expect.poll(async () => (await asked()).map(({ text }) => text).join('\n'), PATIENCE).toMatch(says);
  });

  it.each([
    { because: 'the first poller and applier are killed', version: '1.1.0', gone: () => first, left: () => second },
    {
      because: 'these are back, and the second ones are killed',
      version: '1.2.0',
      gone: () => second,
      left: () => first,
    },
  ])('high availability: catalogs are served, updates come and drift is put right though $because', async (row) => {
    for (const one of row.left()) if (!one.running) one.start();
    for (const one of row.gone()) await one.stop('SIGKILL');
    const lamps = { ...CLUSTER_CATALOG_API, name: 'lamps' };
    await east.client.patch(lamps, { spec: { source: { image: { ref: await offer(row.version) } } } });
    await expect.poll(() => east.installState('lamp'), LONG_PATIENCE).toBe(`${row.version} True Succeeded`);
    const serving = async () => {
      const catalog = ClusterCatalog.parse({ ...(await east.client.get(lamps)), ...CLUSTER_CATALOG_API });
      return catalog.status?.conditions?.find(({ type }) => type === 'Serving');
    };
    await expect.poll(serving, LONG_PATIENCE).toMatchObject({ status: 'True', reason: 'Available' });
    const settings = { apiVersion: 'v1', kind: 'ConfigMap', name: 'lamp-settings', namespace: 'lights' };
    await east.client.patch(settings, { data: { text: 'somebody else' } });
    const data = async () => (await east.client.get(settings))?.['data'];
    await expect.poll(data, LONG_PATIENCE).toEqual({ text: row.version });
  });
});
