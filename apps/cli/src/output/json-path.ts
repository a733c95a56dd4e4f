import { UsageError } from '../io.js';

/** One step of a path: a key, a place in a list (from the end where it is negative), or every element. */
type Step = string | number | '*';
type Piece = Readonly<
  { text: string } | { path: readonly Step[] } | { range: readonly Step[]; body: readonly Piece[] }
>;

/**
 * A template of `kubectl -o jsonpath=…`: text, `{.a.b[0].c}`, `{.items[*].x}`, `{range
 * .items[*]}…{end}` and `{"\n"}`.
 */
export type JsonPathTemplate = readonly Piece[];

/** A path of more steps leads nowhere in any object of Kubernetes. */
const MOST_STEPS = 64;

/** @throws UsageError where the template uses what is not known here, such as filters */
export function jsonPathTemplate(text: string): JsonPathTemplate {
  const pieces = text.match(/\{[^}]*\}|[^{]+|\{/g) ?? [];
  const { body, rest } = bodyOf(pieces, text, false);
  if (rest.length > 0) throw unreadable(text, '{end} without {range}');
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
    if (inner === undefined) throw unreadable(text, `"${piece}" is not closed`);
    if (inner === 'end') {
      if (!isInside) throw unreadable(text, '{end} without {range}');
      return { body, rest };
    }
    const range = /^range\s+(.*)$/s.exec(inner)?.[1];
    if (range !== undefined) {
      const nested = bodyOf(rest, text, true);
      rest = nested.rest;
      body.push({ range: stepsOf(range, text), body: nested.body });
    } else body.push(pieceOf(inner, text));
  }
  if (isInside) throw unreadable(text, '{range} without {end}');
  return { body, rest };
}

function pieceOf(inner: string, text: string): Piece {
  const quoted = /^"(.*)"$/s.exec(inner)?.[1];
  if (quoted === undefined) return { path: stepsOf(inner, text) };
  return { text: quoted.replaceAll(/\\(.)/g, (_, char: string) => ESCAPES[char] ?? char) };
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t' };

/** The steps of a path such as `.metadata.labels['a/b']`, with or without `$` and the first dot. */
export function stepsOf(path: string, text = path): readonly Step[] {
  const source = path.replace(/^\$/, '').replace(/^(?=[^.[])/, '.');
  const steps: Step[] = [];
  let rest = source === '.' ? '' : source;
  while (rest !== '') {
    const found = /^(?:\.((?:\\.|[\w-])+)|\.\*|\[\*\]|\[(-?\d{1,6})\]|\[(?:'([^']*)'|"([^"]*)")\])/.exec(rest);
    if (found === null || steps.length === MOST_STEPS) throw unreadable(text, `"${rest}" is not understood`);
    const [whole, key, index, single, double] = found;
    if (index !== undefined) steps.push(Number(index));
    else steps.push(key?.replaceAll(/\\(.)/g, '$1') ?? single ?? double ?? '*');
    rest = rest.slice(whole.length);
  }
  return steps;
}

const unreadable = (text: string, because: string): UsageError =>
  new UsageError(
    `cannot read the JSONPath ${JSON.stringify(text)}: ${because}; write it as {.items[*].metadata.name}, ` +
      'with {range .items[*]}…{end} and {"\\n"}; for filters use -o json and jq',
  );

/** Every value that a path leads to; none where it leads nowhere. */
export function valuesAt(value: unknown, steps: readonly Step[]): readonly unknown[] {
  let at: readonly unknown[] = [value];
  for (const step of steps) at = at.flatMap((one) => stepInto(one, step));
  return at;
}

function stepInto(value: unknown, step: Step): readonly unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  if (step === '*') return Object.values(value);
  if (typeof step === 'number') {
    const found: unknown = Array.isArray(value) ? value.at(step) : undefined;
    return found === undefined ? [] : [found];
  }
  return Object.hasOwn(value, step) ? [(value as Readonly<Record<string, unknown>>)[step]] : [];
}

/** The template filled in with a value; what is no plain value is printed as JSON. */
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
