import { SeededDraws } from '#testing/seeded-draws';
import * as marks from './odd-marks.js';
import * as scalars from './odd-scalars.js';

const parts = { ...scalars, ...marks };

/**
 * An odd YAML text for a seed, the same for the same seed. Two fifths keep to forms that go-yaml takes; the
 * others have forms that it refuses, and damaged places. Most begin with the anchors `a` and `b`.
 */
export function oddYaml(seed: number): string {
  return new OddYaml(seed).text().toWellFormed();
}

const SIMPLE = ['a', 'b', 'c', '1', 'x', 'true', 'foo bar', '"q"', "'s'", 'n', '-1', '1.5', 'null', '""'];
/** A key may have 1024 characters. */
const LONG = `long🐙${'x'.repeat(1100)}`;
const ANCHORS = 'm: &a {x: 1, y: 2}\nk: &b {x: 2, z: 3}\n';

class OddYaml {
  readonly #draws: SeededDraws;
  /** How often something odd is drawn; 0 for a text that keeps to forms that go-yaml takes. */
  readonly #odd: number;

  constructor(seed: number) {
    this.#draws = new SeededDraws(seed);
    this.#odd = this.#draws.oneOf([0, 0, 0, 0.02, 0.05, 0.15, 0.4]);
  }

  text(): string {
    let text = this.#chance(0.03) ? '\ufeff' : '';
    if (this.#chance(0.15)) text += this.#one(parts.BEFORE.slice(0, 3), parts.BEFORE);
    if (this.#chance(0.5)) text += ANCHORS;
    text += this.#body();
    if (this.#chance(0.05)) text += this.#draws.oneOf(parts.BEHIND);
    if (this.#odd > 0 && this.#chance(0.5)) text = this.#damaged(text);
    return this.#chance(0.1) ? text.trimEnd() : text;
  }

  #chance(share: number): boolean {
    return this.#draws.next() < share;
  }

  /** True now and then in a text that may be odd. */
  #isOdd(share: number): boolean {
    return this.#odd > 0 && this.#chance(share * this.#odd * 4);
  }

  #one<T>(safe: readonly T[], any: readonly T[]): T {
    return this.#draws.oneOf(this.#odd === 0 ? safe : any);
  }

  #some(count: number, draw: () => string): string {
    return Array.from({ length: this.#draws.between(0, count) }, draw).join('');
  }

  #body(): string {
    const form = this.#draws.next();
    if (form < 0.75) return this.#mapping(this.#isOdd(0.5) ? this.#draws.between(0, 2) : 0, 3);
    if (form < 0.82) return this.#sequence(0, 3);
    if (form < 0.87) return this.#scalar() + this.#lineEnd();
    return form < 0.92 || this.#odd === 0 ? this.#flow(3) + this.#lineEnd() : this.#soup();
  }

  #lineEnd(): string {
    if (this.#odd === 0) return this.#draws.oneOf(parts.SAFE_LINE_ENDS);
    return this.#isOdd(0.3) ? this.#draws.oneOf(parts.LINE_ENDS) : '\n';
  }

  #margin(column: number): string {
    const shift = this.#isOdd(0.15) ? this.#draws.between(-2, 2) : 0;
    return ' '.repeat(Math.max(0, column + shift)) + (this.#isOdd(0.03) ? '\t' : '');
  }

  #properties(): string {
    const anchors = ['&a\n ', '&é ', '&a-b_1 ', '&a', '&a: ', '&1 ', '& '];
    const anchor = this.#chance(0.06 + this.#odd / 3) ? this.#one(['&a ', '&b '], ['&a ', '&b ', ...anchors]) : '';
    const tag = this.#chance(0.06 + this.#odd / 3) ? this.#one(parts.SAFE_TAGS, parts.TAGS) : '';
    return this.#chance(0.5) ? anchor + tag : tag + anchor;
  }

  #alias(): string {
    return this.#one(['*a', '*b'], ['*a', '*b', '*a ', '*c', '*a,', '*a:', '*', '*é']);
  }

  #plain(): string {
    const word = this.#one(parts.SAFE_WORDS, parts.WORDS);
    if (this.#chance(0.85)) return word;
    const safe = [' ', '\n      ', '\n\n        ', ' \n      '];
    const any = [' ', '', '\n', '\n  ', '\n    ', '\n\n   ', '\t', '\n\t', '\n # c\n  ', ' # c\n   '];
    return word + this.#one(safe, any) + this.#one(parts.SAFE_WORDS, parts.WORDS);
  }

  #double(): string {
    const text = this.#some(5, () => this.#one(parts.SAFE_DOUBLE, parts.DOUBLE));
    return `"${text}${this.#isOdd(0.04) ? '' : '"'}`;
  }

  #single(): string {
    const text = this.#some(5, () => this.#one(parts.SAFE_SINGLE, parts.SINGLE));
    return `'${text}${this.#isOdd(0.04) ? '' : "'"}`;
  }

  #scalar(): string {
    const form = this.#draws.next();
    if (form < 0.4) return this.#draws.oneOf(SIMPLE);
    if (form < 0.7) return this.#plain();
    return form < 0.85 ? this.#double() : this.#single();
  }

  #flow(depth: number): string {
    if (depth === 0 || this.#chance(0.4)) {
      const properties = this.#chance(0.15) ? this.#properties() : '';
      return properties + (this.#chance(0.05) ? this.#alias() : this.#scalar());
    }
    const isMapping = this.#chance(0.5);
    const space = () => this.#draws.oneOf(parts.FLOW_SPACES);
    const count = this.#draws.between(0, 3);
    const items = Array.from({ length: count }, () => space() + this.#flowItem(depth - 1, isMapping) + space());
    const text = items.join(this.#isOdd(0.03) ? ' ' : ',') + (count > 0 && this.#chance(0.12) ? ',' : '') + space();
    const close = this.#isOdd(0.1) ? '' : isMapping ? '}' : ']';
    return (this.#chance(0.1) ? this.#properties() : '') + (isMapping ? '{' : '[') + text + close;
  }

  #flowItem(depth: number, isMapping: boolean): string {
    if (isMapping && this.#chance(0.06)) return `<<: ${this.#one(parts.MERGED, [...parts.MERGED, 'x', '[[*a]]'])}`;
    if (this.#chance(isMapping ? 0.12 : 0.85)) return this.#flow(depth);
    const mark = this.#chance(0.1) ? `?${this.#one([' '], [' ', '', '\n'])}` : '';
    const colon = this.#one([': ', ':\n', ' : '], [': ', ': ', ':', ' : ', ':\n', ': # c\n', ' :']);
    const key = this.#odd === 0 ? this.#draws.oneOf(SIMPLE) : this.#chance(0.93) ? this.#flow(depth) : '';
    return `${mark}${key}${colon}${this.#chance(0.1) ? '' : this.#flow(depth)}`;
  }

  #block(column: number): string {
    const margin = Math.max(0, column + this.#one([2], [2, 2, 2, 1, 3, 0, -1, 4]));
    const line = () => {
      const deeper = this.#one([0, 0, 1, 2], [0, 0, 0, 1, 2, -1]);
      const blanks = this.#isOdd(0.2) ? '' : ' '.repeat(Math.max(0, margin + deeper));
      return blanks + this.#draws.oneOf(parts.BLOCK_LINES) + this.#lineEnd();
    };
    const header = this.#draws.oneOf(['|', '>']) + this.#one(parts.SAFE_HEADERS, parts.HEADERS);
    return `${header}\n${this.#some(4, line)}`;
  }

  #key(): string {
    const form = this.#draws.next();
    if (form < 0.6) return this.#draws.oneOf(SIMPLE);
    if (form < 0.602) return LONG.slice(0, this.#draws.between(1022, 1026));
    if (this.#odd === 0) return form < 0.9 ? this.#draws.oneOf(parts.SAFE_WORDS) : '&k q';
    if (form < 0.85) return this.#scalar();
    return form < 0.9 ? `${this.#properties()}${this.#scalar()}` : form < 0.95 ? `${this.#alias()} ` : this.#flow(1);
  }

  /** Draws the node behind a dash or a colon in the given column. */
  #node(column: number, depth: number): string {
    const form = this.#draws.next();
    if (depth === 0 || form < 0.35) {
      const properties = this.#chance(0.15) ? this.#properties() : '';
      return ` ${properties}${this.#chance(0.06) ? this.#alias() : this.#scalar()}${this.#lineEnd()}`;
    }
    if (form < 0.5) return ` ${this.#flow(3)}${this.#lineEnd()}`;
    if (form < 0.62) return ` ${this.#chance(0.1) ? this.#properties() : ''}${this.#block(column)}`;
    if (form < 0.67) return this.#lineEnd();
    const head = (this.#chance(0.1) ? ` ${this.#properties()}` : '') + this.#lineEnd();
    if (form < 0.84) return head + this.#mapping(column + this.#one([2, 2, 1, 4], [2, 2, 2, 1, 4, 0]), depth - 1);
    return head + this.#sequence(column + this.#one([2, 1], [2, 2, 0, 0, 1]), depth - 1);
  }

  #mapping(column: number, depth: number): string {
    return this.#draws.next() < 0.3
      ? this.#member(column, depth)
      : this.#member(column, depth) + this.#member(column, depth);
  }

  #member(column: number, depth: number): string {
    const margin = this.#margin(column);
    const form = this.#draws.next();
    if (form < 0.07) {
      const key = this.#chance(0.3) ? this.#mapping(column + 2, 0).trimStart() : this.#key() + this.#lineEnd();
      return `${margin}? ${key}${this.#chance(0.8) ? `${this.#margin(column)}:${this.#node(column, depth)}` : ''}`;
    }
    if (form < 0.13) {
      const merge = this.#one(
        ['<<', '!!merge <<', '"<<"', '! <<'],
        ['<<', "'<<'", '!!str <<', '&a <<', '!!merge "<<"'],
      );
      const merged = this.#one(parts.MERGED, [...parts.MERGED, 'x', '', '[[*a]]']);
      return `${margin}${merge}: ${merged}${this.#lineEnd()}`;
    }
    const colon = this.#one([':'], [':', ':', ':', ':', ' :', '\t:', ' : #']);
    return margin + this.#key() + colon + this.#node(column, depth);
  }

  #sequence(column: number, depth: number): string {
    const item = () => {
      const dash = `${this.#margin(column)}-`;
      const form = this.#draws.next();
      if (form < 0.15)
        return `${dash}${this.#one([' ', '  '], [' ', '\t'])}${this.#sequence(column + 2, 0).trimStart()}`;
      if (form < 0.4 && depth > 0) return `${dash} ${this.#mapping(column + 2, depth - 1).trimStart()}`;
      return dash + this.#node(column, depth);
    };
    return item() + this.#some(2, item);
  }

  /** Lines that do not belong together. */
  #soup(): string {
    const heads = [
      '',
      '- ',
      '- - ',
      'k: ',
      'k:',
      '? ',
      ': ',
      '- k: ',
      '"k": ',
      '#',
      '[',
      ']',
      '{',
      '}',
      '-',
      '%',
      '!t ',
    ];
    const tails = ['"a', 'b"', "'c", "d'", '|', '>', '|-', '>+', '?', ':', '- a', ', b', ']', '}', '*a', '&a '];
    return this.#some(7, () => {
      const tail = this.#chance(0.5) ? this.#scalar() : this.#chance(0.5) ? this.#flow(2) : this.#draws.oneOf(tails);
      return ' '.repeat(this.#draws.between(0, 4)) + this.#draws.oneOf(heads) + tail + this.#lineEnd();
    });
  }

  /** The text with a few characters lost or added. */
  #damaged(text: string): string {
    let left = text;
    for (let count = this.#draws.between(1, 3); count > 0; count -= 1) {
      const from = this.#draws.between(0, left.length);
      const lost = this.#chance(0.5) ? this.#draws.between(0, 2) : 0;
      left = left.slice(0, from) + this.#draws.oneOf(parts.DAMAGE) + left.slice(from + lost);
    }
    return left;
  }
}
