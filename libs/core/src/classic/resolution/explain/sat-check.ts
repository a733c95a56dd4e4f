import type { Constraint, ConstraintSystem } from '../constraints/constraint-system.js';
import { secondSolver } from './second-solver.js';

type Solver = InstanceType<ReturnType<typeof secondSolver>['Solver']>;

/**
 * Creating a solver costs milliseconds and megabytes, so one serves many systems. Each system has its own
 * names in it, and its constraints count only if they are assumed. After this many constraints the solver is
 * recreated.
 */
const MOST_CONSTRAINTS = 2_000;
let shared = { solver: undefined as Solver | undefined, constraints: 0, systems: 0 };

function solverFor(constraints: number): Readonly<{ solver: Solver; system: number }> {
  if (shared.constraints + constraints > MOST_CONSTRAINTS) shared = { ...shared, solver: undefined, constraints: 0 };
  const solver = shared.solver ?? new (secondSolver().Solver)();
  shared = { solver, constraints: shared.constraints + constraints, systems: shared.systems + 1 };
  return { solver, system: shared.systems };
}

/** A second solver that knows nothing of preferences, asked about chosen constraints of a system. */
export class SatCheck {
  readonly #solver: Solver;
  readonly #names: Names;

  constructor(system: ConstraintSystem, constraints: readonly number[]) {
    const chosen = constraints.flatMap((index) => {
      const constraint = system.constraints[index];
      return constraint === undefined ? [] : [{ index, constraint }];
    });
    const { solver, system: number } = solverFor(chosen.length);
    this.#solver = solver;
    this.#names = namesIn(number);
    // A variable that no other constraint mentions is false in some solution, so an at-most-one
    // constraint may leave it out.
    const wanted = new Set(chosen.flatMap(({ constraint }) => askedFor(constraint)));
    for (const { index, constraint } of chosen) {
      solver.require(secondSolver().implies(this.#names.selector(index), formula(constraint, wanted, this.#names)));
    }
  }

  /** True if the given constraints, a subset of the constructor's, can hold together. */
  satisfiable(constraints: readonly number[]): boolean {
    if (constraints.length === 0) return true;
    return this.#solver.solveAssuming(secondSolver().and(...constraints.map(this.#names.selector))) !== null;
  }
}

type Names = Readonly<{ selector: (index: number) => string; variable: (index: number) => string }>;

const namesIn = (system: number): Names => ({
  selector: (index) => `rule ${system}.${index}`,
  variable: (index) => `variable ${system}.${index}`,
});

function askedFor(constraint: Constraint): readonly number[] {
  if (constraint.kind === 'mandatory') return [constraint.subject];
  return constraint.kind === 'requires' ? constraint.candidates : [];
}

function formula(constraint: Constraint, wanted: ReadonlySet<number>, { variable }: Names) {
  const not = (index: number): string => `-${variable(index)}`;
  const Logic = secondSolver();
  switch (constraint.kind) {
    case 'mandatory':
      return variable(constraint.subject);
    case 'prohibited':
      return not(constraint.subject);
    case 'requires':
      return Logic.or(not(constraint.subject), ...constraint.candidates.map(variable));
    case 'conflict':
      return Logic.or(not(constraint.subject), not(constraint.other));
    case 'at-most-one':
      return Logic.atMostOne(...constraint.members.filter((member) => wanted.has(member)).map(variable));
  }
}
