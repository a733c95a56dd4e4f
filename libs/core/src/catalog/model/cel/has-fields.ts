import type { ASTNode } from '@marcbachmann/cel-js';
import { childNodes } from './cel-cost.js';

/** Variable of the macros that are made for `has`. */
export const HAS_VARIABLE = 'has_of';
/** Rewritings of one rule. */
const MAX_REWRITTEN = 100;

/**
 * Rewrites `has` for the evaluator, which accepts it only for a variable's fields; CEL accepts any
 * expression's. `has(properties[0].value.x)` becomes `[properties[0]].exists(v, has(v.value.x))`, which means
 * the same. `parse` throws on a text that is no CEL.
 */
export function withPlainHas(source: string, parse: (source: string) => ASTNode): string {
  let text = source;
  for (let count = 0; count < MAX_REWRITTEN; count++) {
    const found = hasOfExpression(parse(text));
    if (found === undefined) return text;
    const { call, base } = found;
    const fields = text.slice(base.end, call.end - 1);
    const plain = `[${text.slice(base.start, base.end)}].exists(${HAS_VARIABLE}, has(${HAS_VARIABLE}${fields}))`;
    text = `${text.slice(0, call.start)}${plain}${text.slice(call.end)}`;
  }
  return text;
}

function hasOfExpression(node: ASTNode): Readonly<{ call: ASTNode; base: ASTNode }> | undefined {
  if (node.op === 'call' && node.args[0] === 'has') {
    const [field, ...others] = node.args[1];
    let base = field;
    while (base?.op === '.') [base] = base.args;
    if (base !== undefined && base !== field && base.op !== 'id' && others.length === 0) return { call: node, base };
  }
  for (const child of childNodes(node.args)) {
    const found = hasOfExpression(child);
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * Makes `has` of a list's field fail. In OLM that is an error, but the evaluator returns false. Hence
 * `has(x.y)` also evaluates an expression that fails on a list:
 * `(has(x.y) || type(x) == list && dyn(x.y) == 0)`.
 */
export function withFailingLists(source: string, parse: (source: string) => ASTNode): string {
  let text = source;
  for (const call of hasCalls(parse(source)).toSorted((a, b) => b.start - a.start)) {
    const field = call.op === 'call' ? call.args[1][0] : undefined;
    if (field?.op !== '.') continue;
    const [asked, of] = [field, field.args[0]].map(({ start, end }) => source.slice(start, end));
    const whole = `(has(${asked}) || type(${of}) == list && dyn(${asked}) == 0)`;
    text = `${text.slice(0, call.start)}${whole}${text.slice(call.end)}`;
  }
  return text;
}

/** Returns all calls of `has`, none within another. Their argument is already a variable's field. */
const hasCalls = (node: ASTNode): ASTNode[] =>
  node.op === 'call' && node.args[0] === 'has' ? [node] : childNodes(node.args).flatMap(hasCalls);
