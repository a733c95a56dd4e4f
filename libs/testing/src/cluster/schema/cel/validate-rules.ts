import { equal, isObject, type JsonObject } from '../../objects/json.js';
import type { StatusCause } from '../../objects/refusal.js';
import type { SchemaNode } from '../schema-node.js';
import { celValue } from './cel-value.js';
import { type CompiledRule, compiledRule, costOf, type RuleInput } from './compiled-rule.js';

/** Steps that all rules of one write may take together, and one rule alone: the API server's limits. */
const TOTAL_BUDGET = 10_000_000;
const RULE_BUDGET = 1_000_000;
const MAX_MESSAGE_BYTES = 5 * 1024;
const OUT_OF_BUDGET = 'validation failed due to running out of cost budget, no further validation rules will be run';

type Run = { causes: StatusCause[]; warnings: string[]; budget: number };

/** A value, the earlier value at its place, and a check if the write left it unchanged. */
type Visit = Readonly<{ value: unknown; old: unknown; path: string; unchanged: () => boolean }>;

/**
 * Returns the `x-kubernetes-validations` that an object breaks, in the API server's words. A rule about a
 * part that the write leaves unchanged is a warning, unless it compares with the old value.
 */
export function brokenRules(object: unknown, old: unknown, root: SchemaNode): Readonly<Omit<Run, 'budget'>> {
  const run: Run = { causes: [], warnings: [], budget: TOTAL_BUDGET };
  walk({ value: object, old, path: '', unchanged: () => false }, root, run);
  return run;
}

function walk(parent: Visit, node: SchemaNode, run: Run): void {
  const { value, old } = parent;
  if (value === null || value === undefined || run.budget < 0 || !node.rulesBelow) return;
  const visit = old === undefined ? parent : { ...parent, unchanged: () => equal(value, old) };
  checkRules(visit, node, run);
  if (node.raw.allOf !== undefined) for (const all of node.alternatives('allOf')) walk(visit, all, run);
  if (Array.isArray(value)) walkItems(visit, value, node, run);
  else if (isObject(value)) walkFields(visit, value, node, run);
}

/** Visits the items of a list. They have an earlier value only if keys identify them. */
function walkItems(visit: Visit, value: readonly unknown[], node: SchemaNode, run: Run): void {
  const { items } = node;
  if (items === undefined) return;
  const identity = (item: unknown) => JSON.stringify(node.listKeys.map((key) => (isObject(item) ? item[key] : null)));
  const before = node.listType === 'map' && Array.isArray(visit.old) ? visit.old : [];
  const byIdentity = new Map(before.map((item) => [identity(item), item]));
  for (const [index, item] of value.entries()) {
    walk({ ...visit, value: item, old: byIdentity.get(identity(item)), path: `${visit.path}[${index}]` }, items, run);
  }
}

function walkFields(visit: Visit, value: JsonObject, node: SchemaNode, run: Run): void {
  const before = isObject(visit.old) && node.mapType !== 'atomic' ? visit.old : {};
  for (const [name, inner] of Object.entries(value)) {
    const declared = node.property(name);
    const own = declared ?? node.additional;
    if (own === undefined || own === true) continue;
    const path = declared === undefined ? `${visit.path}[${name}]` : childPath(visit.path, name);
    const old = Object.hasOwn(before, name) ? before[name] : undefined;
    walk({ ...visit, value: inner, old, path }, own, run);
  }
}

const childPath = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);

function checkRules(visit: Visit, node: SchemaNode, run: Run): void {
  const rules = node.rules.flatMap((raw) => compiledRule(raw) ?? []);
  if (rules.length === 0) return;
  const old = visit.old === null ? undefined : visit.old;
  const input = { self: celValue(visit.value, node), oldSelf: old === undefined ? old : celValue(old, node) };
  for (const rule of rules) {
    if (run.budget < 0) return;
    if (!rule.usesOldSelf || old !== undefined || rule.optionalOldSelf) checkRule(rule, input, visit, node, run);
  }
}

function checkRule(rule: CompiledRule, input: RuleInput, visit: Visit, node: SchemaNode, run: Run): void {
  const cost = costOf(rule, input);
  run.budget = cost > RULE_BUDGET ? -1 : run.budget - cost;
  if (run.budget < 0) {
    run.causes.push(fault('', visit.path, node.type, OUT_OF_BUDGET));
    return;
  }
  const result = rule.evaluate(input);
  if ('error' in result) {
    const text = `${result.error} evaluating rule: ${rule.message.replace(/^failed rule: /, '')}`;
    run.causes.push(fault('', visit.path, node.type, text));
    return;
  }
  if (result.value === true) return;
  const path = rule.fieldPath === '' ? visit.path : childPath(visit.path, rule.fieldPath);
  const cause = fault(rule.reason, path, node.type, messageOf(rule, input));
  if (!rule.usesOldSelf && visit.unchanged()) run.warnings.push(`${cause.field}: ${cause.message}`);
  else run.causes.push(cause);
}

function messageOf({ message, messageExpression }: CompiledRule, input: RuleInput): string {
  const made = messageExpression === undefined ? undefined : messageExpression.evaluate(input);
  const text = made !== undefined && 'value' in made && typeof made.value === 'string' ? made.value.trim() : '';
  return text === '' || text.includes('\n') || Buffer.byteLength(text) > MAX_MESSAGE_BYTES ? message : text;
}

function fault(reason: string, path: string, type: string, text: string): StatusCause {
  const field = path === '' ? '<nil>' : path;
  const shown = JSON.stringify(type);
  switch (reason) {
    case 'FieldValueForbidden':
      return { reason, field, message: `Forbidden: ${text}` };
    case 'FieldValueRequired':
      return { reason, field, message: `Required value: ${text}` };
    case 'FieldValueDuplicate':
      return { reason, field, message: `Duplicate value: ${shown}` };
    default:
      return { reason: 'FieldValueInvalid', field, message: `Invalid value: ${shown}: ${text}` };
  }
}
