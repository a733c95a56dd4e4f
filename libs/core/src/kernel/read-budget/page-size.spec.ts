import { describe, expect, it } from 'vitest';
import { nextPageSize } from './page-size.js';

describe('the size of the next page of a list', () => {
  it.each([
    [500, 5, 500, 'stays while a page is quick'],
    [500, 40, 250, 'falls as a page took longer'],
    [500, 10_000, 50, 'falls to 50 at least'],
    [5, 10_000, 5, 'stays where objects are so large that few fit into an answer'],
    [undefined, 10_000, undefined, 'is none where the list is read in one piece'],
  ])('%s after %s ms is %s: it %s', (size, tookMs, expected, _title) => {
    expect(nextPageSize(size, tookMs)).toBe(expected);
  });
});
