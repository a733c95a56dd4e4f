import type { ASTNode } from '@marcbachmann/cel-js';
import { childNodes, MACROS } from './cel-cost.js';
import { HAS_VARIABLE } from './has-fields.js';

const ORDER: ReadonlySet<string> = new Set(['<', '<=', '>', '>=']);
const NUMBERS: ReadonlySet<unknown> = new Set(['int', 'uint', 'double']);

/**
 * Returns OLM's error for a checked expression that only the evaluator accepts, otherwise undefined. OLM's
 * compiler refuses a choice between `?` and `:` without brackets, and an order between numbers of different
 * types. It forgets to refuse the latter from the first macro on.
 */
export function looseSyntax(root: ASTNode, source: string): string | undefined {
  return looseWithin(root, source, firstScope(root));
}

function looseWithin(node: ASTNode, source: string, firstMacro: number): string | undefined {
  const loose = looseNode(node, source, firstMacro);
  if (loose !== undefined) return loose;
  for (const child of childNodes(node.args)) {
    const found = looseWithin(child, source, firstMacro);
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * Returns the offset at which the first macro begins to evaluate elements. Macros that we made for `has` do
 * not count.
 */
function firstScope(node: ASTNode): number {
  const inner = childNodes(node.args).map(firstScope);
  if (node.op !== 'rcall' || !MACROS.has(node.args[0])) return Math.min(...inner, Number.POSITIVE_INFINITY);
  const [variable] = node.args[2];
  const isOurs = variable?.op === 'id' && variable.args === HAS_VARIABLE;
  return Math.min(...inner, isOurs ? Number.POSITIVE_INFINITY : node.args[1].end);
}

function looseNode(node: ASTNode, source: string, firstMacro: number): string | undefined {
  if (node.op === '?:') {
    const [, chosen] = node.args;
    if (chosen.op !== '?:') return undefined;
    const isBare = /\?\s*$/.test(source.slice(0, leftmost(chosen))) || /^\s*:/.test(source.slice(rightmost(chosen)));
    return isBare ? "mismatched input '?' expecting ':'" : undefined;
  }
  if (!ORDER.has(node.op) || node.end > firstMacro) return undefined;
  const [left, right] = childNodes(node.args).map(typeName);
  if (left === right || !NUMBERS.has(left) || !NUMBERS.has(right)) return undefined;
  return `found no matching overload for '_${node.op}_' applied to '(${left}, ${right})'`;
}

/** Returns the start of an expression's text, without brackets around its first part. */
const leftmost = (node: ASTNode): number =>
  Math.min(node.start, ...childNodes(node.args).map((child) => leftmost(child)));

const rightmost = (node: ASTNode): number =>
  Math.max(node.end, ...childNodes(node.args).map((child) => rightmost(child)));

/** Returns the static type that the check has left at a node; the evaluator does not declare it. */
function typeName(node: ASTNode): unknown {
  const checked: unknown = Reflect.get(node, 'checkedType');
  return typeof checked === 'object' && checked !== null ? Reflect.get(checked, 'name') : undefined;
}
