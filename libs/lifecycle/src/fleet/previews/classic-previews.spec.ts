import { expect, it } from 'vitest';
import { memoryQueues } from '#platform/queue/queues';
import { BundlePulls } from '#platform/registry/bundle-pulls';
import { MemoryContentStore } from '#platform/store/memory-content-store';
import { MemoryProblemStore } from '#platform/store/memory-problem-store';
import { silentLog } from '#platform/telemetry/log.port';
import { BundleRegistry } from '../../classic/install-plans/install-plans.fixture.js';
import { ClassicPreviews } from './classic-previews.js';

it('has a namespace observed of which nothing is known any more, as after Redis was emptied', async () => {
  const queues = memoryQueues();
  const previews = new ClassicPreviews({
    ...{ problems: new MemoryProblemStore(), queues, content: new MemoryContentStore(), log: silentLog },
    bundlePulls: BundlePulls.withoutTurns(new BundleRegistry()),
    settings: { bundleUnpackTimeout: 0 },
    refused: { note: () => undefined } as never,
  });
  const asked = { name: 'lamp', source: 'shelf', sourceNamespace: 'olm' };
  const found = await previews.deprecationsOf({ cluster: 'east', namespace: 'shop' }, asked, 'lamp.v1');
  expect(found).toEqual({ waits: 'CatalogSource olm/shelf was not read yet' });
  expect(await queues.observe.counts()).toMatchObject({ delayed: 1 });
});
