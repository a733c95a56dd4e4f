import { afterEach, describe, expect, it } from 'vitest';
import { readRecordings, replayed } from './earlier-controller.fixture.js';
import { HUB_STORIES } from './hub-stories.fixture.js';
import { scenarioOf } from './play-stories.fixture.js';
import { PlayedStory } from './played-story.fixture.js';
import { rehearsed } from './rehearsed-story.fixture.js';
import { CLUSTER_STORIES } from './story-table.fixture.js';

let played: PlayedStory | undefined;
afterEach(async () => {
  await played?.stop();
  played = undefined;
});

describe('a hub that is upgraded from commit 1dab5b02 while a rollout is on its way', () => {
  it.each(Object.entries(readRecordings()))('ends as the rehearsal: %s', async (name, recording) => {
    const story = [...CLUSTER_STORIES, ...HUB_STORIES].find((one) => one.name === name);
    if (story === undefined) throw new RangeError(`there is no story ${name}`);
    const rehearsal = scenarioOf(story);
    // Events are those of the hub that wrote them.
    const { events: _, ...expected } = rehearsed(rehearsal);
    played = await PlayedStory.begin(rehearsal, replayed(recording));
    expect(await played.play()).toMatchObject(expected);
  });
});
