import { describe, expect, it } from 'vitest';
import { FlotillaError, type Retry } from '#core/kernel/errors/flotilla.error';
import { retryDelayMs } from './retry-delay.js';

class Failure extends FlotillaError {
  readonly code = 'Failure';
  constructor(readonly retry: Retry) {
    super('failed');
  }
}
const limits = { firstMs: 1_000, longestMs: 60_000 };

describe('retryDelayMs', () => {
  it.each([
    { error: new Failure('backoff'), attempt: 1, random: 0, delay: 1_000, because: 'the first pause is the shortest' },
    { error: new Failure('backoff'), attempt: 4, random: 0, delay: 8_000, because: 'each pause doubles' },
    { error: new Failure('backoff'), attempt: 4, random: 0.5, delay: 6_000, because: 'chance takes off up to a half' },
    {
      error: new Failure('backoff'),
      attempt: 5_000,
      random: 0,
      delay: 60_000,
      because: 'no pause exceeds the longest',
    },
    { error: new Error('bug'), attempt: 1, random: 0, delay: 1_000, because: 'an unknown error may pass' },
    { error: 'text', attempt: 1, random: 0, delay: 1_000, because: 'anything can be thrown' },
    { error: new Failure({ afterMs: 20 }), attempt: 9, random: 0.9, delay: 20, because: 'the error names its time' },
    {
      error: new Failure('when-input-changes'),
      attempt: 1,
      random: 0,
      delay: undefined,
      because: 'same input, same end',
    },
  ])('attempt $attempt → $delay: $because', ({ error, attempt, random, delay }) => {
    expect(retryDelayMs(error, attempt, random, limits)).toBe(delay);
  });
});
