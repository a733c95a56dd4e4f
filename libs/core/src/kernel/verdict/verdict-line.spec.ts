import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyText } from '../text/any-text.fixture.js';
import { LONGEST_VERDICT, verdictLine } from './verdict-line.js';

const DIGEST = `sha256:${'0123456789abcdef'.repeat(4)}`;

describe('one line about data of others', () => {
  it('goes from the outermost place to what is wrong, and leaves empty places out', () => {
    expect(verdictLine(['image r.example/a:1', '', 'manifests/a.yaml'], 'spec is\n  missing')).toBe(
      'image r.example/a:1: manifests/a.yaml: spec is missing',
    );
  });

  it('shortens a digest before anything else', () => {
    const line = verdictLine([`image registry.example/acme/lamp@${DIGEST}`, 'manifests/lamp.yaml'], 'x'.repeat(90));
    expect(line).toBe(`image registry.example/acme/lamp@sha256:0123456789ab…: manifests/lamp.yaml: ${'x'.repeat(90)}`);
  });

  it('shortens the longest place in its middle, and keeps what is wrong', () => {
    const line = verdictLine([`image ${'a/'.repeat(200)}lamp:1`, 'manifests/lamp.yaml'], 'spec.version is a map');
    expect(line).toHaveLength(LONGEST_VERDICT);
    expect(line).toMatch(/^image a\/a\/.*….*\/a\/lamp:1: manifests\/lamp\.yaml: spec\.version is a map$/);
  });

  it('cuts the end of a text that is too long by itself', () => {
    const line = verdictLine(['manifests/lamp.yaml'], 'y'.repeat(500));
    expect(line).toMatch(/^manifests\/lamp\.yaml: y+…$/);
    expect(line).toHaveLength(LONGEST_VERDICT);
  });

  it('is one line of at most 200 characters, whatever is written', () => {
    fc.assert(
      fc.property(
        fc.array(anyText({ maxLength: 300 }), { maxLength: 4 }),
        anyText({ maxLength: 400 }),
        (places, text) => {
          const line = verdictLine(places, text);
          expect(line.length).toBeLessThanOrEqual(LONGEST_VERDICT);
          expect(line).not.toContain('\n');
          expect(line.isWellFormed()).toBe(true);
        },
      ),
      { numRuns: 50 },
    );
  });
});
