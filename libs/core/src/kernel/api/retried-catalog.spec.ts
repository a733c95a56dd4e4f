import { describe, expect, it } from 'vitest';
import { isAskedAgain, retryAskedAt } from './retried-catalog.js';

const NOW = Date.parse('2026-11-29T12:00:00Z');
const catalog = (retry?: string) => ({
  metadata: { name: 'shelf', ...(retry !== undefined && { annotations: { 'flotilla.dev/retry': retry } }) },
});

describe('another try that a user asks for', () => {
  it.each([
    { retry: undefined, at: undefined, because: 'nobody asks' },
    { retry: 'true', at: undefined, because: 'that is no time' },
    { retry: '2026-11-29T11:59:00Z', at: NOW - 60_000, because: 'a minute ago' },
    { retry: '2026-11-29T12:04:00Z', at: NOW, because: 'a clock that is a little ahead' },
    { retry: '2099-01-01T00:00:00Z', at: undefined, because: 'a time that never comes would ask without end' },
  ])('is as of $at: $because', ({ retry, at }) => expect(retryAskedAt(catalog(retry), NOW)).toBe(at));

  it.each([
    { before: undefined, retry: 'a', again: true },
    { before: 'a', retry: 'b', again: true },
    { before: 'a', retry: 'a', again: false },
    { before: 'a', retry: undefined, again: false },
  ])('is new: $before, $retry', ({ before, retry, again }) =>
    expect(isAskedAgain(catalog(retry), catalog(before))).toBe(again),
  );
});
