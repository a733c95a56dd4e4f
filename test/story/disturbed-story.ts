import { LONG_PATIENCE_MS } from '#testing/patience';
import type { Stage, StageOptions, StageRegistry } from '../../apps/cli/src/demo/demo-stage.js';
import type { Chapter } from '../../apps/cli/src/demo/scenario.js';
import { expectEnding, solvedProblems } from './expect-ending.js';
import { FAULTS, type Fault, strikeWith } from './faults.js';
import type { Dump } from './normalised-dump.js';
import { playStory } from './play-story.js';
import { setQuickStage } from './quick-stage.js';
import { startRestartableRedis } from './restartable-redis.js';

export const CHAPTERS = ['subscribed', 'first-plan', 'installed', 'catalog-updated', 'first-hop'] as const;

/** What goes wrong at which turning point of one story. */
export type Disturbances = Readonly<Partial<Record<Chapter, Fault>>>;

/**
 * One scenario for each fault, with another fault at each step, so that together every fault
 * meets every step once.
 */
export const everyFaultAtEveryChapter: readonly Disturbances[] = FAULTS.map((_, row) =>
  Object.fromEntries(CHAPTERS.map((chapter, column) => [chapter, FAULTS[(row + column) % FAULTS.length]])),
);

export const describeDisturbances = (disturbances: Disturbances): string => {
  const parts = Object.entries(disturbances).map(([chapter, fault]) => `${chapter}: ${fault}`);
  return parts.length === 0 ? 'nothing goes wrong' : parts.join('; ');
};

export type DisturbedStory = Readonly<{
  disturbances: Disturbances;
  registry: StageRegistry;
  /**
   * This story's own catalog image in the registry that stories share, so that all
   * see the same bundle images.
   */
  catalogImage: string;
  /** With a Redis of its own only where no disturbance concerns Redis. */
  stage?: StageOptions;
  /** More that must hold at the end, while the services still run. */
  atEnd?: (stage: Stage) => Promise<void>;
}>;

export type LeftBehind = Readonly<{
  /** By cluster. */
  dumps: Readonly<Record<string, Dump>>;
  /** Hashes of the problems in the order in which they were solved. */
  solved: readonly string[];
}>;

/** Plays a story while things go wrong, checks its end, and gives what it left behind. */
export async function playDisturbed(story: DisturbedStory): Promise<LeftBehind> {
  const redis = await startRestartableRedis();
  const stage = await setQuickStage({ resolvers: 2, redis, ...story.stage, registry: story.registry });
  try {
    const onChapter = async (chapter: Chapter) => {
      const fault = story.disturbances[chapter];
      if (fault !== undefined) await strikeWith(fault, stage, redis);
    };
    const ending = await playStory(stage, {
      onChapter,
      catalogImage: story.catalogImage,
      patienceMs: LONG_PATIENCE_MS,
    });
    await expectEnding(stage, ending);
    await story.atEnd?.(stage);
    const solved = await solvedProblems(stage);
    return { dumps: withoutImage(ending.dumps, story.catalogImage), solved };
  } finally {
    await stage.strike();
    await redis.stop();
  }
}

const withoutImage = (dumps: Readonly<Record<string, Dump>>, image: string): Readonly<Record<string, Dump>> =>
  JSON.parse(JSON.stringify(dumps).replaceAll(image, 'the catalog image'));
