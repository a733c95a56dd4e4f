import { playStories } from './play-stories.fixture.js';
import { STORIES } from './story-table.fixture.js';

playStories(STORIES.filter(({ isFirst = false }) => !isFirst));
