import { ABSENT, type Compared, type ComparedRecord } from './compare-values.js';
import { type DiffStats, differing, leftOut, NO_STATS, together } from './diff-stats.js';
import {
  ATTEMPTS,
  type DiffMode,
  type FormatOptions,
  moreVerbose,
  oneLess,
  plainEntries,
  verbosityOf,
} from './format-options.js';
import { canFormatTexts, formatTexts } from './format-texts.js';
import { ELLIPSIS_RECORD, formatType, formatValue, inBraces, mapKey } from './format-value.js';
import { isZero } from './go-type.js';
import { isSameText, type TextNode, type TextRecord } from './text-node.js';

/** Equal neighbours of a change that are written with it. */
const CONTEXT = 2;

/** Returns a comparison as text. Returns undefined if there is no value (go-cmp v0.7, FormatDiff). */
export function formatDiff(asked: FormatOptions, compared: Compared): TextNode | undefined {
  const options = withVerbosity(asked);
  const { type } = compared;
  if (canFormatTexts(options, compared)) return formatTexts(options, compared);
  if (compared.depth === 0 || (type.kind === 'bytes' && compared.different === 0)) return formatLeaf(options, compared);
  if (compared.target === undefined) return formatType(options, type, inBraces(formatRecords(options, compared)));
  const target = formatDiff(options, compared.target);
  return target === undefined ? undefined : { prefix: '&', value: target, suffix: '' };
}

function withVerbosity(options: FormatOptions): FormatOptions {
  if (options.diff === 'identical') return { ...options, verbosity: 1 };
  return verbosityOf(options) < 3 ? { ...options, verbosity: 3 } : options;
}

function formatLeaf(options: FormatOptions, { type, x, y }: Compared): TextNode | undefined {
  const value = options.diff === 'inserted' ? y : x;
  return value === ABSENT ? undefined : formatValue(options, type, value);
}

const NAMES = { struct: 'field', map: 'entry' } as const;

function formatRecords(asked: FormatOptions, compared: Compared): readonly TextRecord[] {
  const { kind } = compared.type;
  const options: FormatOptions = { ...oneLess(asked), types: kind === 'struct' ? 'auto' : 'elide' };
  if (asked.diff !== 'difference') return formatOneSide(options, compared, mostRecords(asked));
  return formatBothSides(options, compared, mostRecords(asked));
}

const mostRecords = (options: FormatOptions): number =>
  options.diff === 'identical' ? plainEntries(options) : (1 << verbosityOf(options)) << 1;

function formatOneSide(options: FormatOptions, { type, records }: Compared, most: number): TextRecord[] {
  const list: TextRecord[] = [];
  for (const record of records) {
    if (list.length === most) return [...list, ELLIPSIS_RECORD];
    if (type.kind === 'struct' && isLeftOut(options.diff, record.value)) continue;
    const value = formatDiff(options, record.value);
    if (value !== undefined) list.push({ sign: '', key: keyOf(type, record), value });
  }
  return list;
}

/** Fields with Go's zero value. */
function isLeftOut(diff: DiffMode, { type, x, y }: Compared): boolean {
  const zero = (value: Compared['x']) => value !== ABSENT && isZero(type, value);
  if (diff === 'identical') return zero(x) || zero(y);
  return zero(diff === 'removed' ? x : y);
}

const keyOf = ({ kind }: Compared['type'], { key }: ComparedRecord): string =>
  kind === 'struct' ? key : kind === 'map' ? mapKey(key) : '';

function formatBothSides(options: FormatOptions, compared: Compared, most: number): TextRecord[] {
  const list: TextRecord[] = [];
  const groups = grouped(compared.records);
  let [at, printed, rest] = [0, 0, NO_STATS];
  for (const [index, stats] of groups.entries()) {
    if (printed >= most) {
      rest = together(rest, stats);
      continue;
    }
    const size = stats.identical + differing(stats);
    const records = compared.records.slice(at, at + size);
    at += size;
    printed += differing(stats);
    if (differing(stats) > 0) list.push(...records.flatMap((record) => formatChange(options, compared, record)));
    else list.push(...formatEqual(options, compared, records, index > 0, index < groups.length - 1));
  }
  return rest === NO_STATS ? list : [...list, leftOut(rest, nameOf(compared))];
}

const nameOf = ({ type }: Compared): string => NAMES[type.kind as keyof typeof NAMES] ?? 'element';

function formatEqual(
  options: FormatOptions,
  compared: Compared,
  records: readonly ComparedRecord[],
  hasBefore: boolean,
  hasAfter: boolean,
): TextRecord[] {
  const first = hasBefore ? Math.min(CONTEXT, records.length) : 0;
  const wanted = hasAfter ? Math.min(CONTEXT, records.length - first) : 0;
  const last = records.length - first - wanted === 1 ? wanted + 1 : wanted;
  const between = records.length - first - last;
  const write = (record: ComparedRecord): TextRecord => ({
    sign: '',
    key: keyOf(compared.type, record),
    value: formatDiff({ ...options, diff: 'identical' }, record.value) ?? 'nil',
  });
  return [
    ...records.slice(0, first).map(write),
    ...(between > 0 ? [leftOut({ ...NO_STATS, identical: between }, nameOf(compared))] : []),
    ...records.slice(records.length - last).map(write),
  ];
}

function formatChange(options: FormatOptions, { type }: Compared, record: ComparedRecord): TextRecord[] {
  const { value } = record;
  const key = keyOf(type, record);
  if (canFormatTexts(options, value)) return [{ sign: '', key, value: formatTexts(options, value) }];
  if (value.children !== value.depth) return [{ sign: '', key, value: formatDiff(options, value) ?? 'nil' }];
  const [removed, inserted] = distinguished(options, value);
  return [
    ...(removed === undefined ? [] : [{ sign: '-', key, value: removed } as const]),
    ...(inserted === undefined ? [] : [{ sign: '+', key, value: inserted } as const]),
  ];
}

function distinguished(options: FormatOptions, value: Compared): readonly (TextNode | undefined)[] {
  const both = (how: FormatOptions) => [
    formatDiff({ ...how, diff: 'removed' }, value),
    formatDiff({ ...how, diff: 'inserted' }, value),
  ];
  let texts = both(options);
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const [removed, inserted] = texts;
    if (removed === undefined || inserted === undefined || !isSameText(removed, inserted)) break;
    texts = both(moreVerbose(options, attempt));
  }
  return texts;
}

/** Neighbours of a kind, counted. */
function grouped(records: readonly ComparedRecord[]): DiffStats[] {
  const groups: DiffStats[] = [];
  for (const { value } of records) {
    const one = { ...NO_STATS, [countedAs(value)]: 1 };
    const last = groups.at(-1);
    if (last !== undefined && differing(last) > 0 === differing(one) > 0)
      groups[groups.length - 1] = together(last, one);
    else groups.push(one);
  }
  return groups;
}

function countedAs({ different, x, y }: Compared): keyof DiffStats {
  if (different === 0) return 'identical';
  return y === ABSENT ? 'removed' : x === ABSENT ? 'inserted' : 'modified';
}
