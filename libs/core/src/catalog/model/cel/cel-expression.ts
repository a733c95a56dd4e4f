import { type ASTNode, Environment } from '@marcbachmann/cel-js';
import { RE2JS } from 're2js';
import { parseTolerant } from '../../../kernel/versions/blang-version.js';
import { compareVersions } from '../../../kernel/versions/version.js';
import { walksThroughAny } from './any-ranges.js';
import { type CelCost, celCost, childNodes, longestCollection, MACROS, worstCase } from './cel-cost.js';
import { withFailingLists, withPlainHas } from './has-fields.js';
import { withMoreOperators } from './more-operators.js';
import { looseSyntax } from './strict-syntax.js';

/** A compiled expression: a test on the values of its variables. A run-time error counts as "not met". */
type CelExpression = Readonly<{
  holds: (context: Readonly<Record<string, unknown>>) => boolean;
  /** Evaluates as `holds` does. Returns undefined after a run-time error. */
  answer: (context: Readonly<Record<string, unknown>>) => boolean | undefined;
  /** Returns the run-time error, in one line. Returns undefined if there is none. */
  failure: (context: Readonly<Record<string, unknown>>) => string | undefined;
}>;

/** Characters of one rule; longer ones are refused before parsing. */
const MAX_RULE_LENGTH = 16_384;
/**
 * Nodes that one evaluation may visit in the worst case: a fraction of a second. Beyond, the
 * candidate does not meet it.
 */
const MAX_COST = 2_000_000;
/**
 * Characters of a regular expression; it is matched in linear time, but each character costs
 * a step for each of these.
 */
const MAX_PATTERN_LENGTH = 1_000;

/** CEL's standard library. Other functions of the evaluator do not exist in OLM. */
const FUNCTIONS = new Set([
  ...['contains', 'startsWith', 'endsWith', 'matches', 'size', 'has', 'dyn', 'type', 'semver_compare', 'in'],
  ...['int', 'uint', 'double', 'string', 'bytes', 'bool', 'timestamp', 'duration'],
  ...['getDate', 'getDayOfMonth', 'getDayOfWeek', 'getDayOfYear', 'getFullYear', 'getMonth'],
  ...['getHours', 'getMinutes', 'getSeconds', 'getMilliseconds'],
]);
/** The evaluator's own `matches` backtracks and cannot be replaced under its name. */
const LINEAR_MATCHES = 'matches_re2';

/** Numbers count as their text: 1.5 is version 1.5.0. */
function semverCompare(a: unknown, b: unknown): bigint {
  const [left, right] = [parseTolerant(String(a)), parseTolerant(String(b))];
  if ('error' in left) throw new Error(left.error);
  if ('error' in right) throw new Error(right.error);
  return BigInt(compareVersions(left, right));
}

function matchesLinear(text: string, pattern: string): boolean {
  if (pattern.length > MAX_PATTERN_LENGTH) throw new Error('regular expression is too long');
  return RE2JS.compile(pattern).matcher(text).find();
}

/**
 * Returns an environment with CEL's standard library and OLM's `semver_compare`, bounded; the caller
 * registers its variables.
 */
export const celEnvironment = (): Environment =>
  withMoreOperators(
    new Environment({
      homogeneousAggregateLiterals: false,
      limits: { maxAstNodes: 2_000, maxDepth: 50, maxListElements: 200, maxMapEntries: 200, maxCallArguments: 8 },
    }),
  )
    .registerFunction('semver_compare(dyn, dyn): int', semverCompare)
    .registerFunction('int(google.protobuf.Timestamp): int', (time: Date) => BigInt(Math.floor(time.getTime() / 1000)))
    .registerFunction(`string.${LINEAR_MATCHES}(string): bool`, matchesLinear)
    .registerFunction(`${LINEAR_MATCHES}(string, string): bool`, matchesLinear);

/**
 * Compiles an expression, or returns the reason why it is unusable (spec: classic-resolution.md §5).
 * `anyRanges`: a macro may walk through a value of unknown type.
 */
export function compileExpression(
  source: string,
  environment: Environment,
  { anyRanges }: Readonly<{ anyRanges: boolean }>,
): CelExpression | Readonly<{ error: string }> {
  if (source.length > MAX_RULE_LENGTH) return { error: `cel rule is longer than ${MAX_RULE_LENGTH} characters` };
  const parse = (text: string): ASTNode => environment.parse(text).ast;
  const rewritten = attempt(() => withFailingLists(withPlainHas(source, parse), parse));
  if ('error' in rewritten) return { error: `failed to compile cel rule: ${rewritten.error}` };
  const parsed = attempt(() => environment.parse(rewritten.value));
  if ('error' in parsed) return { error: `failed to compile cel rule: ${parsed.error}` };
  const { ast } = parsed.value;
  const unknown = unknownFunction(ast);
  if (unknown !== undefined) return { error: `failed to compile cel rule: undeclared reference to '${unknown}'` };
  const cost = celCost(ast);
  if ('error' in cost) return cost;
  if (!anyRanges && walksThroughAny(ast)) {
    return {
      error:
        "failed to compile cel rule: expression of type 'any' cannot be range of a comprehension (must be list, map, or dynamic)",
    };
  }
  matchInLinearTime(ast);
  const checked = parsed.value.check();
  if (!checked.valid) {
    const why = (checked.error?.message ?? 'it does not type-check').replaceAll(LINEAR_MATCHES, 'matches');
    return { error: `failed to compile cel rule: ${why}` };
  }
  const loose = looseSyntax(ast, rewritten.value);
  if (loose !== undefined) return { error: `failed to compile cel rule: ${loose}` };
  if (checked.type !== 'bool' && !(anyRanges && checked.type === 'dyn')) {
    return { error: `cel expressions must have type Bool, this one has ${checked.type}` };
  }
  const evaluate = (context: Readonly<Record<string, unknown>>) => evaluated(parsed.value, cost, context);
  const answer = (context: Readonly<Record<string, unknown>>) => {
    const result = evaluate(context);
    return 'value' in result ? result.value === true : undefined;
  };
  const failure = (context: Readonly<Record<string, unknown>>) => {
    const result = evaluate(context);
    // Below the first line the evaluator draws the place.
    return 'error' in result ? result.error.split('\n')[0] : undefined;
  };
  return { answer, holds: (context) => answer(context) === true, failure };
}

function evaluated(rule: (context: object) => unknown, cost: CelCost, context: object) {
  if (worstCase(cost, longestCollection(context)) > MAX_COST) return { error: 'it would take too many steps' };
  return attempt(() => rule(context));
}

function attempt<T>(action: () => T): Readonly<{ value: T }> | Readonly<{ error: string }> {
  try {
    return { value: action() };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

function unknownFunction(node: ASTNode): string | undefined {
  if (node.op === 'call' || node.op === 'rcall') {
    const [name] = node.args;
    if (!FUNCTIONS.has(name) && !MACROS.has(name)) return name;
  }
  for (const child of childNodes(node.args)) {
    const unknown = unknownFunction(child);
    if (unknown !== undefined) return unknown;
  }
  return undefined;
}

function matchInLinearTime(node: ASTNode): void {
  if ((node.op === 'call' || node.op === 'rcall') && node.args[0] === 'matches') node.args[0] = LINEAR_MATCHES;
  for (const child of childNodes(node.args)) matchInLinearTime(child);
}
