import { describe, expect, it } from 'vitest';
import { overBudget } from '../../scripts/english/check-english.js';
import { badStarts, measure } from '../../scripts/english/measures.js';
import { proseOfSource } from '../../scripts/english/prose-of.js';

const NONE = { docstrings: 0.6, starts: 0, comments: 0.6, messages: 0.6, titles: 0.6 };
const PLAIN = `/** Returns the digest of a catalog, or undefined if the registry has none. */
export const digestOf = (): string => 'the catalog has no digest yet';
// Sorts first, so that equal input gives equal bytes.
`;

describe('English by grammar', () => {
  it('accepts docstrings that begin with a verb or a noun', () => {
    expect(overBudget([proseOfSource(PLAIN)], NONE)).toEqual([]);
  });

  it.each([
    {
      of: 'a start',
      text: '/** What is kept of an object. */',
      problem: '1 docstrings begin with What, Whether, Where, Of or Who (at most 0)',
    },
    {
      of: 'a docstring',
      text: '/** Names the pod, which owns what the hub keeps. */',
      problem: 'docstrings: 9.09 relative words for 100 words (at most 0.6)',
    },
    {
      of: 'a comment',
      text: '// Reads the file of which the name is known.',
      problem: 'comments: 5.56 relative words for 100 words (at most 0.6)',
    },
    {
      of: 'a message',
      text: "const a = 'nothing says which cluster is away';",
      problem: 'messages: 8.33 relative words for 100 words (at most 0.6)',
    },
    {
      of: 'a title',
      text: "it('says what is wrong', () => {});",
      problem: 'titles: 25.00 relative words for 100 words (at most 0.6)',
    },
    {
      of: 'a title after a table',
      text: "it.each([1])('knows where %i is', () => {});",
      problem: 'titles: 25.00 relative words for 100 words (at most 0.6)',
    },
  ])('names the breach of $of', ({ text, problem }) => {
    expect(overBudget([proseOfSource(`${PLAIN}${text}\n`)], NONE)).toContain(problem);
  });

  it('measures neither code in backticks nor fenced examples', () => {
    const { docstrings } = proseOfSource('/**\n * Reads `what` it gets.\n * ```\n * where\n * ```\n */');
    expect(measure(docstrings)).toMatchObject({ words: 4, relatives: 0 });
    expect(badStarts(docstrings)).toEqual([]);
  });
});
