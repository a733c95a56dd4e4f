import { byCodeUnit } from '../canonical/canonical-json.js';
import { goQuote } from '../versions/go-quote.js';
import { labelKeyProblems, labelValueProblems } from './label-syntax.js';

/** A label selector as Kubernetes' API has it. */
export type LabelSelector = Readonly<{
  matchLabels?: Readonly<Record<string, string>> | undefined;
  matchExpressions?: readonly LabelExpression[] | undefined;
}>;
type LabelExpression = Readonly<{ key: string; operator: string; values?: readonly string[] | undefined }>;

/** True if a selector made by {@link readSelector} selects the labels. */
type Selects = (labels: Readonly<Record<string, string>>) => boolean;

type Values = readonly string[];
type Operator = Readonly<{ takesValues: boolean; holds: (label: string | undefined, values: Values) => boolean }>;

const OPERATORS: ReadonlyMap<string, Operator> = new Map([
  ['In', { takesValues: true, holds: (label, values) => label !== undefined && values.includes(label) }],
  ['NotIn', { takesValues: true, holds: (label, values) => label === undefined || !values.includes(label) }],
  ['Exists', { takesValues: false, holds: (label) => label !== undefined }],
  ['DoesNotExist', { takesValues: false, holds: (label) => label === undefined }],
]);

/** Reads a selector, or returns its error in Kubernetes' words. None, or an empty one, selects everything. */
export function readSelector(selector: LabelSelector | undefined): Selects | Readonly<{ error: string }> {
  const expressions: readonly LabelExpression[] = [
    ...Object.entries(selector?.matchLabels ?? {})
      .sort(([a], [b]) => byCodeUnit(a, b))
      .map(([key, value]) => ({ key, operator: 'In', values: [value] })),
    ...(selector?.matchExpressions ?? []),
  ];
  const tests: Selects[] = [];
  for (const { key, operator: name, values = [] } of expressions) {
    const operator = OPERATORS.get(name);
    if (operator === undefined) return { error: `${goQuote(name)} is not a valid label selector operator` };
    const problems = expressionProblems(key, values, operator);
    if (problems.length > 0) return { error: problems.length === 1 ? problems.join() : `[${problems.join(', ')}]` };
    tests.push((labels) => operator.holds(Object.hasOwn(labels, key) ? labels[key] : undefined, values));
  }
  return (labels) => tests.every((test) => test(labels));
}

function expressionProblems(key: string, values: Values, { takesValues }: Operator): string[] {
  const problems: string[] = [];
  const invalid = (path: string, value: string, rules: readonly string[]): void => {
    if (rules.length > 0) problems.push(`${path}: Invalid value: ${value}: ${rules.join('; ')}`);
  };
  invalid('key', goQuote(key), labelKeyProblems(key));
  if (takesValues && values.length === 0) {
    invalid('values', 'null', ["for 'in', 'notin' operators, values set can't be empty"]);
  }
  if (!takesValues && values.length > 0) {
    invalid('values', JSON.stringify(values), ['values set must be empty for exists and does not exist']);
  }
  for (const [index, value] of values.entries()) {
    invalid(`values[${index}][${key}]`, goQuote(value), labelValueProblems(value));
  }
  return problems;
}
