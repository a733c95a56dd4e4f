import { afterEach, describe, expect, it } from 'vitest';
import { scenarioFrom } from '#core/rollout/simulation/kafka-scenario.fixture';
import type { FleetScenario } from '#core/rollout/simulation/scenario';
import { PlayedStory } from './played-story.fixture.js';
import { rehearsed } from './rehearsed-story.fixture.js';
import { type StoryEnd, withoutBeginnings, withoutTimes, withoutTransitions } from './story-end.fixture.js';
import type { Story } from './story-parts.fixture.js';

/** Tests that stories end the same in `simulate` and with the live controller, word for word. */
export function playStories(stories: readonly Story[]): void {
  let played: PlayedStory | undefined;
  afterEach(async () => {
    await played?.stop();
    played = undefined;
  });

  describe('a story ends the same in simulate and with the live controller', () => {
    it.each(stories)('$name', async (story) => {
      const compared = comparedOf(story);
      const rehearsal = scenarioOf(story);
      const expected = rehearsed(rehearsal);
      played = await PlayedStory.begin(rehearsal);
      const end = await played.play();
      expect(compared(end)).toEqual(compared(expected));
      // A controller that is killed says more: the steps of a pass are in several writes.
      expect(end.events).toEqual(expect.arrayContaining([...expected.events]));
    });
  });
}

/**
 * Returns the scenario of a story. A rollout is made there with the release, and live once its clusters have
 * planned.
 */
export function scenarioOf({
  name: _,
  isFirst: __,
  isKilled: ___,
  isQueued: ____,
  isLost: _____,
  ...scenario
}: Story): FleetScenario {
  return scenarioFrom({ ...scenario, file: { durations: { plan: '0s' }, ...scenario.file } });
}

/** Returns the part of an end that is the same in both. */
function comparedOf({ isKilled, isQueued, isLost }: Story): (end: StoryEnd) => object {
  if (isKilled) return withoutTimes;
  if (isLost) return withoutTransitions;
  return isQueued ? withoutBeginnings : (end) => end;
}
