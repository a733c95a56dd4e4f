import { describe, expect, it } from 'vitest';
import { effectOf } from './decision-words.js';

describe('the effect of a Retry', () => {
  it.each([
    ['RolledBack', 'a new roll-out of the same target begins'],
    ['Aborted', 'a new roll-out of the same target begins'],
    ['Halted', 'failed clusters wait for their turn again'],
    ['Completed', 'failed clusters wait for their turn again'],
  ])('of a roll-out that is %s: %s', (phase, effect) => {
    expect(effectOf('Retry', phase)).toBe(effect);
  });
});
