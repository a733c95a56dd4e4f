import { type ASTNode, Environment } from '@marcbachmann/cel-js';
import type { Property } from '../catalog/catalog.js';
import { compareVersions, parseTolerant } from '../versions/blang-version.js';

/** A compiled rule of a `cel` constraint: a test on the properties of one candidate. */
export type CelRule = Readonly<{ source: string; holds: (properties: readonly Property[]) => boolean }>;

/** Characters of one rule; longer ones are refused before parsing. */
const MAX_RULE_LENGTH = 4096;
/** Nesting of list macros: each level multiplies the work by the number of properties. */
const MAX_MACRO_DEPTH = 2;
/** Properties a rule is evaluated over; a candidate with more does not meet it. */
const MAX_PROPERTIES = 1000;
const MACROS = new Set(['exists', 'exists_one', 'all', 'map', 'filter']);

/** CEL's standard library but `matches`; what else the evaluator brings along does not exist in OLM. */
const FUNCTIONS = new Set([
  ...['contains', 'startsWith', 'endsWith', 'size', 'has', 'dyn', 'type', 'semver_compare', 'in'],
  ...['int', 'uint', 'double', 'string', 'bytes', 'bool', 'timestamp', 'duration'],
  ...['getDate', 'getDayOfMonth', 'getDayOfWeek', 'getDayOfYear', 'getFullYear', 'getMonth'],
  ...['getHours', 'getMinutes', 'getSeconds', 'getMilliseconds'],
]);

/** Numbers count as their text: 1.5 is version 1.5.0. */
function semverCompare(a: unknown, b: unknown): bigint {
  const [left, right] = [parseTolerant(String(a)), parseTolerant(String(b))];
  if ('error' in left) throw new Error(left.error);
  if ('error' in right) throw new Error(right.error);
  return BigInt(compareVersions(left, right));
}

const environment = new Environment({
  homogeneousAggregateLiterals: false,
  limits: { maxAstNodes: 1000, maxDepth: 50, maxListElements: 50, maxMapEntries: 50, maxCallArguments: 8 },
})
  .registerVariable('properties', 'list<map<string, dyn>>')
  .registerFunction('semver_compare(dyn, dyn): int', semverCompare);

/** Compiles a rule, or says why it cannot serve. A run-time error counts as "not met" (spec: classic-resolution.md §5). */
export function compileCelRule(source: string): CelRule | Readonly<{ error: string }> {
  if (source.length > MAX_RULE_LENGTH) return { error: `cel rule is longer than ${MAX_RULE_LENGTH} characters` };
  const parsed = attempt(() => environment.parse(source));
  if ('error' in parsed) return { error: `failed to compile cel rule: ${parsed.error}` };
  const refused = refusal(parsed.value.ast, 0);
  if (refused !== undefined) return { error: refused };
  const checked = parsed.value.check();
  if (!checked.valid)
    return { error: `failed to compile cel rule: ${checked.error?.message ?? 'it does not type-check'}` };
  if (checked.type !== 'bool') return { error: `cel expressions must have type Bool, this one has ${checked.type}` };
  return {
    source,
    holds: (properties) => {
      if (properties.length > MAX_PROPERTIES) return false;
      const result = attempt(() => parsed.value({ properties: [...properties] }) as unknown);
      return 'value' in result && result.value === true;
    },
  };
}

function attempt<T>(action: () => T): Readonly<{ value: T }> | Readonly<{ error: string }> {
  try {
    return { value: action() };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

/** `matches` runs a backtracking regular expression, which hostile text can hold for ever; deep macros cost too much. */
function refusal(node: ASTNode, macroDepth: number): string | undefined {
  if (macroDepth > MAX_MACRO_DEPTH) return `cel rule nests list macros deeper than ${MAX_MACRO_DEPTH} levels`;
  let depth = macroDepth;
  if (node.op === 'call' || node.op === 'rcall') {
    const [name] = node.args;
    if (name === 'matches') return 'cel function matches is not supported: its run time cannot be bounded';
    if (MACROS.has(name)) depth++;
    else if (!FUNCTIONS.has(name)) return `failed to compile cel rule: undeclared reference to '${name}'`;
  }
  for (const child of childNodes(node.args)) {
    const refused = refusal(child, depth);
    if (refused !== undefined) return refused;
  }
  return undefined;
}

function childNodes(args: unknown): ASTNode[] {
  if (Array.isArray(args)) return args.flatMap(childNodes);
  return typeof args === 'object' && args !== null && 'op' in args ? [args as ASTNode] : [];
}
