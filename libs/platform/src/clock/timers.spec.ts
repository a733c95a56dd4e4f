import { describe, expect, it } from 'vitest';
import { ManualClock } from './manual-clock.js';
import { Timers } from './timers.js';

function running() {
  const clock = new ManualClock();
  const timers = new Timers(clock);
  const fired: string[] = [];
  return { clock, timers, fired, note: (name: string) => () => void fired.push(name) };
}

describe('the timers of one part of a process', () => {
  it('fire once, or after every pause', async () => {
    const { clock, timers, fired, note } = running();
    timers.after(50, note('once'));
    timers.every(20, note('every'));
    await clock.advance(19);
    expect(fired).toEqual([]);
    await clock.advance(41);
    expect(fired).toEqual(['every', 'every', 'once', 'every']);
  });

  it('do not fire once they are taken back', async () => {
    const { clock, timers, fired, note } = running();
    const takeBack = timers.after(50, note('late'));
    timers.after(60, note('later'));
    await clock.advance(49);
    takeBack();
    await clock.advance(1_000);
    takeBack();
    expect(fired).toEqual(['later']);
  });

  it('never fire after the stop, which also ends what was added', async () => {
    const { clock, timers, fired, note } = running();
    timers.after(50, note('once'));
    timers.every(20, note('every'));
    timers.add(note('watch ended'));
    timers.stop();
    expect(timers.stopped).toBe(true);
    expect(fired).toEqual(['watch ended']);
    timers.after(1, note('set after the stop'));
    timers.every(1, note('set after the stop'));
    await clock.advance(1_000);
    expect(fired).toEqual(['watch ended']);
  });

  it('repeat what gives its own pause, once it has ended', async () => {
    const { clock, timers, fired } = running();
    const begun = clock.now().getTime();
    timers.repeat(10, async () => {
      fired.push(`${clock.now().getTime() - begun} ms`);
      await clock.sleep(5);
      return 20 * fired.length;
    });
    await clock.advance(100);
    expect(fired).toEqual(['10 ms', '35 ms', '80 ms']);
  });

  it('do not repeat what ends after the stop', async () => {
    const { clock, timers, fired, note } = running();
    timers.repeat(10, async () => {
      note('begun')();
      await clock.sleep(50);
      return 10;
    });
    await clock.advance(20);
    timers.stop();
    await clock.advance(1_000);
    expect(fired).toEqual(['begun']);
  });

  it('may be stopped by one of them', async () => {
    const { clock, timers, fired, note } = running();
    timers.every(20, () => {
      note('every')();
      timers.stop();
    });
    await clock.advance(1_000);
    expect(fired).toEqual(['every']);
  });

  it('end at once what is added after the stop', () => {
    const { timers, fired, note } = running();
    timers.stop();
    timers.add(note('late watch ended'));
    expect(fired).toEqual(['late watch ended']);
  });
});
