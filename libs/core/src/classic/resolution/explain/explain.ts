import { byCodeUnit } from '../../../kernel/canonical/canonical-json.js';
import type { ConstraintSystem } from '../constraints/constraint-system.js';
import { constraintText } from '../constraints/constraint-text.js';
import type { Snapshot } from '../constraints/snapshot.js';
import type { Resolution } from '../problem/resolution-problem.js';
import { adviceFor } from './advice.js';
import { reasonTree } from './reason-tree.js';

/**
 * Explains a system without a solution: OLM's message over a set of constraints that cannot hold together,
 * the reasons as a tree, and advice. `core`: indices of the constraints, as `minimalCore` gives them.
 */
export function explain(
  system: ConstraintSystem,
  core: readonly number[],
  snapshot: Snapshot,
): Extract<Resolution, { result: 'unsatisfiable' }> {
  const texts = core
    .flatMap((index) => system.constraints[index] ?? [])
    .map((constraint) => constraintText(constraint, system))
    .sort(byCodeUnit);
  const explanation = reasonTree(system, core, snapshot);
  return {
    result: 'unsatisfiable',
    message: `constraints not satisfiable: ${texts.join(', ')}`,
    explanation,
    advice: adviceFor(explanation),
  };
}
