import { type Passage, words } from './prose-of.ts';

/** Measures of English by grammar. */
export type Measures = Readonly<{
  words: number;
  /** Relative words for each 100 words. */
  relatives: number;
  /** Share of sentences with more than {@link LONGEST} words, in percent. */
  longSentences: number;
}>;

/** Most words of a sentence. */
export const LONGEST = 22;

const RELATIVE = /\b(?:of which|by which|what|which|who|whom|whose|where)\b/gi;
const SENTENCE = /[^.!?;:]+(?:[.!?;:](?!\s|$)[^.!?;:]*)*/g;

export function measure(passages: readonly Passage[]): Measures {
  const all = passages.map(({ text }) => text);
  const count = all.reduce((sum, text) => sum + words(text).length, 0);
  const relatives = all.reduce((sum, text) => sum + (text.match(RELATIVE) ?? []).length, 0);
  const sentences = all.flatMap((text) => text.match(SENTENCE) ?? []).map((text) => words(text).length);
  const long = sentences.filter((length) => length > LONGEST).length;
  return {
    words: count,
    relatives: count === 0 ? 0 : (100 * relatives) / count,
    longSentences: sentences.length === 0 ? 0 : (100 * long) / sentences.length,
  };
}

/** Words that no docstring begins with: a verb in the third person or a noun of the field stands there. */
const BAD_START = /^(?:What|Whether|Where|Of|Who|Whose|Which|Why|By which|One (?:that|who|of)|That|Those that)\b/;

/** Docstrings that begin with a clause without a verb or noun. */
export const badStarts = (docstrings: readonly Passage[]): readonly Passage[] =>
  docstrings.filter(({ text }) => BAD_START.test(text));
