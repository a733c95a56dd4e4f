import type { RowCause } from '#core/view/rows/rows';

/** The texts of a row that people read. */
const SHOWN = ['cluster', 'namespace', 'name', 'package', 'catalog', 'image', 'installed', 'comment', 'by'] as const;
/** Bits of a number. */
const MOST_WORDS = 30;

type ShownRow = Readonly<Partial<Record<(typeof SHOWN)[number], unknown>> & { cause?: RowCause; moves?: unknown }>;

/**
 * Returns a test for rows: true if a row has all words, each in one of its texts. Rows have few different
 * texts and a fleet many rows: each text is checked once.
 */
export function hasAllWords<R>(question: string): ((row: R) => boolean) | undefined {
  const words = question.toLowerCase().split(/\s+/).filter(Boolean).slice(0, MOST_WORDS);
  if (words.length === 0) return undefined;
  const all = 2 ** words.length - 1;
  const known = new Map<string, number>();
  /** A bit for each word that the text has. */
  const wordsIn = (text: string): number => {
    const before = known.get(text);
    if (before !== undefined) return before;
    const lower = text.toLowerCase();
    const found = words.reduce((bits, word, at) => (lower.includes(word) ? bits | (1 << at) : bits), 0);
    known.set(text, found);
    return found;
  };
  return (row) => {
    const shown = row as ShownRow;
    let found = 0;
    for (const key of SHOWN) {
      const text = shown[key];
      if (typeof text === 'string' && text !== '') found |= wordsIn(text);
      if (found === all) return true;
    }
    if (shown.cause !== undefined) found |= wordsIn(shown.cause.text);
    if (Array.isArray(shown.moves)) found |= wordsIn(JSON.stringify(shown.moves));
    return found === all;
  };
}
