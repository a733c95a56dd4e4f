import { celEnvironment, compileExpression } from '../../catalog/model/cel/cel-expression.js';
import type { FieldRule } from '../../kernel/api/fleet/fleet-fields.js';
import { celValue } from '../placement/select-clusters.js';

/** A node of a JSON schema, as far as rules and their places need it. */
export type RuleSchema = Readonly<{
  properties?: Readonly<Record<string, RuleSchema>>;
  items?: RuleSchema;
  'x-kubernetes-validations'?: readonly FieldRule[];
}>;

const environment = celEnvironment().registerVariable('self', 'dyn').registerVariable('oldSelf', 'dyn');
const compiled = new Map<string, ReturnType<typeof compileExpression>>();

/**
 * Returns the CEL rules that a value breaks, each with the path of its field. A rule about `oldSelf` holds if
 * there was no value before, as in the API server.
 */
export function brokenRules(schema: RuleSchema, value: unknown, before: unknown, path: string): string[] {
  const broken = (schema['x-kubernetes-validations'] ?? [])
    .filter(({ isServers }) => isServers !== true)
    .filter(({ rule }) => !rule.includes('oldSelf') || before !== undefined)
    .filter(({ rule }) => !holds(rule, value, before))
    .map(({ message }) => `${path}: ${message}`);
  if (Array.isArray(value) && schema.items !== undefined) {
    const { items } = schema;
    return [...broken, ...value.flatMap((one, at) => brokenRules(items, one, undefined, `${path}[${at}]`))];
  }
  if (typeof value !== 'object' || value === null) return broken;
  for (const [key, inner] of Object.entries(schema.properties ?? {})) {
    const one = (value as Readonly<Record<string, unknown>>)[key];
    if (one === undefined) continue;
    const was = (before as Readonly<Record<string, unknown>> | undefined)?.[key];
    broken.push(...brokenRules(inner, one, was, `${path}.${key}`));
  }
  return broken;
}

function holds(rule: string, self: unknown, oldSelf: unknown): boolean {
  const known = compiled.get(rule) ?? compileExpression(rule, environment, { anyRanges: true });
  compiled.set(rule, known);
  if ('error' in known) throw new Error(`rule ${rule} cannot be read: ${known.error}`);
  return known.holds({ self: celValue(self), oldSelf: celValue(oldSelf ?? null) });
}
