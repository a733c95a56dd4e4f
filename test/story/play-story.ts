import { join } from 'node:path';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { PATIENCE_MS, pause } from '#testing/patience';
import type { ServicesEnvironment } from '../../apps/cli/src/commands/demo/environment/demo-environment.js';
import { StoryStuck } from '../../apps/cli/src/commands/demo/motion/story-stuck.js';
import { playScenario, poll, SAMPLE_NAMESPACE, type ScenarioStep } from '../../apps/cli/src/commands/demo/scenario.js';
import type { Seen } from '../../apps/cli/src/commands/demo/seen-objects.js';
import { Timeline } from '../../apps/cli/src/commands/demo/timeline.js';
import { type Dump, normalisedDump, orphansIn } from './normalised-dump.js';

export const EXAMPLES = join(PROJECT_ROOT, 'examples');
export const SAMPLE_NAMESPACES = [SAMPLE_NAMESPACE, 'olm'] as const;

export type PlayOptions = Readonly<{
  onStep?: (scenarioStep: ScenarioStep) => Promise<void>;
  /** For stories that share a registry. */
  catalogImage?: string;
  patienceMs?: number;
}>;

export type Ending = Readonly<{
  seen: ReadonlyMap<string, Seen>;
  dumps: Readonly<Record<string, Dump>>;
  /** The time line, for finding out why a test failed. */
  printed: readonly string[];
}>;

/**
 * Plays the whole story and waits until nothing moves any more. A scenario that got stuck prints all it
 * knows.
 */
export async function playStory(environment: ServicesEnvironment, options: PlayOptions = {}): Promise<Ending> {
  const { patienceMs = PATIENCE_MS, ...rest } = options;
  const printed: string[] = [];
  const timeline = new Timeline((line) => printed.push(line.trimEnd()));
  try {
    await playScenario({ environment, timeline, examples: EXAMPLES, patienceMs, ...rest });
    const dumps = await untilStill(environment);
    const seen = await Promise.all(
      environment.clients.map(async (client) => [client.cluster, await poll(client, timeline)] as const),
    );
    return { seen: new Map(seen), dumps, printed };
  } catch (error) {
    if (!(error instanceof StoryStuck)) throw error;
    const logs = await Promise.all(environment.services.map(async (one) => `--- ${one.name}\n${await one.tail(30)}`));
    throw new Error([error.message, ...printed, ...logs].join('\n'), { cause: error });
  }
}

/** Longer than a busy machine holds up a service between two writes. */
const STILL_FOR_MS = 3_000;

/**
 * Waits until two dumps, some time apart, are equal, and nothing waits to be collected. A garbage collector
 * may take half a minute to notice a new kind.
 */
export async function untilStill(environment: ServicesEnvironment): Promise<Record<string, Dump>> {
  const deadline = performance.now() + PATIENCE_MS;
  let before = await dumpAll(environment);
  for (;;) {
    await pause(STILL_FOR_MS);
    const now = await dumpAll(environment);
    const orphans = Object.values(now).flatMap(orphansIn);
    if (orphans.length === 0 && JSON.stringify(now) === JSON.stringify(before)) return now;
    if (performance.now() > deadline) {
      throw new Error(`the clusters do not come to rest after the end of the story; orphans: ${orphans.join(', ')}`);
    }
    before = now;
  }
}

async function dumpAll(environment: ServicesEnvironment): Promise<Record<string, Dump>> {
  const dumps = environment.clients.map(async (client) => [
    client.cluster,
    await normalisedDump(client, SAMPLE_NAMESPACES),
  ]);
  return Object.fromEntries(await Promise.all(dumps));
}
