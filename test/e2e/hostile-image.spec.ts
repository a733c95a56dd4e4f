import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CATALOG_SOURCE_API } from '#core/kernel/api/catalog-source';
import { CATALOG_LABEL } from '#platform/registry/catalog-image';
import { assembleImage, buildImage } from '#platform/registry/image-builder';
import { serveCrds } from '#testing/cluster/served-crds';
import { type SimulatedFleet, startSimulatedFleet } from '#testing/cluster/simulated-fleet';
import { layerOfDeepNames } from '#testing/hostile/layer-of-deep-names';
import { LONG_PATIENCE } from '#testing/patience';
import { type InMemoryRegistry, startRegistry } from '#testing/registry/in-memory-registry';
import type { ServicesEnvironment } from '../../apps/cli/src/commands/demo/environment/demo-environment.js';
import { startQuickEnvironment } from '../story/quick-environment.js';

const NAMESPACE = 'olm';
const LABELS = { [CATALOG_LABEL]: '/configs' };

const catalogText = (name: string) =>
  [
    { schema: 'olm.package', name, defaultChannel: 'stable' },
    { schema: 'olm.channel', package: name, name: 'stable', entries: [{ name: `${name}.v1.0.0` }] },
    {
      ...{ schema: 'olm.bundle', package: name, name: `${name}.v1.0.0`, image: `registry.example/${name}:1` },
      properties: [{ type: 'olm.package', value: { packageName: name, version: '1.0.0' } }],
    },
  ]
    .map((one) => JSON.stringify(one))
    .join('\n');

describe('an image that takes all memory of the thread that reads it', () => {
  let folder: string;
  let fleet: SimulatedFleet;
  let registry: InMemoryRegistry;
  let environment: ServicesEnvironment;
  let layer: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'flotilla-hostile-image-'));
    [fleet, registry] = await Promise.all([startSimulatedFleet({ clusters: ['east'] }), startRegistry()]);
    const kubeconfig = join(folder, 'kubeconfig');
    await writeFile(kubeconfig, fleet.kubeconfig(), { mode: 0o600 });
    environment = await startQuickEnvironment({
      kubeconfigs: [kubeconfig],
      settings: { FLOTILLA_IMAGE_MAX_FILES: '100000' },
    });
    await Promise.all(environment.clients.map(serveCrds));
    const hostile = await layerOfDeepNames();
    layer = hostile.layer.digest;
    registry.put('tenant/catalog:v1', assembleImage([hostile], LABELS));
    for (const name of ['first', 'second']) await pushGood(name);
  });
  afterAll(async () => {
    await environment?.stop();
    await Promise.all([fleet?.stop(), registry?.stop()]);
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  async function pushGood(name: string): Promise<void> {
    const files = [{ path: 'configs/catalog.json', bytes: Buffer.from(catalogText(name)) }];
    registry.put(`good/${name}:v1`, await buildImage({ files, labels: LABELS }));
  }
  const refOf = (name: string) => ({ ...CATALOG_SOURCE_API, name, namespace: NAMESPACE });
  const create = (name: string, image: string) =>
    fleet.cluster('east').create({
      ...CATALOG_SOURCE_API,
      metadata: { name, namespace: NAMESPACE },
      spec: { sourceType: 'grpc', image: `${registry.host}/${image}` },
    } as never);
  const statusOf = (name: string) => JSON.stringify(fleet.cluster('east').get(refOf(name))?.['status'] ?? {});
  const poller = () => environment.services.find(({ service }) => service === 'catalog-poller');
  const answer = async (path: string) => (await fetch(`${await poller()?.url()}${path}`)).text();
  const pulls = () => registry.log.filter((line) => line.includes(`/blobs/${layer}`)).length;

  it('costs one pull: status, health and a metric name it, and other catalogs are ready (R6)', async () => {
    fleet.cluster('east').create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } });
    const pid = poller()?.pid;
    create('hostile', 'tenant/catalog:v1');
    create('first', 'good/first:v1');
    await expect.poll(() => statusOf('first'), LONG_PATIENCE).toContain('READY');
    await expect.poll(() => statusOf('hostile'), LONG_PATIENCE).toContain('needs more than 128 MiB of memory');
    expect(statusOf('hostile')).toContain('use \\"flotilla retry\\"');
    expect(poller()?.pid).toBe(pid);
    expect(await answer('/healthz')).toMatch(/"images":\{"detail":"1 image crashed[^"]*tenant\/catalog/);
    expect(await answer('/metrics')).toMatch(/^flotilla_ended_images 1$/m);
    expect(pulls()).toBe(1);
    const peak = /^VmHWM:\s+(\d+) kB$/m.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1];
    expect(Number(peak) / 1024).toBeLessThan(1_024);
  });

  it('is not read again after a restart, and once when a user asks (R7)', async () => {
    await poller()?.stop('SIGKILL');
    poller()?.start();
    create('second', 'good/second:v1');
    await expect.poll(() => statusOf('second'), LONG_PATIENCE).toContain('READY');
    await expect.poll(() => answer('/healthz').catch(String), LONG_PATIENCE).toContain('tenant/catalog');
    expect(statusOf('first')).toContain('READY');
    expect(pulls()).toBe(1);
    const annotations = { 'flotilla.dev/retry': new Date().toISOString() };
    await environment.clients[0]?.patch(refOf('hostile'), { metadata: { annotations } });
    await expect.poll(pulls, LONG_PATIENCE).toBe(2);
    await expect.poll(() => answer('/healthz').catch(String), LONG_PATIENCE).toContain('tenant/catalog');
    expect(pulls()).toBe(2);
  });
});
