import { byCodeUnit } from '../canonical/canonical-json.js';
import { goFloat } from '../json/go-float.js';
import { isPrintable } from '../versions/go-quote.js';
import { type FormatOptions, oneLess, plainEntries, verbosityOf } from './format-options.js';
import { formatString } from './go-literal.js';
import { elements, entries, fieldOf, type GoStruct, type GoType, type GoValue, isZero } from './go-type.js';
import { ELLIPSIS, type Sign, type TextNode, type TextRecord } from './text-node.js';

/** Writes one value as a Go literal (go-cmp v0.7, FormatValue). */
export function formatValue(options: FormatOptions, type: GoType, value: GoValue): TextNode {
  switch (type.kind) {
    case 'string':
      return formatType(options, type, formatText(options, value as string));
    case 'bool':
      return formatType(options, type, String(value));
    case 'number':
      return formatType(options, type, type.name === 'float64' ? goFloat(value as number) : String(value));
    case 'byte':
      return formatType(options, type, hex(value as number));
    case 'bytes':
      return formatType(options, type, formatBytes(options, value as string | undefined));
    case 'pointer':
      return formatPointer(options, type, value);
    case 'struct':
      return formatType(options, type, formatStruct(options, type, value));
    case 'slice':
      return formatType(options, type, formatElements(options, type.of(), value));
    default:
      return formatType(options, type, formatEntries(options, type.of(), value));
  }
}

/** Returns `node` with its type in front of it, if the mode asks for it. */
export function formatType({ types, diff }: FormatOptions, type: GoType, node: TextNode): TextNode {
  if (types === 'elide') return node;
  if (types === 'auto') {
    const isComposite = ['struct', 'slice', 'map', 'bytes'].includes(type.kind);
    if (!isComposite || node === 'nil' || diff === 'identical') return node;
  }
  return { prefix: type.name, value: inParentheses(node), suffix: '' };
}

function inParentheses(node: TextNode): TextNode {
  const isClosed =
    typeof node !== 'string' &&
    'prefix' in node &&
    ((node.prefix.startsWith('(') && node.suffix.endsWith(')')) ||
      (node.prefix.startsWith('{') && node.suffix.endsWith('}')));
  return isClosed ? node : { prefix: '(', value: node, suffix: ')' };
}

export const inBraces = (list: readonly TextRecord[]): TextNode => ({ prefix: '{', value: list, suffix: '}' });
export const ELLIPSIS_RECORD: TextRecord = { sign: '', key: '', value: ELLIPSIS, noComma: true };

const formatPointer = (options: FormatOptions, type: GoType & { kind: 'pointer' }, value: GoValue): TextNode => {
  if (value === undefined) return formatType(options, type, 'nil');
  if (type.text !== undefined && !options.avoidStringer) return formatText(options, type.text(value as GoStruct), 's');
  return { prefix: '&', value: formatValue(options, type.to(), value), suffix: '' };
};

function formatStruct(options: FormatOptions, type: GoType & { kind: 'struct' }, value: GoValue): TextNode {
  const inner: FormatOptions = { ...oneLess(options), types: 'auto' };
  const fields = type.fields.filter((field) => !isZero(field.type, fieldOf(value, field.name)));
  return limited(fields, plainEntries(options), (field) => {
    return entry(field.name, formatValue(inner, field.type, fieldOf(value, field.name)));
  });
}

function formatElements(options: FormatOptions, type: GoType, value: GoValue): TextNode {
  if (value === undefined) return 'nil';
  const inner: FormatOptions = { ...oneLess(options), types: 'elide' };
  return limited(elements(value), plainEntries(options), (one) => entry('', formatValue(inner, type, one)));
}

function formatEntries(options: FormatOptions, type: GoType, value: GoValue): TextNode {
  if (value === undefined) return 'nil';
  const inner: FormatOptions = { ...oneLess(options), types: 'elide' };
  const sorted = [...entries(value)].sort(([a], [b]) => byCodeUnit(a, b));
  return limited(sorted, plainEntries(options), ([key, one]) => entry(mapKey(key), formatValue(inner, type, one)));
}

/** Writes text in bytes as text. */
function formatBytes(options: FormatOptions, value: string | undefined): TextNode {
  return value === undefined ? 'nil' : value === '' ? inBraces([]) : formatText(options, value);
}

function limited<T>(all: readonly T[], limit: number, write: (one: T) => TextRecord): TextNode {
  const list = all.slice(0, limit).map(write);
  return inBraces(all.length > limit ? [...list, ELLIPSIS_RECORD] : list);
}

const entry = (key: string, value: TextNode): TextRecord => ({ sign: '', key, value });

/** Returns a key of a map: a quoted text, cut if it is very long. */
export const mapKey = (key: string): string => clipped(key, 2048, '');

/** Writes a byte as Go does: `0x0a`. */
const hex = (value: number): string => `0x${value.toString(16).padStart(2, '0')}`;

function formatText(options: FormatOptions, value: string, prefix = ''): TextNode {
  const longest = (1 << verbosityOf(options)) << 5;
  const lines = value.replace(/\n$/, '').split('\n').map(withoutReturns);
  const isChange = options.diff === 'removed' || options.diff === 'inserted';
  if (isChange && lines.length >= 4 && lines.every((line) => line.length <= longest && isPlainLine(line, prefix))) {
    return inTripleQuotes(lines, (1 << verbosityOf(options)) << 2, options.diff === 'removed' ? '-' : '+', prefix);
  }
  return clipped(value, longest, prefix);
}

const clipped = (value: string, longest: number, prefix: string): string =>
  value.length > longest + ELLIPSIS.length
    ? prefix + formatString(value.slice(0, longest)) + ELLIPSIS
    : prefix + formatString(value);

const isPlainLine = (line: string, prefix: string): boolean =>
  !(line.startsWith(prefix) ? line.slice(prefix.length) : line).startsWith('"""') && isQuotableLine(line);

/** Returns a line of text between triple quotes without the ends of Windows lines. */
export const withoutReturns = (line: string): string => line.replace(/\r$/, '').replace(/^\r/, '');

/** True for a line that may stand between triple quotes, apart from its beginning. */
export const isQuotableLine = (line: string): boolean =>
  !line.startsWith(ELLIPSIS) && [...line].every((char) => char === '\t' || isPrintable(char));

function inTripleQuotes(lines: readonly string[], most: number, sign: Sign, prefix: string): TextNode {
  const line = (value: string, comment?: string): TextRecord => ({
    sign,
    key: '',
    value,
    noComma: true,
    ...(comment === undefined ? {} : { comment }),
  });
  const left = lines.length - (most - 1);
  const shown = left > 1 ? lines.slice(0, most - 1) : lines;
  const elided = left > 1 ? [line(ELLIPSIS, `${left} elided lines`)] : [];
  const quotes = line(`${prefix}"""`);
  return { prefix: '(', value: [quotes, ...shown.map((text) => line(text)), ...elided, quotes], suffix: ')' };
}
