import { beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '#platform/clock/manual-clock';
import { type Shared, SharedLoads } from './shared-loads.js';

const HOUR = 3_600_000;
const NOW = { withinMs: 0, patient: false };
let clock: ManualClock;
let loads: SharedLoads<number>;
/** Started loads, in their order. */
let begun: PromiseWithResolvers<number>[];

beforeEach(() => {
  clock = new ManualClock();
  loads = new SharedLoads({ clock, random: () => 0.5 });
  begun = [];
});

const load = () => {
  const next = Promise.withResolvers<number>();
  begun.push(next);
  return next.promise;
};
const ask = (asking = NOW, key = 'a') => loads.ask(key, asking, load);
const settled = (answer: Shared<number>) => ('value' in answer ? answer.value : String(answer.error));
const at = (index: number) => begun[index] ?? Promise.reject(new Error('not begun'));
const succeed = async (index: number, value: number) => (await at(index)) && begun[index]?.resolve(value);
const fail = async (index: number) => (await at(index)) && begun[index]?.reject('away');

describe('loads that are shared', () => {
  it('are carried out once for all who ask at the same time', async () => {
    const answers = Array.from({ length: 1_000 }, () => ask());
    await succeed(0, 7);
    expect(new Set((await Promise.all(answers)).map(settled))).toEqual(new Set([7]));
    expect(begun).toHaveLength(1);
  });

  it('are apart for different keys', async () => {
    const [one, two] = [ask(NOW, 'a'), ask(NOW, 'b')];
    await succeed(0, 1);
    await succeed(1, 2);
    expect([settled(await one), settled(await two)]).toEqual([1, 2]);
  });

  it('stand for those who ask within their window, and are done anew for others', async () => {
    const first = ask();
    await succeed(0, 1);
    await first;
    await clock.advance(10_000);
    expect(settled(await ask({ withinMs: 10_000, patient: true }))).toBe(1);
    const late = ask({ withinMs: 9_999, patient: true });
    await succeed(1, 2);
    expect(settled(await late)).toBe(2);
  });

  it('that fail are not tried again before their time, however many ask', async () => {
    const first = ask();
    await fail(0);
    expect(await first).toMatchObject({ error: 'away', retryAt: clock.now().getTime() + 5_000 });
    await clock.advance(4_999);
    for (let n = 0; n < 100; n += 1) expect(settled(await ask({ withinMs: 0, patient: true }))).toBe('away');
    expect(begun).toHaveLength(1);
    await clock.advance(1);
    const again = ask({ withinMs: 0, patient: true });
    await fail(1);
    expect(await again, 'the pause grows').toMatchObject({ retryAt: clock.now().getTime() + 10_000 });
  });

  it('that fail are tried at once for a caller with news', async () => {
    const first = ask();
    await fail(0);
    await first;
    await clock.advance(1_000);
    const urgent = ask({ withinMs: 500, patient: false });
    await succeed(1, 3);
    expect(settled(await urgent)).toBe(3);
  });

  it('begin with short pauses again after a success', async () => {
    for (const index of [0, 1, 2]) {
      const answer = ask();
      await fail(index);
      await answer;
      await clock.advance(1);
    }
    const good = ask();
    await succeed(3, 1);
    await good;
    await clock.advance(1);
    const bad = ask();
    await fail(4);
    expect(await bad).toMatchObject({ retryAt: clock.now().getTime() + 5_000 });
  });

  it.each([
    { name: 'that succeeded', end: (index: number) => succeed(index, 1) },
    { name: 'that failed', end: fail },
  ])('$name while the clock was ahead are done anew once it is set back', async ({ end }) => {
    clock.set(HOUR);
    const ahead = ask();
    await end(0);
    await ahead;
    clock.set(-HOUR);
    const back = ask({ withinMs: 10_000, patient: true });
    await succeed(1, 2);
    expect(settled(await back)).toBe(2);
  });

  it('that began before the clock was ahead, and failed while it was, are not put off by the hour', async () => {
    const ahead = ask();
    clock.set(HOUR);
    await fail(0);
    await ahead;
    clock.set(-HOUR);
    await clock.advance(5_000);
    const back = ask({ withinMs: 0, patient: true });
    await succeed(1, 2);
    expect(settled(await back)).toBe(2);
  });

  it('are shared as before when their key was renewed while the clock was ahead', async () => {
    clock.set(HOUR);
    loads.renew('a');
    clock.set(-HOUR);
    const first = ask();
    await succeed(0, 1);
    await first;
    expect(settled(await ask({ withinMs: 10_000, patient: true }))).toBe(1);
    expect(begun).toHaveLength(1);
  });

  it('that fail before they begin are failures, and can be tried again', async () => {
    const broken = () => {
      throw new Error('no such thing');
    };
    expect(String(settled(await loads.ask('a', NOW, broken)))).toContain('no such thing');
    await clock.advance(1);
    const good = ask();
    await succeed(0, 1);
    expect(settled(await good)).toBe(1);
  });

  it('that began before a change are waited for and done again', async () => {
    const old = ask();
    await clock.advance(1);
    loads.renew('a');
    const fresh = ask({ withinMs: 60_000, patient: true });
    await succeed(0, 1);
    expect(settled(await old)).toBe(1);
    await expect.poll(() => begun.length).toBe(2);
    await succeed(1, 2);
    expect(settled(await fresh)).toBe(2);
  });

  it('are forgotten when no caller asks any more', async () => {
    const first = ask();
    await succeed(0, 1);
    await first;
    await clock.advance(60_000);
    loads.forgetUnasked(60_000);
    expect(loads.answered('a')).toBe(true);
    await clock.advance(1);
    loads.forgetUnasked(60_000);
    expect(loads.answered('a')).toBe(false);
  });
});
