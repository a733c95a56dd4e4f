import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LONG_PATIENCE_MS } from '#testing/patience';
import { ApplierBench } from './applier-support/applier-bench.js';
import { offer } from './applier-support/made-operator.js';
import { type StallingRegistry, startStallingRegistry } from './starvation-support/stalling-registry.js';

const LIGHTHOUSE = 'lighthouse-operator.v1.0.0';
const BUNDLES = 50;

describe('a namespace whose fifty bundles come from a registry that sends without end', () => {
  let bench: ApplierBench;
  let hostile: StallingRegistry;
  beforeAll(async () => {
    [bench, hostile] = await Promise.all([
      ApplierBench.start(),
      startStallingRegistry(Buffer.alloc(100_000, 'bundle'), 1_000),
    ]);
    bench.namespace('hostile');
    for (let at = 0; at < BUNDLES; at += 1) {
      await offer(bench, `endless-${at}`, [{ version: '1.0.0', objects: [], image: `${hostile.host}/b/${at}:1` }]);
      bench.subscribe('hostile', `endless-${at}`);
    }
    await bench.observe('hostile');
  });
  afterAll(() => Promise.all([bench.stop(), hostile.stop()]));

  it('has its passes end soon, and its Subscriptions say that the bundles are being fetched', async () => {
    // Without a bound of its own it would wait as long as bundles may take to unpack, ten minutes.
    const since = performance.now();
    const { againAfterMs } = await bench.pass('hostile', 200);
    expect(performance.now() - since).toBeLessThan(LONG_PATIENCE_MS);
    expect(againAfterMs).toBeGreaterThan(10_000);
    expect(bench.subscriptions('hostile')[0]?.status?.conditions).toContainEqual(
      expect.objectContaining({ type: 'BundleUnpacking', message: expect.stringContaining('fetching endless-') }),
    );
  });

  it('has its share of the pulls, and no more, while another namespace of its cluster installs', async () => {
    await expect.poll(() => hostile.open()).toBe(2);
    bench.namespace('apps');
    bench.subscribe('apps', 'lighthouse-operator');
    await bench.installed('apps', LIGHTHOUSE);
    expect(hostile.open()).toBeLessThanOrEqual(4);
  });
});
