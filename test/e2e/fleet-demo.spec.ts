import { describe, it } from 'vitest';
import { LONG_PATIENCE } from '#testing/patience';
import { startDemo } from '../story/running-demo.js';

describe('flotilla demo fleet', () => {
  it('rolls out, catches up with a cluster that was off, and takes a bad version back', async ({
    expect,
    onTestFinished,
  }) => {
    const running = startDemo(onTestFinished, 'fleet', '--keep');
    await expect.poll(() => running.out, LONG_PATIENCE).toContain('End it with Ctrl-C.');
    expect(running.err).toBe('');
    expect(running.out).toMatch(/rollout +platform\/lighthouse-1 {2}Progressing → Completed \(AllWavesComplete\)/);
    expect(running.out).toMatch(
      /shops store-11 \w+ {2}Skipped → Waiting|shops store-11 \w+ {2}Applying → Done \(Healthy\)/,
    );
    expect(running.out).toContain('5 of 12 clusters had v1.1.0, and are back at v1.0.1');
    running.kill('SIGINT');
    expect(await running.ended).toEqual({ code: 0, signal: null });
  });
});
