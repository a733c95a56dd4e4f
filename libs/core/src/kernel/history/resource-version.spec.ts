import { describe, expect, it } from 'vitest';
import { isAsNewAs, isOlderThan, olderOf } from './resource-version.js';

describe('which of two resourceVersions is the newer', () => {
  it.each([
    { a: '10', b: '9', answer: true, because: 'they are numbers, not texts' },
    { a: '9', b: '10', answer: false, because: 'they are numbers, not texts' },
    { a: '10', b: '10', answer: true, because: 'the same is as new' },
    { a: '18446744073709551615', b: '18446744073709551614', answer: true, because: 'they may be larger than 2^53' },
    { a: '', b: '1', answer: false, because: 'nothing was read yet' },
    { a: undefined, b: '1', answer: false, because: 'nothing was read yet' },
    { a: 'x', b: '1', answer: false, because: 'what is no number says nothing' },
  ])('$a against $b: $answer, $because', ({ a, b, answer }) => {
    expect(isAsNewAs(a, b)).toBe(answer);
  });
});

describe('the older of two resourceVersions', () => {
  it.each([
    { a: '9', b: '10', older: true, is: '9' },
    { a: '10', b: '9', older: false, is: '9' },
    { a: '10', b: '10', older: false, is: '10' },
    { a: '', b: '10', older: false, is: '10' },
    { a: '10', b: 'x', older: false, is: 'x' },
  ])('of $a and $b is $is', ({ a, b, older, is }) => {
    expect([isOlderThan(a, b), olderOf(a, b)]).toEqual([older, is]);
  });
});
