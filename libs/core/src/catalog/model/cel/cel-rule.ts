import { celEnvironment, compileExpression } from './cel-expression.js';

/** A property of a candidate, as a rule reads it. */
type CelProperty = Readonly<{ type: string; value: unknown }>;

/** A compiled rule of a `cel` constraint: a test on the properties of one candidate. */
export type CelRule = Readonly<{ source: string; holds: (properties: readonly CelProperty[]) => boolean }>;

const environment = celEnvironment().registerVariable('properties', 'list<map<string, dyn>>');

/**
 * Compiles a rule, or says why it cannot serve. A run-time error counts as "not met"
 * (spec: classic-resolution.md §5).
 */
export function compileCelRule(source: string): CelRule | Readonly<{ error: string }> {
  const compiled = compileExpression(source, environment, { anyRanges: false });
  if ('error' in compiled) return compiled;
  return {
    source,
    holds: (properties) => compiled.holds({ properties: properties.map(({ type, value }) => ({ type, value })) }),
  };
}
