import { byCodeUnit } from '../canonical/canonical-json.js';
import type { ConstraintSystem } from './constraint-system.js';
import { constraintText } from './constraint-text.js';
import type { Resolution, ResolutionProblem } from './resolution-problem.js';

/** placeholder until the minimal core lands */
export function explain(system: ConstraintSystem, core: readonly number[], _problem: ResolutionProblem): Resolution {
  const texts = core.flatMap((index) => {
    const constraint = system.constraints[index];
    return constraint === undefined ? [] : [constraintText(constraint, system)];
  });
  return {
    result: 'unsatisfiable',
    message: `constraints not satisfiable: ${texts.sort(byCodeUnit).join(', ')}`,
    explanation: [],
    advice: '',
  };
}
