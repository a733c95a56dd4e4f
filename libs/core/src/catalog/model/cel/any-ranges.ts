import type { ASTNode } from '@marcbachmann/cel-js';
import { childNodes, MACROS } from './cel-cost.js';

/**
 * Static types, as far as they matter for `any`. To OLM's checker a property's value is `any`, not dynamic.
 * `other`: every other type, dynamic included.
 */
type Kind = 'any' | 'other' | Readonly<{ is: 'list' | 'map'; of: Kind }>;
type Scope = ReadonlyMap<string, Kind>;

/** A list of properties, each a map of text to any. */
const PROPERTIES: Scope = new Map([['properties', { is: 'list', of: { is: 'map', of: 'any' } }]]);

/**
 * True if a macro walks through a value of type `any`, which OLM's checker refuses: `p.value.exists(…)`. A
 * macro may walk through `dyn(p.value)` and through a field of it.
 */
export function walksThroughAny(node: ASTNode, scope: Scope = PROPERTIES): boolean {
  if (node.op !== 'rcall' || !MACROS.has(node.args[0])) {
    return childNodes(node.args).some((child) => walksThroughAny(child, scope));
  }
  const [, receiver, inner] = node.args;
  const range = kindOf(receiver, scope);
  if (range === 'any' || walksThroughAny(receiver, scope)) return true;
  const within = withVariable(scope, inner[0], range);
  return inner.slice(1).some((one) => walksThroughAny(one, within));
}

/**
 * Adds the variable of a macro to the scope. It is an element of a list, or a key of a map: text or a number.
 */
function withVariable(scope: Scope, variable: ASTNode | undefined, range: Kind): Scope {
  if (variable?.op !== 'id') return scope;
  const isList = typeof range === 'object' && range.is === 'list';
  return new Map([...scope, [variable.args, isList ? range.of : 'other']]);
}

const elementOf = (kind: Kind): Kind => (typeof kind === 'object' ? kind.of : 'other');

function kindOf(node: ASTNode, scope: Scope): Kind {
  switch (node.op) {
    case 'id':
      return scope.get(node.args) ?? 'other';
    case '.':
    case '[]':
      return elementOf(kindOf(node.args[0], scope));
    case 'list':
      return { is: 'list', of: common(node.args.map((one) => kindOf(one, scope))) };
    case 'map':
      return { is: 'map', of: common(node.args.map(([, value]) => kindOf(value, scope))) };
    case 'rcall':
      return kindOfCall(node.args, scope);
    default:
      return 'other';
  }
}

function kindOfCall([name, receiver, inner]: readonly [string, ASTNode, readonly ASTNode[]], scope: Scope): Kind {
  const range = kindOf(receiver, scope);
  if (name === 'filter') return range;
  const result = inner.at(-1);
  if (name !== 'map' || result === undefined) return 'other';
  return { is: 'list', of: kindOf(result, withVariable(scope, inner[0], range)) };
}

/** Returns the type that all elements share; for a mixture it is unknown. */
function common([first, ...others]: readonly Kind[]): Kind {
  if (first === undefined) return 'other';
  return others.every((kind) => JSON.stringify(kind) === JSON.stringify(first)) ? first : 'other';
}
