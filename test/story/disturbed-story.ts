import { LONG_PATIENCE_MS } from '#testing/patience';
import type {
  EnvironmentOptions,
  EnvironmentRegistry,
  ServicesEnvironment,
} from '../../apps/cli/src/commands/demo/environment/demo-environment.js';
import type { ScenarioStep } from '../../apps/cli/src/commands/demo/scenario.js';
import { expectEnding, solvedProblems } from './expect-ending.js';
import { FAULTS, type Fault, injectFault } from './faults.js';
import type { Dump } from './normalised-dump.js';
import { playStory } from './play-story.js';
import { startQuickEnvironment } from './quick-environment.js';
import { startRestartableRedis } from './restartable-redis.js';

export const SCENARIO_STEPS = ['subscribed', 'first-plan', 'installed', 'catalog-updated', 'first-hop'] as const;

/** The faults at the turning points of one story. */
export type Disturbances = Readonly<Partial<Record<ScenarioStep, Fault>>>;

/**
 * One scenario for each fault, with another fault at each step, so that together every fault meets every step
 * once.
 */
export const everyFaultAtEveryStep: readonly Disturbances[] = FAULTS.map((_, row) =>
  Object.fromEntries(
    SCENARIO_STEPS.map((scenarioStep, column) => [scenarioStep, FAULTS[(row + column) % FAULTS.length]]),
  ),
);

export const describeDisturbances = (disturbances: Disturbances): string => {
  const parts = Object.entries(disturbances).map(([scenarioStep, fault]) => `${scenarioStep}: ${fault}`);
  return parts.length === 0 ? 'nothing goes wrong' : parts.join('; ');
};

export type DisturbedStory = Readonly<{
  disturbances: Disturbances;
  registry: EnvironmentRegistry;
  /**
   * This story's own catalog image in the registry that stories share, so that all see the same bundle
   * images.
   */
  catalogImage: string;
  /** Options of the environment. It has a Redis of its own unless a disturbance concerns Redis. */
  environment?: EnvironmentOptions;
  /** More that must hold at the end, while the services still run. */
  atEnd?: (environment: ServicesEnvironment) => Promise<void>;
}>;

export type LeftBehind = Readonly<{
  /** By cluster. */
  dumps: Readonly<Record<string, Dump>>;
  /** Hashes of the problems in the order of their solution. */
  solved: readonly string[];
}>;

/** Plays a story with faults, checks its end, and returns the state that it left. */
export async function playDisturbed(story: DisturbedStory): Promise<LeftBehind> {
  const redis = await startRestartableRedis();
  const environment = await startQuickEnvironment({
    resolvers: 2,
    redis,
    ...story.environment,
    registry: story.registry,
  });
  try {
    const onStep = async (scenarioStep: ScenarioStep) => {
      const fault = story.disturbances[scenarioStep];
      if (fault !== undefined) await injectFault(fault, environment, redis);
    };
    const ending = await playStory(environment, {
      onStep,
      catalogImage: story.catalogImage,
      patienceMs: LONG_PATIENCE_MS,
    });
    await expectEnding(environment, ending);
    await story.atEnd?.(environment);
    const solved = await solvedProblems(environment);
    return { dumps: withoutImage(ending.dumps, story.catalogImage), solved };
  } finally {
    await environment.stop();
    await redis.stop();
  }
}

const withoutImage = (dumps: Readonly<Record<string, Dump>>, image: string): Readonly<Record<string, Dump>> =>
  JSON.parse(JSON.stringify(dumps).replaceAll(image, 'the catalog image'));
