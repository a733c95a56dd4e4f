import { parseAst } from 'rolldown/parseAst';

/** One changed operator, constant or branch of a module. */
export type Mutation = Readonly<{ start: number; end: number; by: string; what: string }>;

const OPERATORS: Readonly<Record<string, string>> = {
  '===': '!==',
  '!==': '===',
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
  '&&': '||',
  '||': '&&',
};

type Node = Readonly<{ type: string; start: number; end: number }> & Readonly<Record<string, unknown>>;

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string';

/** Returns every mutation of a TypeScript module, in the order of its text. */
export function mutationsOf(text: string): Mutation[] {
  const found: Mutation[] = [];
  const open: Node[] = [parseAst(text, { lang: 'ts' }) as unknown as Node];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    // Types have no effect when the module runs.
    if (node.type.startsWith('TS') && !/^TS(As|Satisfies|NonNull)/.test(node.type)) continue;
    found.push(...mutationsAt(node, text));
    open.push(...Object.values(node).flat().filter(isNode));
  }
  return found.toSorted((a, b) => a.start - b.start || a.end - b.end || (a.by < b.by ? -1 : 1));
}

function mutationsAt(node: Node, text: string): Mutation[] {
  const { type, start, end } = node;
  const replaced = (by: string, what: string) => [{ start, end, by, what }];
  const part = (name: string): string => {
    const one = node[name];
    return isNode(one) ? text.slice(one.start, one.end) : '';
  };
  if (type === 'BinaryExpression' || type === 'LogicalExpression') {
    const operator = String(node['operator']);
    const other = OPERATORS[operator];
    return other === undefined
      ? []
      : replaced(`(${part('left')}) ${other} (${part('right')})`, `${operator} becomes ${other}`);
  }
  if (type === 'Literal' && typeof node['value'] === 'number') {
    return replaced(String(node['value'] + 1), `${node['value']} becomes ${node['value'] + 1}`);
  }
  if (type === 'Literal' && typeof node['value'] === 'boolean') {
    return replaced(String(!node['value']), `${node['value']} becomes ${!node['value']}`);
  }
  if (type === 'ConditionalExpression') {
    const [test, yes, no] = [part('test'), part('consequent'), part('alternate')];
    return replaced(`((${test}) ? (${no}) : (${yes}))`, 'branches of ?: change places');
  }
  const condition = node['test'];
  if (type === 'IfStatement' && isNode(condition)) {
    const by = `!(${part('test')})`;
    return [{ start: condition.start, end: condition.end, by, what: 'condition of if is negated' }];
  }
  return [];
}

/** Returns random numbers below 1 that are the same for the same seed (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
