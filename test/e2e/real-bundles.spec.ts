import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PATIENCE_MS } from '#testing/patience';
import { type ImageRegistry, startImageRegistry } from '#testing/registry/image-registry';
import { needing, publicData } from '#testing/report/needs';
import { compare, dumpDifferences } from '../recorded/compare.js';
import { describeDifferences } from '../recorded/differences.js';
import { folderOf } from '../recorded/public-bundles.js';
import { PUBLIC_BUNDLES } from '../recorded/public-catalogs.js';
import { pushPublicBundle, servedAsImage } from '../recorded/real-bundles.js';
import { type RecordedEnvironment, startRecordedEnvironment } from '../recorded/recorded-environment.js';
import { readRecording } from '../recorded/recording.js';
import { replay } from '../recorded/replay.js';

const atHand = PUBLIC_BUNDLES.flatMap((bundle) => {
  const folder = folderOf(bundle);
  const recording = readRecording(`real-${bundle.package}`);
  return folder === undefined || recording === undefined ? [] : [{ ...bundle, folder, recording }];
});
const absent = PUBLIC_BUNDLES.filter(({ package: name }) => !atHand.some((one) => one.package === name));
it.for(absent)('$package $version', needing({ ...publicData(), isThere: false }), () => undefined);

describe.runIf(atHand.length > 0)('public bundles, from images in a registry to a running operator', () => {
  let environment: RecordedEnvironment;
  let registry: ImageRegistry;

  beforeAll(async () => {
    registry = await startImageRegistry();
    console.log(`images in ${registry.how}`);
    environment = await startRecordedEnvironment({ backend: 'real', clusters: 1 });
  });
  afterAll(async () => {
    await environment?.stop();
    await registry?.stop();
  });

  it.each(atHand)('$package $version ends as OLM left it', async ({ folder, recording, ...bundle }) => {
    const [cluster] = environment.clusters;
    if (cluster === undefined) throw new Error('an environment without clusters');
    const image = await pushPublicBundle(bundle, folder, registry.host);
    const asImage = servedAsImage(recording, image);
    const replayed = await replay(asImage, {
      ...cluster,
      catalogAddress: registry.host,
      patienceMs: PATIENCE_MS,
      quietMs: 1_500,
      agrees: (label, recorded, dump) => dumpDifferences(asImage.name, label, recorded, dump).length === 0,
    });
    console.log(`${bundle.package} ${bundle.version}: ${replayed.seconds.toFixed(1)} s`);
    expect(describeDifferences(compare(asImage, replayed))).toBe('');
  });
});
