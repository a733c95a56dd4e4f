import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Stage } from '../../apps/cli/src/demo/demo-stage.js';
import { expectEnding, solvedProblems } from '../story/expect-ending.js';
import { type Ending, playStory } from '../story/play-story.js';
import { setQuickStage } from '../story/quick-stage.js';

describe('an operator with its dependency on two simulated clusters, upgraded over two hops', () => {
  let stage: Stage | undefined;
  let ending: Ending;
  const played = () => {
    if (stage === undefined) throw new Error('there is no stage');
    return stage;
  };

  beforeAll(async () => {
    stage = await setQuickStage();
    ending = await playStory(stage);
  });
  afterAll(() => stage?.strike());

  it('ends with what was wished, and with nothing else', () => expectEnding(played(), ending));

  it('solved each distinct problem once, whichever cluster asked it first', async () => {
    const solved = await solvedProblems(played());
    expect(solved.length).toBeGreaterThan(0);
    expect(solved.toSorted()).toEqual([...new Set(solved)].toSorted());
  });
});
