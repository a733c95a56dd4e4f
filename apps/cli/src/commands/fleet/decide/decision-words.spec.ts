import { describe, expect, it } from 'vitest';
import { effectOf } from './decision-words.js';

describe('the effect of a Retry', () => {
  it.each([
    ['RolledBack', 'a new rollout of the same target begins'],
    ['Aborted', 'a new rollout of the same target begins'],
    ['Halted', 'failed clusters are queued again'],
    ['Completed', 'failed clusters are queued again'],
  ])('of a rollout that is %s: %s', (phase, effect) => {
    expect(effectOf('Retry', phase)).toBe(effect);
  });
});
