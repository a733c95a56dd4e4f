import { Buffer } from 'node:buffer';
import { BANG, GREATER, isBlank, isBlankOrEnd, isDigit, isWord, LESS, PERCENT, ZERO } from './yaml-characters.js';
import type { YamlCursor } from './yaml-cursor.js';
import type { YamlToken } from './yaml-token.js';

/** Reads a directive from its `%`, the current character, and the rest of its line. */
export function scanDirective(cursor: YamlCursor): YamlToken {
  const { mark } = cursor;
  cursor.at += 1;
  const name = scanWords(cursor);
  if (name === '') cursor.fail('could not find expected directive name');
  if (!isBlankOrEnd(cursor.code())) cursor.fail('found unexpected non-alphabetical character');
  const token: YamlToken =
    name === 'YAML'
      ? { kind: 'version-directive', mark, version: scanVersion(cursor) }
      : name === 'TAG'
        ? { kind: 'tag-directive', mark, ...scanTagDirective(cursor) }
        : cursor.fail('found unknown directive name');
  cursor.skipRestOfLine();
  return token;
}

function scanVersion(cursor: YamlCursor): string {
  cursor.skipBlanks();
  const major = scanNumber(cursor);
  if (cursor.text.charAt(cursor.at) !== '.') cursor.fail("did not find expected digit or '.' character");
  cursor.at += 1;
  return `${major}.${scanNumber(cursor)}`;
}

function scanNumber(cursor: YamlCursor): number {
  const start = cursor.at;
  let value = 0;
  for (; isDigit(cursor.code()); cursor.at += 1) {
    if (cursor.at - start === 2) cursor.fail('found extremely long version number');
    value = value * 10 + cursor.code() - ZERO;
  }
  if (cursor.at === start) cursor.fail('did not find expected version number');
  return value;
}

function scanTagDirective(cursor: YamlCursor): Readonly<{ handle: string; prefix: string }> {
  cursor.skipBlanks();
  const handle = scanHandle(cursor);
  if (handle !== '!' && !isHandle(handle)) cursor.fail("did not find expected '!'");
  if (!isBlank(cursor.code())) cursor.fail('did not find expected whitespace');
  cursor.skipBlanks();
  const prefix = scanUri(cursor, '');
  if (!isBlankOrEnd(cursor.code())) cursor.fail('did not find expected whitespace or line break');
  return { handle, prefix };
}

const isHandle = (text: string): boolean => text.length > 1 && text.endsWith('!');

/** Reads a tag from its `!`, the current character. */
export function scanTag(cursor: YamlCursor): YamlToken {
  const { mark } = cursor;
  const tag = cursor.code(1) === LESS ? verbatim(cursor) : shorthand(cursor);
  if (!isBlankOrEnd(cursor.code())) cursor.fail('did not find expected whitespace or line break');
  return { kind: 'tag', mark, ...tag };
}

type Tag = Readonly<{ handle: string; suffix: string }>;

function verbatim(cursor: YamlCursor): Tag {
  cursor.at += 2;
  const suffix = scanUri(cursor, '');
  if (cursor.code() !== GREATER) cursor.fail("did not find the expected '>'");
  cursor.at += 1;
  return { handle: '', suffix };
}

function shorthand(cursor: YamlCursor): Tag {
  const handle = scanHandle(cursor);
  if (isHandle(handle)) return { handle, suffix: scanUri(cursor, '') };
  const suffix = scanUri(cursor, handle);
  return suffix === '' ? { handle: '', suffix: '!' } : { handle: '!', suffix };
}

function scanHandle(cursor: YamlCursor): string {
  if (cursor.code() !== BANG) cursor.fail("did not find expected '!'");
  cursor.at += 1;
  const words = scanWords(cursor);
  if (cursor.code() !== BANG) return `!${words}`;
  cursor.at += 1;
  return `!${words}!`;
}

function scanWords(cursor: YamlCursor): string {
  const start = cursor.at;
  while (isWord(cursor.code())) cursor.at += 1;
  return cursor.text.slice(start, cursor.at);
}

const URI_CHARACTERS = new Set(Buffer.from(";/?:@&=+$,.!~*'()[]"));

/** Reads a part of a tag. `head` is the part already read, with a `!` in front. */
function scanUri(cursor: YamlCursor, head: string): string {
  let uri = head.slice(1);
  const start = cursor.at;
  for (;;) {
    const code = cursor.code();
    if (code === PERCENT) uri += scanUriEscape(cursor);
    else if (isWord(code) || URI_CHARACTERS.has(code)) {
      uri += String.fromCharCode(code);
      cursor.at += 1;
    } else break;
  }
  if (head === '' && cursor.at === start) cursor.fail('did not find expected tag URI');
  return uri;
}

const OCTET = /%([0-9a-fA-F]{2})/y;

/** Reads the escaped octets of one character. */
function scanUriEscape(cursor: YamlCursor): string {
  const octets: number[] = [];
  do {
    OCTET.lastIndex = cursor.at;
    const [, digits] = OCTET.exec(cursor.text) ?? cursor.fail('did not find URI escaped octet');
    octets.push(Number.parseInt(digits ?? '', 16));
    cursor.at += 3;
  } while (octets.length < (lengthOf(octets[0]) ?? cursor.fail('found an incorrect leading UTF-8 octet')));
  if (octets.slice(1).some((octet) => (octet & 0xc0) !== 0x80)) cursor.fail('found an incorrect trailing UTF-8 octet');
  return Buffer.from(octets).toString();
}

/**
 * Returns the number of octets of a character, given its first one. Returns undefined for an octet that is
 * never first.
 */
function lengthOf(first = 0): number | undefined {
  if (first < 0x80) return 1;
  if (first < 0xc0 || first >= 0xf8) return undefined;
  if (first < 0xe0) return 2;
  return first < 0xf0 ? 3 : 4;
}
