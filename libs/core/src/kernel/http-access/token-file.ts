/** One line of a file with tokens. */
type TokenEntry = Readonly<{
  /** Name of the token's owner, for the log. The log never has the token itself. */
  name: string;
  token: string;
  /** Paths that the token may read, as `nonResourceURLs` in RBAC. */
  paths: readonly string[];
}>;

type TokenFile = Readonly<{
  entries: readonly TokenEntry[];
  /** Lines that are not used, with the reason. They never hold a token. */
  problems: readonly string[];
}>;

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;
const PATH = /^(\*|\/[^\s*,]*\*?)$/;
const MOST_LINES = 10_000;
const LEAST_TOKEN_LENGTH = 20;

/**
 * Reads `NAME TOKEN PATH[,PATH…]` lines; `#` begins a comment. A line that cannot be used
 * takes no other one with it.
 */
export function readTokenFile(text: string): TokenFile {
  const entries: TokenEntry[] = [];
  const problems: string[] = [];
  const lines = text.split('\n');
  for (const [at, line] of lines.slice(0, MOST_LINES).entries()) {
    const fields = line
      .replace(/^\s*#.*/, '')
      .split(/\s+/)
      .filter(Boolean);
    if (fields.length === 0) continue;
    const entry = entryOf(fields);
    if (typeof entry === 'string') problems.push(`line ${at + 1}: ${entry}`);
    else entries.push(entry);
  }
  if (lines.length > MOST_LINES) problems.push(`lines from ${MOST_LINES + 1} on: at most ${MOST_LINES} lines are read`);
  return { entries, problems };
}

function entryOf(fields: readonly string[]): TokenEntry | string {
  const [name = '', token = '', list = ''] = fields;
  if (fields.length !== 3) return 'expected NAME TOKEN PATH[,PATH…]';
  if (!NAME.test(name)) return 'the name may have letters, digits, ".", "_" and "-" only';
  if (token.length < LEAST_TOKEN_LENGTH) return `the token has fewer than ${LEAST_TOKEN_LENGTH} characters`;
  if (!isBearerToken(token)) return 'the token has characters that a bearer token may not have';
  const paths = list.split(',');
  return paths.every((path) => PATH.test(path)) ? { name, token, paths } : 'a path must be * or begin with /';
}

const MOST_TOKEN_LENGTH = 8_192;
/** True if the text is a bearer token by RFC 6750 §2.1. */
const isBearerToken = (text: string): boolean =>
  text.length <= MOST_TOKEN_LENGTH && /^[A-Za-z0-9._~+/-]+=*$/.test(text);

/** Returns the token of an `Authorization` header. Returns undefined if no part of it can be a token. */
export function bearerToken(header: string | undefined): string | undefined {
  const [scheme = '', token = '', ...more] = (header ?? '').slice(0, MOST_TOKEN_LENGTH + 16).split(' ');
  return scheme.toLowerCase() === 'bearer' && more.length === 0 && isBearerToken(token) ? token : undefined;
}
