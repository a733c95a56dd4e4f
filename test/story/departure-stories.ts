import { expect, it } from 'vitest';
import { PATIENCE } from '#testing/patience';
import { type ExtensionFixture, type Puts, packageBlobs } from './extension-fixture.js';

/** Behaviour of ClusterExtensions beyond OLM v1 (docs/differences-from-olm.md). */
export function describeDepartures(fixture: () => ExtensionFixture, { bundle, putCatalog }: Puts): void {
  it('does not go to another major version by itself, and says how to', async () => {
    const images = [
      { version: '1.0.0', image: await bundle({ name: 'candle', version: '1.0.0' }), deprecated: 'use 2.0.0' },
      { version: '2.0.0', image: await bundle({ name: 'candle', version: '2.0.0' }) },
    ];
    const old = packageBlobs('candle', images.slice(0, 1));
    await fixture().catalog('candles', await putCatalog('candles-1', old));
    await fixture().namespace('candles');
    await fixture().extension('candle', 'candles', { packageName: 'candle' });
    await expect.poll(() => fixture().installState('candle'), PATIENCE).toBe('1.0.0 True Succeeded');
    await expect
      .poll(() => fixture().condition('candle', 'BundleDeprecated'), PATIENCE)
      .toBe('True Deprecated: use 2.0.0');
    const ref = await putCatalog('candles-2', packageBlobs('candle', images));
    const catalog = { apiVersion: 'olm.operatorframework.io/v1', kind: 'ClusterCatalog', name: 'candles' };
    await fixture().client.patch(catalog, { spec: { source: { image: { ref } } } });
    await expect
      .poll(() => fixture().condition('candle', 'Progressing'), PATIENCE)
      .toMatch(
        /^True Succeeded: Revision 1.0.0 has rolled out. Version "2.0.0" is held back: .*set spec.source.catalog.version to "2.0.0"/,
      );
    await fixture().change('candle', { source: { catalog: { packageName: 'candle', version: '2.0.0' } } });
    await expect.poll(() => fixture().installState('candle'), PATIENCE).toBe('2.0.0 True Succeeded');
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
    await fixture().catalog('piers-old', await putCatalog('piers-old', packageBlobs('pier', one)));
    await fixture().catalog('piers-new', await putCatalog('piers-new', onlyTwo));
    const old = { apiVersion: 'olm.operatorframework.io/v1', kind: 'ClusterCatalog', name: 'piers-old' };
    await fixture().client.patch(old, { spec: { priority: 10 } });
    await fixture().namespace('piers');
    await fixture().extension('pier', 'piers', { packageName: 'pier', version: '>=1.0', channels: ['stable'] });
    await expect.poll(() => fixture().installState('pier'), PATIENCE).toBe('1.1.0 True Succeeded');
    const isHeld = (because: string) =>
      expect
        .poll(() => fixture().condition('pier', 'Progressing'), { ...PATIENCE, message: because })
        .toMatch(/no bundles found for package "pier" .*Version "2.0.0" is held back: /);
    await fixture().client.patch(old, { spec: { availabilityMode: 'Unavailable' } });
    await isHeld('the catalog is Unavailable');
    await fixture().client.patch(old, { spec: { availabilityMode: 'Available' } });
    await expect.poll(() => fixture().installState('pier'), PATIENCE).toBe('1.1.0 True Succeeded');
    await fixture().client.patch(old, { spec: { source: { image: { ref: await putCatalog('piers-2', onlyTwo) } } } });
    await isHeld('the catalog is pruned to 2.x');
    await fixture().client.delete(old);
    await isHeld('the catalog is deleted');
    expect(await fixture().revisions('pier')).toHaveLength(1);
    await fixture().change('pier', { source: { catalog: { packageName: 'pier', version: '2.x' } } });
    await expect.poll(() => fixture().installState('pier'), PATIENCE).toBe('2.0.0 True Succeeded');
  });

  it('issues certificates for webhooks where no other controller does, and keeps them', async () => {
    const images = [
      { version: '1.0.0', image: await bundle({ name: 'gate', version: '1.0.0', webhook: true }) },
      { version: '1.1.0', image: await bundle({ name: 'gate', version: '1.1.0', webhook: true }) },
    ];
    await fixture().catalog('gates', await putCatalog('gates', packageBlobs('gate', images)));
    await fixture().namespace('gates');
    const source = (version: string) => ({ sourceType: 'Catalog', catalog: { packageName: 'gate', version } });
    await fixture().extension('gate', 'gates', { packageName: 'gate', version: '1.0.0' });
    await expect.poll(() => fixture().installState('gate'), PATIENCE).toBe('1.0.0 True Succeeded');
    const trusted = async () => {
      const kind = 'ValidatingWebhookConfiguration';
      const found = await fixture().get('admissionregistration.k8s.io/v1', kind, 'vgate.lamps.example.com');
      const [webhook] = Object(found?.['webhooks']);
      return String(webhook?.clientConfig.caBundle);
    };
    const served = async () => {
      const secret = await fixture().get('v1', 'Secret', 'gate-operator-service-cert', 'gates');
      return String(Object(secret?.['data']).olmCAKey);
    };
    const first = await trusted();
    expect(Buffer.from(first, 'base64').toString()).toMatch(/^-----BEGIN CERTIFICATE-----/);
    expect(await served()).toBe(first);
    await fixture().change('gate', { source: source('1.1.0') });
    await expect.poll(() => fixture().installState('gate'), PATIENCE).toBe('1.1.0 True Succeeded');
    expect([await trusted(), await served()]).toEqual([first, first]);
  });

  it('goes back to the content of an earlier revision, without catalog or registry, and stays there as long as it is set', async () => {
    const versions = ['1.0.0', '1.1.0'];
    const images = await Promise.all(
      versions.map(async (version) => ({ version, image: await bundle({ name: 'gleam', version, text: version }) })),
    );
    await fixture().catalog('gleams', await putCatalog('gleams', packageBlobs('gleam', images)));
    await fixture().namespace('gleams');
    const source = (version: string) => ({ sourceType: 'Catalog', catalog: { packageName: 'gleam', version } });
    await fixture().extension('gleam', 'gleams', { packageName: 'gleam', version: '1.0.0' });
    await expect.poll(() => fixture().installState('gleam'), PATIENCE).toBe('1.0.0 True Succeeded');
    await fixture().change('gleam', { source: source('1.1.0') });
    await expect.poll(() => fixture().installState('gleam'), PATIENCE).toBe('1.1.0 True Succeeded');
    await fixture().client.delete({
      apiVersion: 'olm.operatorframework.io/v1',
      kind: 'ClusterCatalog',
      name: 'gleams',
    });
    await fixture().annotate('gleam', { 'flotilla.dev/rollback-to-revision': '1' });
    await expect.poll(() => fixture().installState('gleam'), PATIENCE).toBe('1.0.0 True Succeeded');
    expect(await fixture().get('v1', 'ConfigMap', 'gleam-settings', 'gleams')).toMatchObject({
      data: { text: '1.0.0' },
    });
    await expect
      .poll(() => fixture().condition('gleam', 'Progressing'), PATIENCE)
      .toMatch(/Held at the content of revision 1 by annotation/);
    await fixture().annotate('gleam', { 'flotilla.dev/rollback-to-revision': '7' });
    await expect
      .poll(() => fixture().condition('gleam', 'Progressing'), PATIENCE)
      .toMatch(/^False Blocked: annotation .* names revision "7", which does not exist; existing revisions: 1, 2, 3$/);
    expect(await fixture().condition('gleam', 'Installed')).toMatch(/^True Succeeded/);
  });
}
