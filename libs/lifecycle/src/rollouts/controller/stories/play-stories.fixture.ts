import { afterEach, describe, expect, it } from 'vitest';
import { scenarioFrom } from '#core/rollout/simulation/kafka-scenario.fixture';
import { PlayedStory } from './played-story.fixture.js';
import { rehearsed } from './rehearsed-story.fixture.js';
import { type StoryEnd, withoutBeginnings, withoutTimes } from './story-end.fixture.js';
import type { Story } from './story-parts.fixture.js';

/** Tests that stories end the same in `simulate` and with the live controller, word for word. */
export function playStories(stories: readonly Story[]): void {
  let played: PlayedStory | undefined;
  afterEach(async () => {
    await played?.stop();
    played = undefined;
  });

  describe('a story ends the same in simulate and with the live controller', () => {
    it.each(stories)('$name', async ({ name: _, isFirst: __, isKilled = false, isQueued = false, ...scenario }) => {
      // A rollout is made here with the release, and live once its clusters have planned.
      const file = { durations: { plan: '0s' }, ...scenario.file };
      const rehearsal = scenarioFrom({ ...scenario, file });
      const expected = rehearsed(rehearsal);
      played = await PlayedStory.begin(rehearsal);
      const end = await played.play();
      const compared = isKilled ? withoutTimes : isQueued ? withoutBeginnings : (one: StoryEnd) => one;
      expect(compared(end)).toEqual(compared(expected));
      // A controller that is killed says more: the steps of a pass are in several writes.
      expect(end.events).toEqual(expect.arrayContaining([...expected.events]));
    });
  });
}
