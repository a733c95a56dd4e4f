import { FlotillaError, type Retry } from '../../errors/flotilla.error.js';
import type { ConstraintSystem } from '../constraint-system.js';
import { search } from '../search/preference-search.js';
import { SatCheck } from './sat-check.js';

/** Two solvers gave different verdicts on one problem: a defect of ours, never of the input. */
export class SolverDisagreement extends FlotillaError {
  readonly code = 'SolverDisagreement';
  readonly retry: Retry = 'when-input-changes';
  constructor(constraints: number) {
    super(
      `the search found ${constraints} constraints unsatisfiable, the independent solver satisfied them; please report this problem with "flotilla resolve" input`,
    );
  }
}

/** Search effort beyond which proofs are too long to be repeated for every constraint, in conflicts. */
const HARD = 1_000;
/** Constraints beyond which leaving out one by one takes too long. */
const MAX_MINIMISED = 400;

/**
 * Constraints that cannot hold together and of which none can be left out, from a core that may hold too many. Confirms the
 * verdict with a second solver and throws {@link SolverDisagreement} where that one disagrees. The core of a proof that was
 * hard to find (more than a thousand conflicts) is returned as it is: checking it again would take as long as finding it.
 */
export function minimalCore(system: ConstraintSystem, core: readonly number[], conflicts: number): readonly number[] {
  if (conflicts > HARD) return core;
  const smaller = shrunk(system, core);
  const check = new SatCheck(system, smaller);
  if (check.satisfiable(smaller)) throw new SolverDisagreement(smaller.length);
  if (smaller.length > MAX_MINIMISED) return smaller;
  let kept = smaller;
  for (const index of smaller) {
    const without = kept.filter((other) => other !== index);
    if (!check.satisfiable(without)) kept = without;
  }
  return kept;
}

/** Proves the core again on its own: a proof from fewer constraints often uses fewer of them. */
function shrunk(system: ConstraintSystem, core: readonly number[]): readonly number[] {
  let smallest = core;
  for (;;) {
    const rules = smallest.flatMap((index) => {
      const constraint = system.constraints[index];
      return constraint === undefined ? [] : [constraint];
    });
    const again = search({ variables: system.variables, constraints: rules }, { conflicts: HARD, work: 10_000_000 });
    if (again.verdict !== 'unsatisfiable' || again.core.length >= smallest.length) return smallest;
    const previous = smallest;
    smallest = again.core.flatMap((position) => previous[position] ?? []);
  }
}
