import { describe, expect, it } from 'vitest';
import { needing } from './needs.js';
import { notRunLine } from './not-run.js';

describe('the line about tests that did not run', () => {
  it('is left out where all ran', () => expect(notRunLine([])).toBeUndefined());

  it('counts the tests, and those of each kind, most first', () => {
    expect(
      notRunLine(['kubectl', 'skopeo (apt-get install skopeo)', 'skopeo (apt-get install skopeo)', undefined]),
    ).toBe(
      'not run: 4 tests, for what they need is not here (2: skopeo (apt-get install skopeo); 1: kubectl; 1: no reason given). ' +
        'A stand-in of each kind ran; see CONTRIBUTING.md, "Tests that need more"',
    );
  });
});

describe('a test that needs something', () => {
  const there = { isThere: true, what: 'a' };
  it('runs where all is there', () => expect(needing(there, there)).toEqual({}));
  it('does not run where something is missing, and says what', () => {
    expect(needing(there, { isThere: false, what: 'b' }, { isThere: false, what: 'c' })).toEqual({
      skip: true,
      meta: { needs: 'b and c' },
    });
  });
});
