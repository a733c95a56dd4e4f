import { celEnvironment, compileExpression } from '../../catalog/model/cel/cel-expression.js';
import type { CelCheck } from '../../kernel/api/fleet/fleet-strategy.js';
import type { KubernetesObject } from '../../kernel/api/kubernetes-object.js';
import { readSelector } from '../../kernel/labels/label-selector.js';
import { celValue } from '../placement/select-clusters.js';

/** The answer of a check for a cluster. Without `green` it has no answer. */
export type CheckAnswer = Readonly<{ green?: boolean; message: string }>;

const environment = celEnvironment().registerVariable('object', 'dyn');

/**
 * Returns the reason why a check cannot be evaluated, in one line with its field. Returns undefined if
 * it can.
 */
export function checkProblem({ selector, expression }: CelCheck): string | undefined {
  const bySelector = readSelector(selector);
  if (typeof bySelector !== 'function') return `selector: ${bySelector.error}`;
  const compiled = compileExpression(expression, environment, { anyRanges: true });
  return 'error' in compiled ? `expression: ${compiled.error.split('\n')[0]}` : undefined;
}

/**
 * Evaluates a check for each of its objects: the one with its name, or those that its selector chooses. There
 * is no answer without an object, or if the expression cannot be evaluated.
 */
export function celAnswer(check: CelCheck, objects: readonly KubernetesObject[]): CheckAnswer {
  const bySelector = readSelector(check.selector);
  if (typeof bySelector !== 'function') return { message: bySelector.error };
  const chosen = objects.filter(({ metadata }) =>
    check.name === undefined ? bySelector(metadata.labels ?? {}) : metadata.name === check.name,
  );
  const expression = compileExpression(check.expression, environment, { anyRanges: true });
  if ('error' in expression) return { message: expression.error };
  if (chosen.length === 0) return { message: `there is no ${check.kind} to check` };
  const answers = chosen.map((object) => ({ object, holds: expression.answer({ object: celValue(object) }) }));
  const red = answers.find(({ holds }) => holds === false);
  if (red !== undefined) return { green: false, message: `${nameOf(red.object)}: the expression is false` };
  const silent = answers.find(({ holds }) => holds === undefined);
  if (silent !== undefined) return { message: `${nameOf(silent.object)}: the expression cannot be evaluated` };
  return { green: true, message: '' };
}

const nameOf = ({ kind, metadata }: KubernetesObject): string =>
  `${kind} ${metadata.namespace === undefined ? '' : `${metadata.namespace}/`}${metadata.name}`;
