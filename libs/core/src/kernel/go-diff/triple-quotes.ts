import { isQuotableLine, withoutReturns } from './format-value.js';
import type { TextNode, TextRecord } from './text-node.js';

const QUOTES: TextRecord = { sign: '', key: '', value: '"""', noComma: true };

/**
 * Returns changed lines between triple quotes. Returns undefined if that would hide the change (go-cmp v0.7,
 * FormatDiffSlice).
 */
export function inTripleQuotes(lines: readonly TextRecord[]): TextNode | undefined {
  const list = lines.map(asWritten);
  if (!list.every(isWritable) || hidesBlanks(list)) return;
  const last = list.at(-1);
  const shown = last?.sign === '' && last.value === '' ? list.slice(0, -1) : list;
  return { prefix: '(', value: [QUOTES, ...shown, QUOTES], suffix: ')' };
}

const asWritten = (record: TextRecord): TextRecord =>
  isElided(record) ? record : { ...record, value: withoutReturns(textOf(record)), noComma: true };

const isElided = ({ comment }: TextRecord): boolean => comment !== undefined;
const textOf = ({ value }: TextRecord): string => String(value);

const isWritable = (record: TextRecord): boolean =>
  isElided(record) || (!textOf(record).startsWith('"""') && isQuotableLine(textOf(record)));

/** True if a change is one of blanks only. */
function hidesBlanks(list: readonly TextRecord[]): boolean {
  const seen = { '-': new Set<string>(), '+': new Set<string>() };
  for (const record of list) {
    const { sign } = record;
    if (sign === '') {
      seen['-'].clear();
      seen['+'].clear();
      continue;
    }
    const bare = textOf(record).replace(/\s/g, '');
    if (seen[sign === '-' ? '+' : '-'].has(bare)) return true;
    seen[sign].add(bare);
  }
  return false;
}
