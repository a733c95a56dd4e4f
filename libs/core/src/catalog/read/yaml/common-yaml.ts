import { CommonScalars } from './common-yaml-scalars.js';
import { UNCOMMON } from './uncommon-yaml.js';

// The part of YAML that catalogs are written in: mappings and lists in block style, plain, quoted and literal
// scalars, lines of comments. `readGoYaml` reads everything, in about three times the time.

/** Result for a text that {@link readCommonYaml} does not read. */
export const NOT_COMMON = Symbol('not common YAML');

/**
 * Reads the value of a YAML document of common form: a mapping that begins in the first column. It is the
 * value that `loadFirstDocument` gives. Returns {@link NOT_COMMON} for every other text, well formed or not.
 * So it does for every form that is rare: anchors, aliases, tags, merges, flow collections that are not
 * empty, folded scalars, tabs, comments behind a value, several documents (decision 0151).
 */
export const readCommonYaml = (text: string): unknown =>
  UNUSUAL.test(text) || !text.isWellFormed() ? NOT_COMMON : readPrintableYaml(text);

/** Reads as {@link readCommonYaml} does. The text must have only characters that YAML allows. */
export function readPrintableYaml(text: string): unknown {
  const start = text.startsWith(BEGIN) ? BEGIN.length : 0;
  if (MARKS.some((mark) => text.startsWith(mark, start) || text.includes(`\n${mark}`))) return NOT_COMMON;
  try {
    return new BlockReader(text).document(start);
  } catch (error) {
    if (error === UNCOMMON) return NOT_COMMON;
    throw error;
  }
}

/** Characters that YAML forbids or treats specially: controls, other line ends, byte order marks. */
const UNUSUAL = /[^\t\n\x20-\x7e\u00a0-\u2027\u202a-\ufefe\uff00-\ufffd]/;
/** Marks that begin or end a document. */
const MARKS = ['---', '...'];
/** May stand before the document. */
const BEGIN = '---\n';

/** Most levels of nesting here. `readGoYaml` reads deeper ones, with a limit of its own. */
const MAX_COMMON_DEPTH = 60;

const BLANK = 0x20;
const QUOTE = 0x22;
const APOSTROPHE = 0x27;
const DASH = 0x2d;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const BAR = 0x7c;
const CLOSE_OBJECT = 0x7d;

/**
 * Reads collections. A node begins at `at` and ends at the next line with content; `margin` is then the
 * margin of that line.
 */
class BlockReader extends CommonScalars {
  #depth = 0;

  document(start: number): unknown {
    this.at = start;
    this.nextContent();
    if (this.margin !== 0) throw UNCOMMON;
    const value = this.#mapping(0);
    if (!this.isAtEnd) throw UNCOMMON;
    return value;
  }

  /** Reads a mapping from its first key at `at`, in the given column. */
  #mapping(column: number): unknown {
    this.#deeper();
    const mapping: Record<string, unknown> = {};
    for (;;) {
      const key = this.key();
      mapping[key] = this.#valueOfKey(column);
      if (this.margin !== column) break;
    }
    return this.#ended(mapping, column);
  }

  /** Reads a list from its first dash at `at`, in the given column. */
  #list(column: number): unknown {
    this.#deeper();
    const items: unknown[] = [];
    do items.push(this.#item(column));
    while (this.margin === column && this.#isDash());
    // A list below a key may stand at the column of the key: the next key ends it.
    if (this.margin === column) this.#depth -= 1;
    else this.#ended(items, column);
    return items;
  }

  #deeper(): void {
    this.#depth += 1;
    if (this.#depth > MAX_COMMON_DEPTH) throw UNCOMMON;
  }

  #ended<T>(collection: T, column: number): T {
    if (this.margin > column) throw UNCOMMON;
    this.#depth -= 1;
    return collection;
  }

  #isDash(): boolean {
    return this.text.charCodeAt(this.at) === DASH && this.text.charCodeAt(this.at + 1) === BLANK;
  }

  /** Reads the value after the colon at `at - 1`, of a key in the given column. */
  #valueOfKey(column: number): unknown {
    if (!this.atLineEnd()) return this.#scalarOrEmptyCollection(column);
    this.nextContent();
    if (this.margin > column) return this.#isDash() ? this.#list(this.margin) : this.#mapping(this.margin);
    return this.margin === column && this.#isDash() ? this.#list(column) : null;
  }

  /** Reads an item from its dash at `at`. */
  #item(column: number): unknown {
    const dash = this.at;
    this.at += 2;
    if (this.atLineEnd()) throw UNCOMMON;
    const inner = column + this.at - dash;
    if (this.#isDash()) return this.#list(inner);
    return this.atKey() ? this.#mapping(inner) : this.#scalarOrEmptyCollection(column);
  }

  #scalarOrEmptyCollection(column: number): unknown {
    switch (this.text.charCodeAt(this.at)) {
      case QUOTE:
      case APOSTROPHE:
        return this.quoted(column);
      case BAR:
        return this.literal(column);
      case OPEN_LIST:
        return this.#empty([], CLOSE_LIST);
      case OPEN_OBJECT:
        return this.#empty({}, CLOSE_OBJECT);
      default:
        return this.plain(column);
    }
  }

  #empty(collection: unknown, close: number): unknown {
    if (this.text.charCodeAt(this.at + 1) !== close) throw UNCOMMON;
    this.at += 2;
    this.endOfNode();
    return collection;
  }
}
