import { describe, expect, it } from 'vitest';
import { RenewedKeys } from './renewed-keys.js';

describe('keys whose time to live was renewed', () => {
  const setup = () => {
    const clock = { ms: 1_000_000 };
    return { clock, keys: new RenewedKeys({ everyMs: 1_000, now: () => clock.ms }) };
  };

  it.each([
    [0, false],
    [999, false],
    [1_000, true],
    [-1, true],
  ])('are due after %i ms of 1000: %s', (ms, due) => {
    const { clock, keys } = setup();
    expect(keys.isDue('problem')).toBe(true);
    keys.note('problem');
    clock.ms += ms;
    expect(keys.isDue('problem')).toBe(due);
    expect(keys.isDue('other')).toBe(true);
  });

  it('are forgotten beyond 20000, the one renewed first before the others', () => {
    const { keys } = setup();
    keys.note('first');
    keys.note('second');
    keys.note('first');
    for (let number = 0; number < 19_999; number += 1) keys.note(String(number));
    expect(keys.isDue('second')).toBe(true);
    expect(keys.isDue('first')).toBe(false);
  });
});
