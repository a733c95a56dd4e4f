import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ServicesEnvironment } from '../../apps/cli/src/commands/demo/environment/demo-environment.js';
import type { ServiceProcess } from '../../apps/cli/src/commands/demo/environment/service-process.js';
import { expectEnding } from '../story/expect-ending.js';
import { type Ending, playStory } from '../story/play-story.js';
import { allRunning, startQuickEnvironment } from '../story/quick-environment.js';
import { secondProcessOf } from '../story/second-process.js';

describe('two pollers and two appliers for the same clusters', () => {
  const endings: (() => Promise<unknown>)[] = [];
  let environment: ServicesEnvironment;
  let twins: readonly ServiceProcess[];
  let ending: Ending;

  beforeAll(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'flotilla-twins-'));
    endings.push(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
    environment = await startQuickEnvironment({ resolvers: 2 });
    endings.push(() => environment.stop());
    twins = (['catalog-poller', 'applier'] as const).map((service) => secondProcessOf(environment, service, folder));
    endings.push(() => Promise.all(twins.map((twin) => twin.stop())));
    for (const twin of twins) twin.start();
    // On a busy machine the story could be over before they run.
    await allRunning([...environment.services, ...twins]);
    ending = await playStory(environment);
  });
  afterAll(async () => {
    for (const end of endings.toReversed()) await end();
  });

  it('share the work', async () => {
    const said = (await Promise.all(twins.map((twin) => twin.logged()))).flat().map(({ msg }) => msg);
    expect(said).toEqual(expect.arrayContaining(['cluster is watched', 'namespace reconciled']));
  });

  it('end with the desired state, and with no plan made twice', () => expectEnding(environment, ending));
});
