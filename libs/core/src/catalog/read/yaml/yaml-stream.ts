import { Buffer } from 'node:buffer';
import { BlobError } from '../../model/catalog-load.error.js';
import { type ByteWindow, countNewlines, MAX_DOCUMENT_VALUES } from '../bytes/byte-window.js';
import { GO_SPACE } from '../bytes/go-space.js';
import type { StreamedValue, StreamOptions } from '../bytes/streamed-value.js';
import { linesOfPlainAscii, yamlText } from '../bytes/utf8-text.js';
import { parseAsciiYaml, parseStrictYaml, parseYamlDocument } from './yaml-document.js';

const SEPARATOR = '---';
const NEWLINE = 0x0a;

/**
 * Reads the documents of a YAML stream. A separator ends a document that has begun and otherwise opens one.
 * So two in a row are harmless and a third makes an empty document, which is null. Throws {@link BlobError}.
 */
export function* readYaml(window: ByteWindow, options: StreamOptions = {}): Generator<StreamedValue> {
  for (;;) {
    let end = nextSeparator(window, 0);
    if (end === 0) {
      afterSeparator(window, end);
      end = nextSeparator(window, 1);
    }
    if (end === undefined) break;
    const next = afterSeparator(window, end);
    const lines = linesOfPlainAscii(window.unread.subarray(0, end));
    yield document(window, end, lines !== undefined, options);
    window.drop(next, lines === undefined ? undefined : { bytes: end, lines });
  }
  const { unread } = window;
  if (unread.length > 0) yield document(window, unread.length, linesOfPlainAscii(unread) !== undefined, options);
}

function document(
  window: ByteWindow,
  end: number,
  isAscii: boolean,
  { uniqueKeys = false }: StreamOptions,
): StreamedValue {
  if (end > MAX_DOCUMENT_VALUES) boundValues(window, end);
  const { line } = window;
  const bytes = window.unread.subarray(0, end);
  const text = isAscii ? endedLine(bytes.toString('latin1')) : yamlText(ofLines(bytes), line);
  const parse = uniqueKeys ? parseStrictYaml : isAscii ? parseAsciiYaml : parseYamlDocument;
  return { value: parse(text, line), line, format: 'yaml' };
}

/** Returns the text with a line feed at its end: Kubernetes' reader of lines adds one. */
const endedLine = (text: string): string => (text.endsWith('\n') ? text : `${text}\n`);

/**
 * Returns the bytes as Kubernetes' reader of lines gives them: a line ends in a line feed, and never in two
 * characters.
 */
function ofLines(bytes: Buffer): Buffer {
  const lines = bytes.includes('\r\n')
    ? Buffer.from(bytes.toString('latin1').replaceAll('\r\n', '\n'), 'latin1')
    : bytes;
  return lines.at(-1) === NEWLINE ? lines : Buffer.concat([lines, Buffer.from('\n')]);
}

/** Characters before or behind a value in any style. A text with too many of them is no blob either. */
const MARKS = new Set(Buffer.from('\n,[{-'));

function boundValues({ unread, line }: ByteWindow, end: number): void {
  let values = 0;
  for (let at = 0; at < end; at += 1) if (MARKS.has(unread[at] ?? 0)) values += 1;
  if (values <= MAX_DOCUMENT_VALUES) return;
  const why = `document has more than ${MAX_DOCUMENT_VALUES} lines or values`;
  throw new BlobError(`error converting YAML to JSON: yaml: ${why}`, line);
}

/**
 * Returns the start of the next line at or behind `from` with the separator. Takes in chunks until there is
 * one, or the end.
 */
function nextSeparator(window: ByteWindow, from: number): number | undefined {
  if (from === 0) {
    let more = true;
    while (more && window.unread.length < SEPARATOR.length) more = window.more();
    if (window.unread.toString('latin1', 0, SEPARATOR.length) === SEPARATOR) return 0;
  }
  for (let searched = Math.max(from - 1, 0); ; ) {
    const at = window.unread.indexOf(`\n${SEPARATOR}`, searched);
    if (at >= 0) return at + 1;
    searched = Math.max(searched, window.unread.length - SEPARATOR.length);
    if (!window.more()) return undefined;
  }
}

const OUTER_SPACE = new RegExp(`^${GO_SPACE}+|${GO_SPACE}+$`, 'g');

/**
 * Returns the offset of the line behind a separator. On the separator's own line only blanks and a comment
 * may follow.
 */
function afterSeparator(window: ByteWindow, at: number): number {
  const from = at + SEPARATOR.length;
  let end = window.unread.indexOf(NEWLINE, from);
  while (end < 0 && window.more()) end = window.unread.indexOf(NEWLINE, from);
  const trailer = window.unread.toString('utf8', from, end < 0 ? undefined : end).replaceAll(OUTER_SPACE, '');
  if (trailer !== '' && !trailer.startsWith('#')) {
    const line = window.line + countNewlines(window.unread, 0, at);
    throw new BlobError(`invalid Yaml document separator: ${trailer}`, line);
  }
  return end < 0 ? window.unread.length : end + 1;
}
