import type { ASTNode } from '@marcbachmann/cel-js';

/** Macros that walk through a list or map. The inner expression is evaluated once for each element. */
export const MACROS: ReadonlySet<string> = new Set(['exists', 'exists_one', 'all', 'map', 'filter']);
/**
 * Additions inside macros: each can double the value that the step before made, so that twenty of them
 * make a million out of one.
 */
const MAX_ADDITIONS_IN_MACROS = 16;

/**
 * The cost to evaluate an expression, as far as its text shows. It counts the nodes inside each depth of
 * macros, the elements of its literal lists and maps, and the length that its additions can add to a value.
 */
export type CelCost = Readonly<{ perDepth: readonly number[]; literals: number; growth: number }>;

/** Measures an expression. Returns an error if it can grow values beyond all bounds. */
export function celCost(root: ASTNode): CelCost | Readonly<{ error: string }> {
  const nodes = nodesOf(root, 0);
  const perDepth: number[] = [];
  for (const { depth } of nodes) perDepth[depth] = (perDepth[depth] ?? 0) + 1;
  const additions = nodes.filter(({ node, depth }) => node.op === '+' && depth > 0).length;
  if (additions > MAX_ADDITIONS_IN_MACROS) {
    return { error: `cel rule adds more than ${MAX_ADDITIONS_IN_MACROS} times inside list macros` };
  }
  const literals = nodes.reduce((sum, { node }) => sum + literalElements(node), 0);
  return { perDepth, literals, growth: 2 ** additions };
}

/** Returns all nodes below one, with the number of macros around each. */
function nodesOf(node: ASTNode, depth: number): Readonly<{ node: ASTNode; depth: number }>[] {
  if (node.op !== 'rcall' || !MACROS.has(node.args[0])) {
    return [{ node, depth }, ...childNodes(node.args).flatMap((child) => nodesOf(child, depth))];
  }
  const [, receiver, inner] = node.args;
  return [{ node, depth }, ...nodesOf(receiver, depth), ...inner.flatMap((one) => nodesOf(one, depth + 1))];
}

const literalElements = (node: ASTNode): number => (node.op === 'list' || node.op === 'map' ? node.args.length : 0);

/**
 * Returns the most evaluations of a node that the expression can take, on data with lists and maps of at most
 * `longest` elements.
 */
export function worstCase({ perDepth, literals, growth }: CelCost, longest: number): number {
  const elements = Math.max(1, (longest + literals) * growth);
  return perDepth.reduce((sum, nodes, depth) => sum + nodes * elements ** depth, 0);
}

/** Elements of the longest list or map in a value, at any depth. */
export function longestCollection(value: unknown): number {
  let longest = 0;
  const pending: unknown[] = [value];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (typeof next !== 'object' || next === null) continue;
    const elements: unknown[] = Array.isArray(next) ? next : Object.values(next);
    longest = Math.max(longest, elements.length);
    for (const element of elements) if (typeof element === 'object' && element !== null) pending.push(element);
  }
  return longest;
}

/** Expressions below one; macros hold theirs as arguments. */
export function childNodes(args: unknown): ASTNode[] {
  if (Array.isArray(args)) return args.flatMap(childNodes);
  return typeof args === 'object' && args !== null && 'op' in args ? [args as ASTNode] : [];
}
