import { describe, expect, it } from 'vitest';
import { noMotion, observed } from './motion.js';
import { type ServiceNote, StoryStuck, stuckLines } from './story-stuck.js';

const standing = (names: readonly string[]) => {
  let motion = noMotion(0);
  for (let second = 0; second <= 61; second++)
    motion = observed(
      motion,
      names.map((name) => ({ name, state: 'Installing' })),
      second * 1_000,
    );
  return new StoryStuck('west: InstallPlan install-1 (Installing)', motion);
};
const service = (name: string, rest: Partial<ServiceNote> = {}): ServiceNote => ({
  ...{ name, ended: false, exitCode: undefined, trouble: undefined, ...rest },
});
const trouble = JSON.stringify({ level: 'warn', msg: 'cannot connect to Redis; retrying', error: 'no answer' });
const quiet = { load: 0.5, processors: 2, command: 'flotilla demo', keep: false };

describe('a demo that stands still', () => {
  it('says what it waited for, what moved last, which service ended or warned, and what to run', () => {
    const services = [service('catalog-poller'), service('applier', { ended: true, exitCode: 1, trouble })];
    expect(stuckLines(standing(['west: InstallPlan install-1']), { ...quiet, services, load: 40 })).toEqual([
      'error: nothing has moved for 61 s; the demo waits for west: InstallPlan install-1 (Installing)',
      'What moved last:',
      '  west: InstallPlan install-1: Installing, for 61 s',
      'applier ended with exit code 1: warning: cannot connect to Redis; retrying: no answer',
      'This machine is busy: load 40 on 2 processors. Try again later.',
      'Play it again and leave everything up, to look at it from another terminal: flotilla demo --keep',
    ]);
  });

  it('takes at most ten lines of 200 characters, however much stands still', () => {
    const names = Array.from({ length: 50 }, (_, at) => `east: ClusterServiceVersion ${'x'.repeat(300)}-${at}`);
    const services = Array.from({ length: 9 }, (_, at) => service(`service-${at}`, { trouble: 'y'.repeat(500) }));
    const lines = stuckLines(standing(names), { ...quiet, services, load: 40, keep: true });
    expect(lines.length).toBeLessThanOrEqual(10);
    expect(Math.max(...lines.map(({ length }) => length))).toBe(200);
    expect(lines.at(-1)).toContain('stays up');
  });

  it('has little to say where nothing was seen', () => {
    expect(stuckLines(standing([]), { ...quiet, services: [] })).toHaveLength(2);
  });
});
