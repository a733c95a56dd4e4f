import { byCodeUnit } from '../../canonical/canonical-json.js';
import type { ConstraintSystem } from '../constraint-system.js';
import { constraintText } from '../constraint-text.js';
import type { Resolution } from '../resolution-problem.js';
import type { SearchResult } from '../search/preference-search.js';
import type { Snapshot } from '../snapshot.js';
import { adviceFor } from './advice.js';
import { minimalCore } from './minimal-core.js';
import { reasonTree } from './reason-tree.js';

/**
 * Why a system has no solution: OLM's message over a minimal set of constraints, the reasons as a tree, and what to do.
 * Throws SolverDisagreement where the second solver finds a solution.
 */
export function explain(
  system: ConstraintSystem,
  found: Extract<SearchResult, { verdict: 'unsatisfiable' }>,
  snapshot: Snapshot,
): Extract<Resolution, { result: 'unsatisfiable' }> {
  const minimal = minimalCore(system, found);
  const texts = minimal
    .flatMap((index) => system.constraints[index] ?? [])
    .map((constraint) => constraintText(constraint, system))
    .sort(byCodeUnit);
  const explanation = reasonTree(system, minimal, snapshot);
  return {
    result: 'unsatisfiable',
    message: `constraints not satisfiable: ${texts.join(', ')}`,
    explanation,
    advice: adviceFor(explanation),
  };
}
