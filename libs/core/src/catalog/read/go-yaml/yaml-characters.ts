// Classes of characters as go-yaml has them. The end of a text is NUL: YAML does not allow it elsewhere.

export const TAB = 0x09;
export const LINE_FEED = 0x0a;
export const RETURN = 0x0d;
export const BLANK = 0x20;
export const BANG = 0x21;
export const QUOTE = 0x22;
export const HASH = 0x23;
export const PERCENT = 0x25;
export const AMPERSAND = 0x26;
export const APOSTROPHE = 0x27;
export const STAR = 0x2a;
export const PLUS = 0x2b;
export const COMMA = 0x2c;
export const DASH = 0x2d;
export const DOT = 0x2e;
export const ZERO = 0x30;
export const COLON = 0x3a;
export const LESS = 0x3c;
export const GREATER = 0x3e;
export const QUESTION = 0x3f;
export const AT = 0x40;
export const OPEN_LIST = 0x5b;
export const BACKSLASH = 0x5c;
export const CLOSE_LIST = 0x5d;
export const BACKTICK = 0x60;
export const OPEN_OBJECT = 0x7b;
export const BAR = 0x7c;
export const CLOSE_OBJECT = 0x7d;
export const BYTE_ORDER_MARK = 0xfeff;

const NEXT_LINE = 0x85;
const LINE_SEPARATOR = 0x2028;
const PARAGRAPH_SEPARATOR = 0x2029;

export const isEnd = (code: number): boolean => code === 0;

export const isBlank = (code: number): boolean => code === BLANK || code === TAB;

/** True for the line ends of YAML 1.1. */
export const isBreak = (code: number): boolean =>
  code === LINE_FEED ||
  code === RETURN ||
  code === NEXT_LINE ||
  code === LINE_SEPARATOR ||
  code === PARAGRAPH_SEPARATOR;

export const isBreakOrEnd = (code: number): boolean => isEnd(code) || isBreak(code);

export const isBlankOrEnd = (code: number): boolean => isBlank(code) || isBreakOrEnd(code);

export const isDigit = (code: number): boolean => code >= ZERO && code <= 0x39;

/** True for characters of anchors and of handles of tags. */
export const isWord = (code: number): boolean =>
  (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || isDigit(code) || code === 0x5f || code === DASH;

/** True for the line ends that stay as they are within scalars; all others become a line feed. */
export const staysInScalars = (code: number): boolean => code === LINE_SEPARATOR || code === PARAGRAPH_SEPARATOR;
