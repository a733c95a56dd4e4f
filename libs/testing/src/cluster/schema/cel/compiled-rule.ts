import { type ASTNode, type Environment, Optional } from '@marcbachmann/cel-js';
import { type CelCost, celCost, childNodes, longestCollection, worstCase } from '#core/catalog/model/cel/cel-cost';
import { withPlainHas } from '#core/catalog/model/cel/has-fields';
import { type JsonObject, stringAt } from '../../objects/json.js';
import { LINEAR_MATCHES, ruleEnvironment } from './rule-environment.js';

/** Input of a rule; `oldSelf` is undefined if there is no comparable value before. */
export type RuleInput = Readonly<{ self: unknown; oldSelf: unknown }>;

type Outcome = Readonly<{ value: unknown }> | Readonly<{ error: string }>;

/** One expression, ready to be evaluated. */
type Expression = Readonly<{ usesOldSelf: boolean; cost: CelCost; evaluate: (input: RuleInput) => Outcome }>;

/** One entry of `x-kubernetes-validations`. */
export type CompiledRule = Expression &
  Readonly<{
    message: string;
    messageExpression: Expression | undefined;
    reason: string;
    /** Below the value that the rule stands at. */
    fieldPath: string;
    optionalOldSelf: boolean;
  }>;

const MAX_RULE_LENGTH = 16_384;
let environment: Environment | undefined;
const compiledRules = new WeakMap<JsonObject, CompiledRule | 'unsupported'>();

/**
 * Compiles the rule. Returns undefined if it needs something that the evaluator does not have: such a rule is
 * not enforced.
 */
export function compiledRule(raw: JsonObject): CompiledRule | undefined {
  let made = compiledRules.get(raw);
  if (made === undefined) {
    made = compile(raw) ?? 'unsupported';
    compiledRules.set(raw, made);
  }
  return made === 'unsupported' ? undefined : made;
}

function compile(raw: JsonObject): CompiledRule | undefined {
  const text = (field: string) => (stringAt(raw, field) ?? '').trim();
  const optionalOldSelf = raw.optionalOldSelf === true;
  const expression = compiledExpression(text('rule'), optionalOldSelf);
  if (expression === undefined) return undefined;
  const ofMessage = text('messageExpression');
  return {
    ...expression,
    message: text('message') || `failed rule: ${text('rule')}`,
    messageExpression: ofMessage === '' ? undefined : compiledExpression(ofMessage, optionalOldSelf),
    reason: text('reason'),
    fieldPath: text('fieldPath').replace(/^\./, ''),
    optionalOldSelf,
  };
}

function compiledExpression(source: string, optionalOldSelf: boolean): Expression | undefined {
  if (source === '' || source.length > MAX_RULE_LENGTH) return undefined;
  environment ??= ruleEnvironment();
  const rules = environment;
  try {
    const parsed = rules.parse(withPlainHas(source, (text) => rules.parse(text).ast));
    const cost = celCost(parsed.ast);
    matchInLinearTime(parsed.ast);
    if ('error' in cost || !parsed.check().valid) return undefined;
    const evaluate = ({ self, oldSelf }: RuleInput) => {
      const optional = oldSelf === undefined ? Optional.none() : Optional.of(oldSelf);
      return outcome(() => parsed({ self, oldSelf: optionalOldSelf ? optional : (oldSelf ?? null) }));
    };
    return { usesOldSelf: names(parsed.ast).has('oldSelf'), cost, evaluate };
  } catch {
    return undefined;
  }
}

/** Steps that one evaluation takes at most. */
export function costOf({ cost }: Expression, { self, oldSelf }: RuleInput): number {
  const loops = cost.perDepth.length > 1;
  return worstCase(cost, loops ? Math.max(longestCollection(self), longestCollection(oldSelf)) : 1);
}

function outcome(evaluate: () => unknown): Outcome {
  try {
    return { value: evaluate() };
  } catch (error) {
    const [first = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
    return { error: first.replace(/^No such key/, 'no such key') };
  }
}

const names = (node: ASTNode): Set<string> =>
  new Set([...(node.op === 'id' ? [node.args] : []), ...childNodes(node.args).flatMap((child) => [...names(child)])]);

function matchInLinearTime(node: ASTNode): void {
  if ((node.op === 'call' || node.op === 'rcall') && node.args[0] === 'matches') node.args[0] = LINEAR_MATCHES;
  for (const child of childNodes(node.args)) matchInLinearTime(child);
}
