import { expect, it } from 'vitest';
import { PATIENCE } from '#testing/patience';
import { type ExtensionScene, type Puts, packageBlobs } from './extension-scene.js';

/** What becomes of ClusterExtensions beyond what OLM v1 does for them (docs/differences-from-olm.md). */
export function describeDepartures(scene: () => ExtensionScene, { bundle, putCatalog }: Puts): void {
  it('does not go to another major version by itself, and says how to', async () => {
    const images = [
      { version: '1.0.0', image: await bundle({ name: 'candle', version: '1.0.0' }), deprecated: 'use 2.0.0' },
      { version: '2.0.0', image: await bundle({ name: 'candle', version: '2.0.0' }) },
    ];
    const old = packageBlobs('candle', images.slice(0, 1));
    await scene().catalog('candles', await putCatalog('candles-1', old));
    await scene().namespace('candles');
    await scene().extension('candle', 'candles', { packageName: 'candle' });
    await expect.poll(() => scene().standing('candle'), PATIENCE).toBe('1.0.0 True Succeeded');
    await expect
      .poll(() => scene().condition('candle', 'BundleDeprecated'), PATIENCE)
      .toBe('True Deprecated: use 2.0.0');
    const ref = await putCatalog('candles-2', packageBlobs('candle', images));
    const catalog = { apiVersion: 'olm.operatorframework.io/v1', kind: 'ClusterCatalog', name: 'candles' };
    await scene().client.patch(catalog, { spec: { source: { image: { ref } } } });
    await expect
      .poll(() => scene().condition('candle', 'Progressing'), PATIENCE)
      .toMatch(
        /^True Succeeded: Revision 1.0.0 has rolled out. Version "2.0.0" is held back: .*set spec.source.catalog.version to "2.0.0"/,
      );
    await scene().change('candle', { source: { catalog: { packageName: 'candle', version: '2.0.0' } } });
    await expect.poll(() => scene().standing('candle'), PATIENCE).toBe('2.0.0 True Succeeded');
  });

  it('stays on its major version when the catalog that has it is set Unavailable or deleted, and when it is pruned', async () => {
    const pier = async (version: string, text: string) => ({
      version,
      image: await bundle({ name: 'pier', version, text }),
    });
    const one = [await pier('1.0.0', 'first'), await pier('1.1.0', 'second')];
    const two = await pier('2.0.0', 'third');
    const entries = [{ name: 'pier.v2.0.0', skipRange: '>=1.0.0 <2.0.0' }];
    const onlyTwo = packageBlobs('pier', [two]).map((blob) =>
      Object(blob).schema === 'olm.channel' ? { ...Object(blob), entries } : blob,
    );
    await scene().catalog('piers-old', await putCatalog('piers-old', packageBlobs('pier', one)));
    await scene().catalog('piers-new', await putCatalog('piers-new', onlyTwo));
    const old = { apiVersion: 'olm.operatorframework.io/v1', kind: 'ClusterCatalog', name: 'piers-old' };
    await scene().client.patch(old, { spec: { priority: 10 } });
    await scene().namespace('piers');
    await scene().extension('pier', 'piers', { packageName: 'pier', version: '>=1.0', channels: ['stable'] });
    await expect.poll(() => scene().standing('pier'), PATIENCE).toBe('1.1.0 True Succeeded');
    const isHeld = (because: string) =>
      expect
        .poll(() => scene().condition('pier', 'Progressing'), { ...PATIENCE, message: because })
        .toMatch(/no bundles found for package "pier" .*Version "2.0.0" is held back: /);
    await scene().client.patch(old, { spec: { availabilityMode: 'Unavailable' } });
    await isHeld('the catalog is Unavailable');
    await scene().client.patch(old, { spec: { availabilityMode: 'Available' } });
    await expect.poll(() => scene().standing('pier'), PATIENCE).toBe('1.1.0 True Succeeded');
    await scene().client.patch(old, { spec: { source: { image: { ref: await putCatalog('piers-2', onlyTwo) } } } });
    await isHeld('the catalog is pruned to 2.x');
    await scene().client.delete(old);
    await isHeld('the catalog is deleted');
    expect(await scene().revisions('pier')).toHaveLength(1);
    await scene().change('pier', { source: { catalog: { packageName: 'pier', version: '2.x' } } });
    await expect.poll(() => scene().standing('pier'), PATIENCE).toBe('2.0.0 True Succeeded');
  });

  it('issues certificates for webhooks where nobody else does, and keeps them', async () => {
    const images = [
      { version: '1.0.0', image: await bundle({ name: 'gate', version: '1.0.0', webhook: true }) },
      { version: '1.1.0', image: await bundle({ name: 'gate', version: '1.1.0', webhook: true }) },
    ];
    await scene().catalog('gates', await putCatalog('gates', packageBlobs('gate', images)));
    await scene().namespace('gates');
    const source = (version: string) => ({ sourceType: 'Catalog', catalog: { packageName: 'gate', version } });
    await scene().extension('gate', 'gates', { packageName: 'gate', version: '1.0.0' });
    await expect.poll(() => scene().standing('gate'), PATIENCE).toBe('1.0.0 True Succeeded');
    const trusted = async () => {
      const kind = 'ValidatingWebhookConfiguration';
      const found = await scene().get('admissionregistration.k8s.io/v1', kind, 'vgate.lamps.example.com');
      const [webhook] = Object(found?.['webhooks']);
      return String(webhook?.clientConfig.caBundle);
    };
    const served = async () => {
      const secret = await scene().get('v1', 'Secret', 'gate-operator-service-cert', 'gates');
      return String(Object(secret?.['data']).olmCAKey);
    };
    const first = await trusted();
    expect(Buffer.from(first, 'base64').toString()).toMatch(/^-----BEGIN CERTIFICATE-----/);
    expect(await served()).toBe(first);
    await scene().change('gate', { source: source('1.1.0') });
    await expect.poll(() => scene().standing('gate'), PATIENCE).toBe('1.1.0 True Succeeded');
    expect([await trusted(), await served()]).toEqual([first, first]);
  });

  it('goes back to the content of an earlier revision, without catalog or registry, and stays there as long as told', async () => {
    const versions = ['1.0.0', '1.1.0'];
    const images = await Promise.all(
      versions.map(async (version) => ({ version, image: await bundle({ name: 'gleam', version, text: version }) })),
    );
    await scene().catalog('gleams', await putCatalog('gleams', packageBlobs('gleam', images)));
    await scene().namespace('gleams');
    const source = (version: string) => ({ sourceType: 'Catalog', catalog: { packageName: 'gleam', version } });
    await scene().extension('gleam', 'gleams', { packageName: 'gleam', version: '1.0.0' });
    await expect.poll(() => scene().standing('gleam'), PATIENCE).toBe('1.0.0 True Succeeded');
    await scene().change('gleam', { source: source('1.1.0') });
    await expect.poll(() => scene().standing('gleam'), PATIENCE).toBe('1.1.0 True Succeeded');
    await scene().client.delete({ apiVersion: 'olm.operatorframework.io/v1', kind: 'ClusterCatalog', name: 'gleams' });
    await scene().annotate('gleam', { 'flotilla.dev/rollback-to-revision': '1' });
    await expect.poll(() => scene().standing('gleam'), PATIENCE).toBe('1.0.0 True Succeeded');
    expect(await scene().get('v1', 'ConfigMap', 'gleam-settings', 'gleams')).toMatchObject({ data: { text: '1.0.0' } });
    await expect
      .poll(() => scene().condition('gleam', 'Progressing'), PATIENCE)
      .toMatch(/Held at the content of revision 1 by annotation/);
    await scene().annotate('gleam', { 'flotilla.dev/rollback-to-revision': '7' });
    await expect
      .poll(() => scene().condition('gleam', 'Progressing'), PATIENCE)
      .toMatch(/^False Blocked: annotation .* names revision "7", which is not among those that are kept: 1, 2, 3$/);
    expect(await scene().condition('gleam', 'Installed')).toMatch(/^True Succeeded/);
  });
}
