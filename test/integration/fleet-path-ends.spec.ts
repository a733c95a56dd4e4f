import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { buildImage } from '#platform/registry/image-builder';
import { FleetBench } from './applier-support/fleet-bench.js';
import { LAMP_OPERATOR, LAMPS } from './applier-support/lamp-operator.js';
import { offer } from './applier-support/made-operator.js';

const FIRST = { version: '1.0.0', objects: [] };
const SECOND = { version: '1.1.0', replaces: '1.0.0', objects: [] };
const THIRD = { version: '1.2.0', replaces: '1.1.0', objects: [] };

let fleet: FleetBench;
beforeEach(async () => {
  fleet = await FleetBench.start({ 'lab-1': {} }, LAMPS);
  await fleet.apply('FleetStrategy', 's', {
    approval: { rules: [{ changes: ['Minor'], action: 'Manual' }], default: 'Auto' },
  });
});
afterEach(() => fleet.stop());

describe('a path ends before', () => {
  it.each([
    [
      'an image that is not a bundle',
      'made/lamp:empty',
      /^the upgrade path ends at lamp\.v1\.1\.0: .*image .* is not a bundle/,
    ],
    ['an image that the registry does not have', 'made/lamp:none', /made\/lamp:none/],
  ])('%s, and the cluster gets what comes before it', async (_what, image, says) => {
    const bench = fleet.bench('lab-1');
    await offer(bench, 'lamp', [FIRST]);
    await fleet.apply('FleetOperator', 'lamp', LAMP_OPERATOR);
    await fleet.until(() => bench.describe(LAMPS) === 'lamp.v1.0.0 Succeeded', 'the first version');
    await bench.registry.put('made/lamp:empty', await buildImage({ files: [], labels: {} }));
    await offer(bench, 'lamp', [FIRST, SECOND, { ...THIRD, image: `${bench.registry.host}/${image}` }]);
    await fleet.until(() => fleet.report('lab-1')?.['planned'] === 'lamp.v1.1.0', 'the version before it');
    expect(fleet.report('lab-1')?.['message']).toMatch(says);
  });
});
