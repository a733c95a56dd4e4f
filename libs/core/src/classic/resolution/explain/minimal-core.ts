import { FlotillaError, type Retry } from '../../../kernel/errors/flotilla.error.js';
import type { ConstraintSystem } from '../constraints/constraint-system.js';
import { type SearchBudget, type SearchResult, search } from '../search/preference-search.js';
import { quickVerdict } from './quick-verdict.js';
import { SatCheck } from './sat-check.js';

/** Two solvers gave different verdicts on one problem: a defect of ours, never of the input. */
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
 * Search effort beyond which proofs are too long for the second solver, which cannot be
 * interrupted; in conflicts.
 */
const HARD = 1_000;
/** Constraints beyond which leaving out one by one takes too long. */
const MAX_MINIMISED = 400;
/** Search effort to see whether a constraint of a hard core can be left out, and for all of them together. */
const ONE_TRIAL = { conflicts: 500, work: 2_000_000 };
const TRIALS_WORK = 40_000_000;

type Unsatisfiable = Extract<SearchResult, { verdict: 'unsatisfiable' }>;

/**
 * Constraints that cannot hold together and of which none can be left out, from a core that may hold too
 * many. Confirms the verdict with a second solver and throws {@link SolverDisagreement} where that one
 * disagrees. A pigeonhole proof, or one that was hard to find, would take the second solver too long: there
 * the search itself tries what can be left out, with limited effort, so that some constraints too many may
 * remain of a very hard proof.
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
 * Whether some of these constraints can hold together, decided without the search. The second solver, which
 * costs milliseconds to begin with, is asked where one is needed.
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
 * The core, by the system's indices, of a proof from the given constraints alone; none where none was found.
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
