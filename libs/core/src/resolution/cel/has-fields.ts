import type { ASTNode } from '@marcbachmann/cel-js';
import { childNodes } from './cel-cost.js';

/** Rewritings of one rule. */
const MAX_REWRITTEN = 100;

/**
 * The evaluator takes `has` of a variable's fields only, CEL of any expression's: `has(properties[0].value.x)` is rewritten as
 * `[properties[0]].exists(v, has(v.value.x))`, which means the same. `parse` throws on what is no CEL.
 */
export function withPlainHas(source: string, parse: (source: string) => ASTNode): string {
  let text = source;
  for (let count = 0; count < MAX_REWRITTEN; count++) {
    const found = hasOfExpression(parse(text));
    if (found === undefined) return text;
    const { call, base } = found;
    const fields = text.slice(base.end, call.end - 1);
    const plain = `[${text.slice(base.start, base.end)}].exists(has_of, has(has_of${fields}))`;
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
