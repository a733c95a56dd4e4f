import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { KubeClient } from '#platform/kube/kube-client.port';
import { type InMemoryRegistry, startRegistry } from '#testing/registry/in-memory-registry';
import { installMissingCrds } from '../../apps/cli/src/clusters/install-crds.js';
import type { Stage } from '../../apps/cli/src/demo/demo-stage.js';
import { catalogImage, PATIENCE } from '../story/bad-input-scene.js';
import { type BundleTale, bundleImage, ExtensionScene, packageBlobs } from '../story/extension-scene.js';
import { setQuickStage } from '../story/quick-stage.js';

describe('ClusterExtensions', () => {
  let registry: InMemoryRegistry;
  let stage: Stage;
  let east: ExtensionScene;

  beforeAll(async () => {
    registry = await startRegistry();
    stage = await setQuickStage({ registry });
    const [first] = stage.clients;
    if (first === undefined) throw new Error('a stage without clusters');
    await Promise.all(stage.clients.map((client: KubeClient) => installMissingCrds(client)));
    east = new ExtensionScene(first);
  });
  afterAll(async () => {
    await stage?.strike();
    await registry?.stop();
  });

  /** Puts a bundle into the registry and answers its image by digest. */
  async function bundle(tale: BundleTale): Promise<string> {
    const digest = registry.put(`bundles/${tale.name}:v${tale.version}`, await bundleImage(tale));
    return `${registry.host}/bundles/${tale.name}@${digest}`;
  }
  async function putCatalog(tag: string, blobs: readonly unknown[]): Promise<string> {
    const text = blobs.map((blob) => JSON.stringify(blob)).join('\n');
    registry.put(`shelf/${tag}:latest`, await catalogImage({ 'catalog.json': text }));
    return `${registry.host}/shelf/${tag}:latest`;
  }

  it('installs the newest version and says so', async () => {
    const images = [
      { version: '1.0.0', image: await bundle({ name: 'lamp', version: '1.0.0' }) },
      { version: '1.2.0', image: await bundle({ name: 'lamp', version: '1.2.0' }) },
    ];
    await east.catalog('lamps', await putCatalog('lamps', packageBlobs('lamp', images)));
    await east.namespace('lights');
    await east.extension('lamp', 'lights', { packageName: 'lamp' });
    await expect.poll(() => east.standing('lamp'), PATIENCE).toBe('1.2.0 True Succeeded');
    expect(await east.get('v1', 'ConfigMap', 'lamp-settings', 'lights')).toMatchObject({ data: { text: 'steady' } });
    expect(await east.get('apps/v1', 'Deployment', 'lamp-operator', 'lights')).toBeDefined();
    expect(await east.condition('lamp', 'Installed')).toBe(
      `True Succeeded: Installed bundle ${images[1]?.image} successfully`,
    );
    expect(await east.condition('lamp', 'Available')).toBe(
      'True ProbesSucceeded: Objects are available and pass all probes.',
    );
  });
});
