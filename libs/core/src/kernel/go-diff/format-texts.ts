import { goQuote } from '../versions/go-quote.js';
import { ABSENT, type Compared } from './compare-values.js';
import { differing, leftOut, NO_STATS, together } from './diff-stats.js';
import { editGroups, editsOf, groupSizes } from './edit-groups.js';
import { type FormatOptions, verbosityOf } from './format-options.js';
import { formatType, inBraces } from './format-value.js';
import { formatString } from './go-literal.js';
import { type Sign, type TextNode, type TextRecord } from './text-node.js';
import { inTripleQuotes } from './triple-quotes.js';

/** Texts this long are compared within. */
const MIN_LENGTH = 32;
const CONTEXT = 2;

/** True if only the changed parts of two texts are shown, not the whole (go-cmp v0.7, CanFormatDiffSlice). */
export function canFormatTexts({ diff }: FormatOptions, { type, x, y, same, different }: Compared): boolean {
  if (diff !== 'difference' || different === 0 || (type.kind !== 'string' && type.kind !== 'bytes')) return false;
  if (typeof x !== 'string' || typeof y !== 'string') return false;
  if (type.kind === 'bytes') {
    if (x === '' || y === '') return false;
    if (different > same) return true;
  }
  return x.length >= MIN_LENGTH && y.length >= MIN_LENGTH;
}

/** Lines that changed, or stretches of 64 characters (go-cmp v0.7, FormatDiffSlice). */
export function formatTexts(options: FormatOptions, { type, x, y }: Compared): TextNode {
  const [before, after] = [x, y].map((value) => (value === ABSENT ? '' : String(value))) as [string, string];
  const isText = type.kind === 'string';
  const ofType =
    isText && type.name === 'string' ? (node: TextNode) => node : (node: TextNode) => formatType(options, type, node);
  if (isLined(before, after)) {
    const lines = (write: (line: string) => string): TextRecord[] =>
      changes(options, before.split('\n'), after.split('\n'), 1, 'line', ([line]) => write(line ?? ''));
    const quoted = inTripleQuotes(lines((line) => line));
    if (quoted !== undefined) return isText ? ofType(quoted) : formatType({ ...options, types: 'emit' }, type, quoted);
    return joined(type.kind, inBraces(lines(formatString)), '"\\n"', ofType);
  }
  const parts = changes(options, [...before], [...after], 64, 'byte', (chars) => formatString(chars.join('')));
  return joined(type.kind, inBraces(parts), '""', isText ? ofType : (node) => node);
}

const joined = (kind: string, list: TextNode, by: string, ofType: (node: TextNode) => TextNode): TextNode =>
  ofType({ prefix: kind === 'string' ? 'strings.Join(' : 'bytes.Join(', value: list, suffix: `, ${by})` });

/**
 * True if texts are compared line by line. They are not if that makes much more of the change than comparing
 * characters.
 */
function isLined(before: string, after: string): boolean {
  const all = before + after;
  const lines = all.split('\n');
  if (lines.length < 5 || lines.slice(0, -1).some((line) => line.length > 1024)) return false;
  const [byLine, byChar] = [
    [before.split('\n'), after.split('\n')],
    [[...before], [...after]],
  ].map(([x, y]) => shareChanged(x ?? [], y ?? []));
  return (byLine ?? 0) < 4 * (byChar ?? 0) || goQuote(all).length / all.length > 1.1;
}

function shareChanged(x: readonly string[], y: readonly string[]): number {
  const edits = editsOf(x, y);
  return edits.filter((edit) => edit !== 'same').length / edits.length;
}

function changes(
  options: FormatOptions,
  x: readonly string[],
  y: readonly string[],
  size: number,
  name: string,
  write: (part: readonly string[]) => string,
): TextRecord[] {
  const list: TextRecord[] = [];
  const print = (part: readonly string[], sign: Sign): void => {
    for (let at = 0; at < part.length; at += size)
      list.push({ sign, key: '', value: write(part.slice(at, at + size)) });
  };
  const groups = editGroups(x, y, Math.floor(size / 4));
  const most = (1 << verbosityOf(options)) << 2;
  let [ix, iy, printed, rest] = [0, 0, 0, NO_STATS];
  for (const [index, stats] of groups.entries()) {
    const [nx, ny] = groupSizes(stats);
    const length = list.length;
    if (printed >= most) {
      rest = together(rest, stats);
    } else if (differing(stats) > 0) {
      print(x.slice(ix, ix + nx), '-');
      print(y.slice(iy, iy + ny), '+');
      printed += list.length - length;
    } else {
      const { first, last, between } = shownOf(nx, size, index > 0, index < groups.length - 1);
      print(x.slice(ix, ix + first), '');
      if (between > 0) list.push(leftOut({ ...NO_STATS, identical: between }, name));
      print(x.slice(ix + nx - last, ix + nx), '');
    }
    [ix, iy] = [ix + nx, iy + ny];
  }
  return rest === NO_STATS ? list : [...list, leftOut(rest, name)];
}

/** Returns how much of an equal stretch is written at its ends. A short middle part is written too. */
function shownOf(count: number, size: number, hasBefore: boolean, hasAfter: boolean) {
  const first = hasBefore ? Math.min(size * CONTEXT, count) : 0;
  const wanted = hasAfter ? Math.min(size * CONTEXT, count - first) : 0;
  const last = count - first - wanted <= size ? count - first : wanted;
  return { first, last, between: count - first - last };
}
