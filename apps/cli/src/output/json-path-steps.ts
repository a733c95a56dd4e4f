import { UsageError } from '../terminal/io.js';

/** A step of a path in kubectl: `.key`, `[-1]`, `[0:2]`, `[0,2]`, `[*]`, `..` or `[?(@.a=="b")]`. */
export type Step = Readonly<
  | { key: string }
  | { index: number }
  | { slice: Slice }
  | { union: readonly Step[] }
  | { filter: Filter }
  | { every: 'child' | 'descendant' }
>;
type Slice = Readonly<{ from: number | undefined; to: number | undefined; by: number }>;
/** A comparison with an element of a list; without an operator, the left side only has to exist. */
type Filter = Readonly<{ left: Operand; operator?: Operator; right?: Operand }>;
type Operand = Readonly<{ path: readonly Step[] } | { literal: unknown }>;

const OPERATORS = ['==', '!=', '<=', '>=', '<', '>'] as const;
type Operator = (typeof OPERATORS)[number];

/** A path of more steps leads nowhere in any object of Kubernetes. */
const MOST_STEPS = 64;
const KEY = /^\.((?:\\.|[^\\\s.,[\]$@{}()"'=!<>])+)/;
const QUOTED = /^(?:'([^']*)'|"([^"]*)")$/;
const SLICE = /^(-?\d{0,6}):(-?\d{0,6})(?::(\d{1,6}))?$/;

/**
 * Returns the steps of a path such as `.metadata.labels['a/b']`, with or without `$` or `@` and the first
 * dot.
 * @throws UsageError for paths that kubectl does not read either, with `text`, the whole template
 */
export function stepsOf(path: string, text = path): readonly Step[] {
  const source = path.replace(/^[$@]/, '').replace(/^(?=[^.[])/, '.');
  const steps: Step[] = [];
  let rest = source === '.' ? '' : source;
  while (rest !== '') {
    const [step, length] = firstStep(rest, text);
    if (length === 0 || steps.length === MOST_STEPS) throw unreadablePath(text, `"${rest}" is not understood`);
    steps.push(step);
    rest = rest.slice(length);
  }
  return steps;
}

/** The first step and its length; a length of 0 if nothing is understood. */
function firstStep(rest: string, text: string): readonly [Step, length: number] {
  // `..name` and `..[0]`: the dot of a key is the second one, that before a bracket is both.
  if (/^\.\.[^.]/.test(rest)) return [{ every: 'descendant' }, rest[2] === '[' ? 2 : 1];
  if (rest.startsWith('.*')) return [{ every: 'child' }, 2];
  const key = KEY.exec(rest);
  if (key !== null) return [{ key: (key[1] ?? '').replaceAll(/\\(.)/g, '$1') }, key[0].length];
  const length = rest.startsWith('[') ? bracketLength(rest) : 0;
  if (length === 0) return [{ every: 'child' }, 0];
  return [bracketStep(rest.slice(1, length - 1).trim(), text), length];
}

/** The length up to the bracket that closes the first one, outside quotes; 0 if none does. */
function bracketLength(rest: string): number {
  const found = /^\[(?:"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|\[[^\]]*\]|[^\]["'])*\]/.exec(rest);
  return found?.[0].length ?? 0;
}

function bracketStep(inner: string, text: string): Step {
  if (inner === '*') return { every: 'child' };
  const filter = /^\?\((.*)\)$/s.exec(inner);
  if (filter !== null) return { filter: filterOf((filter[1] ?? '').trim(), text) };
  const parts = inner.match(/"[^"]*"|'[^']*'|[^,]+/g) ?? [];
  if (parts.length > 1) return { union: parts.map((part) => bracketStep(part.trim(), text)) };
  if (/^-?\d{1,6}$/.test(inner)) return { index: Number(inner) };
  const quoted = QUOTED.exec(inner);
  if (quoted !== null) return { key: quoted[1] ?? quoted[2] ?? '' };
  const [, from, to, by = '1'] = SLICE.exec(inner) ?? [];
  if (from === undefined || to === undefined || Number(by) === 0) {
    throw unreadablePath(text, `"[${inner}]" is not understood`);
  }
  return { slice: { from: numberOf(from), to: numberOf(to), by: Number(by) } };
}

const numberOf = (digits: string): number | undefined => (digits === '' ? undefined : Number(digits));

const OPERAND = /^(?:"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|(?:[^=!<>"'[]|\[(?:'[^']*'|"[^"]*"|[^\]"'])*\])+)/;

function filterOf(source: string, text: string): Filter {
  const left = OPERAND.exec(source)?.[0] ?? '';
  const behind = source.slice(left.length).trim();
  const operator = OPERATORS.find((one) => behind.startsWith(one));
  const right = operator === undefined ? behind : behind.slice(operator.length).trim();
  const isWhole = operator === undefined ? right === '' : OPERAND.exec(right)?.[0] === right;
  if (left === '' || !isWhole || /&&|\|\|/.test(source.replaceAll(/"[^"]*"|'[^']*'/g, ''))) {
    throw unreadablePath(text, `the filter "${source}" is not a comparison such as @.a=="b"`);
  }
  if (operator === undefined) return { left: operandOf(left.trim(), text) };
  return { left: operandOf(left.trim(), text), operator, right: operandOf(right, text) };
}

function operandOf(word: string, text: string): Operand {
  const quoted = /^(["'])(.*)\1$/s.exec(word);
  if (quoted !== null) return { literal: (quoted[2] ?? '').replaceAll(/\\(.)/g, '$1') };
  if (/^-?\d+(?:\.\d+)?$/.test(word)) return { literal: Number(word) };
  if (word === 'true' || word === 'false') return { literal: word === 'true' };
  if (word.startsWith('@') || word.startsWith('$')) return { path: stepsOf(word, text) };
  throw unreadablePath(text, `"${word}" in a filter is not a path with @, a text in quotes or a number`);
}

/** Says why a path or a template cannot be read, and how it is written. */
export const unreadablePath = (text: string, because: string): UsageError =>
  new UsageError(
    `cannot read the JSONPath ${JSON.stringify(text)}: ${because}; write it as {.items[*].metadata.name}, ` +
      'with {range .items[*]}…{end} and {"\\n"}; for more use -o json and jq',
  );

/** Every value that a path leads to; none if it leads nowhere. */
export function valuesAt(value: unknown, steps: readonly Step[]): readonly unknown[] {
  let at: readonly unknown[] = [value];
  for (const step of steps) at = at.flatMap((one) => stepInto(one, step));
  return at;
}

function stepInto(value: unknown, step: Step): readonly unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  if ('every' in step) return step.every === 'child' ? Object.values(value) : descendants(value);
  if ('union' in step) return step.union.flatMap((one) => stepInto(value, one));
  if ('key' in step) {
    if (Array.isArray(value) || !Object.hasOwn(value, step.key)) return [];
    return [(value as Readonly<Record<string, unknown>>)[step.key]];
  }
  if (!Array.isArray(value)) return [];
  const list: readonly unknown[] = value;
  if ('filter' in step) return list.filter((one) => passes(one, step.filter));
  if ('slice' in step) {
    const { from, to, by } = step.slice;
    return list.slice(from, to).filter((_, at) => at % by === 0);
  }
  return list.at(step.index) === undefined ? [] : [list.at(step.index)];
}

/** The value itself and all objects and lists in it, each before its own. */
function descendants(value: unknown): readonly unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  return [value, ...Object.values(value).flatMap(descendants)];
}

/**
 * True if an element passes the filter. As in kubectl, an element without the value passes no comparison, not
 * even `!=`.
 */
function passes(element: unknown, { left, operator, right }: Filter): boolean {
  const [a] = operandValues(element, left);
  if (operator === undefined || right === undefined) return operandValues(element, left).length > 0;
  const [b] = operandValues(element, right);
  if (a === undefined || b === undefined) return false;
  if (operator === '==') return a === b;
  if (operator === '!=') return a !== b;
  if (typeof a === 'number' && typeof b === 'number') return isOrdered(a, b, operator);
  return typeof a === 'string' && typeof b === 'string' && isOrdered(a, b, operator);
}

const operandValues = (element: unknown, operand: Operand): readonly unknown[] =>
  'literal' in operand ? [operand.literal] : valuesAt(element, operand.path);

function isOrdered<Value extends number | string>(a: Value, b: Value, operator: Operator): boolean {
  if (operator === '<') return a < b;
  if (operator === '>') return a > b;
  return operator === '<=' ? a <= b : a >= b;
}
