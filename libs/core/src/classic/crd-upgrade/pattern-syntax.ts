/** A regular expression as a tree; `char` decides about one code point. */
export type PatternNode =
  | Readonly<{ kind: 'char'; test: (char: string) => boolean }>
  | Readonly<{ kind: 'start' }>
  | Readonly<{ kind: 'end' }>
  | Readonly<{ kind: 'sequence'; parts: readonly PatternNode[] }>
  | Readonly<{ kind: 'choice'; parts: readonly PatternNode[] }>
  | Readonly<{ kind: 'repeat'; part: PatternNode; min: number; max: number }>;

/** Go refuses to repeat more often than this. */
const MAX_REPEAT = 1_000;
const MAX_NESTING = 100;

class Unsupported extends Error {}

/**
 * Reads Go's (RE2's) syntax, as far as schemas use it; undefined for unsupported syntax (flags, \b, \p{…}).
 */
export function parsePattern(source: string): PatternNode | undefined {
  try {
    const reader = new PatternReader([...source]);
    const tree = reader.choice(0);
    return reader.done ? tree : undefined;
  } catch (error) {
    if (error instanceof Unsupported || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

const CLASS_ESCAPE = /^[dDwWsS]$/;
const PLAIN_ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', f: '\f', v: '\v', a: '\x07' };

const literal = (wanted: string): PatternNode => ({ kind: 'char', test: (char) => char === wanted });

/**
 * One code point against a class, by the language's own matcher: a single code point
 * cannot make it backtrack.
 */
function classOf(source: string): PatternNode {
  const expression = new RegExp(`^${source}$`, 'u');
  return { kind: 'char', test: (char) => expression.test(char) };
}

class PatternReader {
  #at = 0;
  constructor(readonly chars: readonly string[]) {}

  get done(): boolean {
    return this.#at >= this.chars.length;
  }

  choice(depth: number): PatternNode {
    if (depth > MAX_NESTING) throw new Unsupported();
    const parts = [this.#sequence(depth)];
    while (this.#take('|')) parts.push(this.#sequence(depth));
    const [only] = parts;
    return parts.length === 1 && only !== undefined ? only : { kind: 'choice', parts };
  }

  #sequence(depth: number): PatternNode {
    const parts: PatternNode[] = [];
    while (!this.done && this.chars[this.#at] !== '|' && this.chars[this.#at] !== ')') {
      parts.push(this.#repeated(this.#atom(depth)));
    }
    return { kind: 'sequence', parts };
  }

  #take(char: string): boolean {
    if (this.chars[this.#at] !== char) return false;
    this.#at += 1;
    return true;
  }

  #repeated(part: PatternNode): PatternNode {
    const bounds = this.#bounds();
    if (bounds === undefined) return part;
    this.#take('?'); // lazy or not makes no difference to whether something matches
    return { kind: 'repeat', part, ...bounds };
  }

  #bounds(): { min: number; max: number } | undefined {
    if (this.#take('*')) return { min: 0, max: Number.POSITIVE_INFINITY };
    if (this.#take('+')) return { min: 1, max: Number.POSITIVE_INFINITY };
    if (this.#take('?')) return { min: 0, max: 1 };
    if (this.chars[this.#at] !== '{') return undefined;
    const found = /^\{(\d+)(,(\d*))?\}/.exec(this.chars.slice(this.#at, this.#at + 16).join(''));
    if (found === null) return undefined; // a brace that counts nothing stands for itself
    this.#at += found[0].length;
    const min = Number(found[1]);
    const max = found[2] === undefined ? min : found[3] === '' ? Number.POSITIVE_INFINITY : Number(found[3]);
    if (min > MAX_REPEAT || (max !== Number.POSITIVE_INFINITY && max > MAX_REPEAT)) throw new Unsupported();
    return { min, max };
  }

  #atom(depth: number): PatternNode {
    const char = this.chars[this.#at] ?? '';
    this.#at += 1;
    if (char === '(') return this.#group(depth);
    if (char === '[') return this.#class();
    if (char === '\\') return this.#escape();
    if (char === '^') return { kind: 'start' };
    if (char === '$') return { kind: 'end' };
    if (char === '.') return { kind: 'char', test: (one) => one !== '\n' };
    if (char === '*' || char === '+' || char === '?') throw new Unsupported();
    return literal(char);
  }

  #group(depth: number): PatternNode {
    if (this.#take('?') && !this.#take(':')) {
      this.#take('P');
      if (!this.#take('<')) throw new Unsupported();
      while (!this.#take('>')) if (this.#at++ >= this.chars.length) throw new Unsupported();
    }
    const inside = this.choice(depth + 1);
    if (!this.#take(')')) throw new Unsupported();
    return inside;
  }

  #escape(): PatternNode {
    const char = this.chars[this.#at] ?? '';
    this.#at += 1;
    if (CLASS_ESCAPE.test(char)) return classOf(`\\${char}`);
    if (char === 'A') return { kind: 'start' };
    if (char === 'z') return { kind: 'end' };
    if (Object.hasOwn(PLAIN_ESCAPES, char)) return literal(PLAIN_ESCAPES[char] ?? '');
    if (char === '' || /[0-9A-Za-z]/.test(char)) throw new Unsupported();
    return literal(char);
  }

  #class(): PatternNode {
    let text = '[';
    if (this.#take('^')) text += '^';
    for (let first = true; ; first = false) {
      const char = this.chars[this.#at];
      if (char === undefined) throw new Unsupported();
      this.#at += 1;
      if (char === ']' && !first) return classOf(`${text}]`);
      text += char === '\\' ? this.#escapeInClass() : this.#plainInClass(char);
    }
  }

  #escapeInClass(): string {
    const char = this.chars[this.#at] ?? '';
    this.#at += 1;
    if (CLASS_ESCAPE.test(char) || /[nrtfv\\\]^-]/.test(char)) return `\\${char}`;
    if (char === '' || /[0-9A-Za-z]/.test(char)) throw new Unsupported();
    return /[[\]/(){}*+?.|$]/.test(char) ? `\\${char}` : char;
  }

  #plainInClass(char: string): string {
    if (char === '[' && this.chars[this.#at] === ':') throw new Unsupported();
    return char === '[' || char === ']' ? `\\${char}` : char;
  }
}
