import { FlotillaError, type Retry } from '../../../kernel/errors/flotilla.error.js';
import type { ConstraintSystem } from '../constraints/constraint-system.js';
import { type SearchBudget, type SearchResult, search } from '../search/preference-search.js';
import { quickVerdict } from './quick-verdict.js';
import { SatCheck } from './sat-check.js';

/** Thrown if two solvers gave different verdicts on one problem: a defect of Flotilla, never of the input. */
class SolverDisagreement extends FlotillaError {
  readonly code = 'SolverDisagreement';
  readonly retry: Retry = 'when-input-changes';
  constructor(constraints: number) {
    super(
      `the search found ${constraints} constraints unsatisfiable, the independent solver satisfied them; please report this problem with "flotilla resolve" input`,
    );
  }
}

/**
 * Search effort, in conflicts. Longer proofs take too long for the second solver, which cannot be
 * interrupted.
 */
const HARD = 1_000;
/** Constraints beyond which leaving out one by one takes too long. */
const MAX_MINIMISED = 400;
/** Search effort to see whether a constraint of a hard core can be left out, and for all of them together. */
const ONE_TRIAL = { conflicts: 500, work: 2_000_000 };
const TRIALS_WORK = 40_000_000;

type Unsatisfiable = Extract<SearchResult, { verdict: 'unsatisfiable' }>;

/**
 * Shrinks a core that may be too large to constraints that cannot hold together and are all needed. Confirms
 * the verdict with a second solver and throws {@link SolverDisagreement} if that one disagrees. A pigeonhole
 * proof, or one that was hard to find, would take the second solver too long. For those the search itself
 * tries to leave constraints out, with limited effort, so a very hard proof may keep some that are not
 * needed.
 */
export function minimalCore(system: ConstraintSystem, { core, counted, conflicts }: Unsatisfiable): readonly number[] {
  if (counted || conflicts > HARD) return minimisedBySearch(system, shrunk(system, core));
  const smaller = shrunk(system, core);
  const check = checkOf(system, smaller);
  if (check(smaller)) throw new SolverDisagreement(smaller.length);
  if (smaller.length > MAX_MINIMISED) return smaller;
  let kept = smaller;
  for (const index of smaller) {
    const without = kept.filter((other) => other !== index);
    if (!check(without)) kept = without;
  }
  return kept;
}

/**
 * Decides without the search if some of these constraints can hold together. The second solver costs
 * milliseconds to begin with, so it is asked only when needed.
 */
function checkOf(system: ConstraintSystem, constraints: readonly number[]): (some: readonly number[]) => boolean {
  let second: SatCheck | undefined;
  return (some) => {
    const verdict = quickVerdict(system, some);
    if (verdict !== 'unknown') return verdict === 'satisfiable';
    second ??= new SatCheck(system, constraints);
    return second.satisfiable(some);
  };
}

function minimisedBySearch(system: ConstraintSystem, core: readonly number[]): readonly number[] {
  let kept = core;
  let work = 0;
  for (const index of core) {
    if (work > TRIALS_WORK) break;
    if (!kept.includes(index)) continue;
    const found = proof(
      system,
      kept.filter((other) => other !== index),
      ONE_TRIAL,
    );
    work += found.work;
    if (found.core !== undefined) kept = found.core;
  }
  return kept;
}

/** Proves the core again on its own: a proof from fewer constraints often uses fewer of them. */
function shrunk(system: ConstraintSystem, core: readonly number[]): readonly number[] {
  for (let smallest = core; ; ) {
    const again = proof(system, smallest, { conflicts: HARD, work: 10_000_000 }).core;
    if (again === undefined || again.length >= smallest.length) return smallest;
    smallest = again;
  }
}

/**
 * Searches a proof from the given constraints alone. `core` has the system's indices; undefined if there is
 * no proof.
 */
function proof(
  { variables, constraints }: ConstraintSystem,
  indices: readonly number[],
  budget: SearchBudget,
): Readonly<{ core?: readonly number[]; work: number }> {
  const chosen = indices.flatMap((index) => constraints[index] ?? []);
  const found = search({ variables, constraints: chosen }, budget);
  const { work } = found;
  return found.verdict === 'unsatisfiable' ? { core: found.core.flatMap((at) => indices[at] ?? []), work } : { work };
}
