import { describe, it } from 'vitest';
import { PATIENCE } from '#testing/patience';
import { isAlive, startDemo } from '../story/running-demo.js';

describe('a demo that is not let end', () => {
  it('interrupted in the middle ends with everything it started', async ({ expect, onTestFinished }) => {
    const running = startDemo(onTestFinished);
    await running.prints(/InstallPlan .* approved/);
    running.kill('SIGINT');
    expect(await running.ended).toEqual({ code: 130, signal: null });
    expect(running.err).toContain('ending: services, Redis and clusters');
    expect(running.err).not.toContain('error:');
    expect(await running.answering()).toEqual([]);
  });

  it.for([
    { form: 'one process', args: [], least: 1 },
    { form: 'services of their own', args: ['--distributed'], least: 5 }, // four services and Redis
  ])('killed outright leaves nothing running behind: $form', async ({ args, least }, { expect, onTestFinished }) => {
    const running = startDemo(onTestFinished, ...args);
    await running.prints(/services .* started/);
    const children = await running.children();
    expect(children.length).toBeGreaterThanOrEqual(least);
    running.kill('SIGKILL');
    await running.ended;
    await expect.poll(() => children.filter(isAlive), PATIENCE).toEqual([]);
  });
});
