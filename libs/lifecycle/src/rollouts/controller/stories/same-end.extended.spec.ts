import { HUB_STORIES } from './hub-stories.fixture.js';
import { OBJECT_STORIES } from './object-stories.fixture.js';
import { playStories } from './play-stories.fixture.js';
import { CLUSTER_STORIES } from './story-table.fixture.js';

playStories([...CLUSTER_STORIES, ...HUB_STORIES, ...OBJECT_STORIES].filter(({ isFirst = false }) => !isFirst));
