import { type Step, stepsOf, unreadablePath, valuesAt } from './json-path-steps.js';

type Piece = Readonly<
  { text: string } | { path: readonly Step[] } | { range: readonly Step[]; body: readonly Piece[] }
>;

/**
 * A template of `kubectl -o jsonpath=…`: text, `{.a.b[0].c}`, `{.items[?(@.a=="b")].c}`,
 * `{range .items[*]}…{end}` and `{"\n"}`.
 */
export type JsonPathTemplate = readonly Piece[];

const PIECE = /\{(?:"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|[^}"'])*\}|[^{]+|\{.*/gs;

/**
 * @throws UsageError if the template uses a construct that is not known here, such as two conditions in a
 * filter
 */
export function jsonPathTemplate(text: string): JsonPathTemplate {
  const { body, rest } = bodyOf(text.match(PIECE) ?? [], text, false);
  if (rest.length > 0) throw unreadablePath(text, '{end} without {range}');
  return body;
}

function bodyOf(
  pieces: readonly string[],
  text: string,
  isInside: boolean,
): Readonly<{ body: Piece[]; rest: readonly string[] }> {
  const body: Piece[] = [];
  let rest = pieces;
  while (rest.length > 0) {
    const [piece = '', ...after] = rest;
    rest = after;
    if (!piece.startsWith('{')) {
      body.push({ text: piece });
      continue;
    }
    const inner = /^\{\s*(.*?)\s*\}$/s.exec(piece)?.[1];
    if (inner === undefined) throw unreadablePath(text, `"${piece}" is not closed`);
    if (inner === 'end') {
      if (!isInside) throw unreadablePath(text, '{end} without {range}');
      return { body, rest };
    }
    const range = /^range\s+(.*)$/s.exec(inner)?.[1];
    if (range !== undefined) {
      const nested = bodyOf(rest, text, true);
      rest = nested.rest;
      body.push({ range: stepsOf(range, text), body: nested.body });
    } else body.push(pieceOf(inner, text));
  }
  if (isInside) throw unreadablePath(text, '{range} without {end}');
  return { body, rest };
}

function pieceOf(inner: string, text: string): Piece {
  const quoted = /^(["'])(.*)\1$/s.exec(inner)?.[2];
  if (quoted === undefined) return { path: stepsOf(inner, text) };
  return { text: quoted.replaceAll(/\\(.)/g, (_, char: string) => ESCAPES[char] ?? char) };
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t' };

/** Fills in the template with a value. A part that is no plain value is printed as JSON. */
export const jsonPathText = (template: JsonPathTemplate, value: unknown): string =>
  template
    .map((piece) => {
      if ('text' in piece) return piece.text;
      if ('path' in piece) return valuesAt(value, piece.path).map(plain).join(' ');
      return valuesAt(value, piece.range)
        .map((one) => jsonPathText(piece.body, one))
        .join('');
    })
    .join('');

const plain = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
