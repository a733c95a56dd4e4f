/** Longest pattern that is tried; a longer one matches nothing. */
const MAX_PATTERN = 4096;

type Token = Readonly<{ kind: 'star' } | { kind: 'one'; accepts: (character: string) => boolean }>;

/**
 * Compiles a pattern of Go's filepath.Match for one path component: `*`, `?`, `[a-z]`, `[^a]`, `\`. Returns
 * undefined for a malformed pattern.
 */
export function compileGlob(pattern: string): ((name: string) => boolean) | undefined {
  if (pattern.length > MAX_PATTERN) return undefined;
  const tokens = tokenize([...pattern]);
  return tokens && ((name) => matches(tokens, [...name]));
}

function tokenize(pattern: readonly string[]): Token[] | undefined {
  const tokens: Token[] = [];
  for (let at = 0; at < pattern.length; ) {
    const read = tokenAt(pattern, at);
    if (!read) return undefined;
    tokens.push(read.token);
    at = read.next;
  }
  return tokens;
}

function tokenAt(pattern: readonly string[], at: number): { token: Token; next: number } | undefined {
  const character = pattern[at];
  if (character === '*') return { token: { kind: 'star' }, next: at + 1 };
  if (character === '?') return { token: { kind: 'one', accepts: () => true }, next: at + 1 };
  if (character === '[') {
    const set = characterClass(pattern, at + 1);
    return set && { token: { kind: 'one', accepts: set.accepts }, next: set.end + 1 };
  }
  const literalAt = character === '\\' ? at + 1 : at;
  const literal = pattern[literalAt];
  if (literal === undefined) return undefined;
  return { token: { kind: 'one', accepts: (given) => given === literal }, next: literalAt + 1 };
}

type CharacterClass = Readonly<{ accepts: (character: string) => boolean; end: number }>;

/** Reads `^a-z…]`; `end` is the offset of the closing bracket. */
function characterClass(pattern: readonly string[], from: number): CharacterClass | undefined {
  const negated = pattern[from] === '^';
  const ranges: [low: string, high: string][] = [];
  let at = negated ? from + 1 : from;
  while (pattern[at] !== ']' || ranges.length === 0) {
    const low = classCharacter(pattern, at);
    if (!low) return undefined;
    at = low.next;
    if (pattern[at] !== '-') {
      ranges.push([low.character, low.character]);
      continue;
    }
    const high = classCharacter(pattern, at + 1);
    if (!high) return undefined;
    ranges.push([low.character, high.character]);
    at = high.next;
  }
  const inside = (character: string) => ranges.some(([low, high]) => low <= character && character <= high);
  return { accepts: (character) => inside(character) !== negated, end: at };
}

function classCharacter(pattern: readonly string[], at: number): { character: string; next: number } | undefined {
  const first = pattern[at];
  if (first === undefined || first === '-' || first === ']') return undefined;
  const start = first === '\\' ? at + 1 : at;
  const character = pattern[start];
  // Go wants something to follow: at least the closing bracket.
  if (character === undefined || start + 1 >= pattern.length) return undefined;
  return { character, next: start + 1 };
}

/** Matches greedily with one point of return: linear in practice and at worst the product of both lengths. */
function matches(tokens: readonly Token[], name: readonly string[]): boolean {
  let token = 0;
  let at = 0;
  let star = -1;
  let starAt = 0;
  while (at < name.length) {
    const current = tokens[token];
    if (current?.kind === 'star') {
      star = token;
      starAt = at;
      token += 1;
    } else if (current?.kind === 'one' && current.accepts(name[at] ?? '')) {
      token += 1;
      at += 1;
    } else if (star >= 0) {
      starAt += 1;
      at = starAt;
      token = star + 1;
    } else {
      return false;
    }
  }
  return tokens.slice(token).every(({ kind }) => kind === 'star');
}
