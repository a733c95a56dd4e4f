import Logic from 'logic-solver';
import type { Constraint, ConstraintSystem } from '../constraint-system.js';

/**
 * A second solver that knows nothing of preferences, asked about chosen constraints of a system. Creating one
 * costs tens of milliseconds and megabytes: one per explanation, never one per question.
 */
export class SatCheck {
  readonly #solver = new Logic.Solver();

  constructor(system: ConstraintSystem, constraints: readonly number[]) {
    const chosen = constraints.flatMap((index) => {
      const constraint = system.constraints[index];
      return constraint === undefined ? [] : [{ index, constraint }];
    });
    // A variable that no other constraint mentions is false in some solution, so an at-most-one
    // constraint may leave it out.
    const wanted = new Set(chosen.flatMap(({ constraint }) => askedFor(constraint)));
    for (const { index, constraint } of chosen) {
      this.#solver.require(Logic.implies(selector(index), formula(constraint, wanted)));
    }
  }

  /** Whether the constraints given, a subset of the constructor's, can hold together. */
  satisfiable(constraints: readonly number[]): boolean {
    if (constraints.length === 0) return true;
    return this.#solver.solveAssuming(Logic.and(...constraints.map(selector))) !== null;
  }
}

const selector = (index: number): string => `rule ${index}`;
const variable = (index: number): string => `variable ${index}`;
const not = (index: number): string => `-${variable(index)}`;

function askedFor(constraint: Constraint): readonly number[] {
  if (constraint.kind === 'mandatory') return [constraint.subject];
  return constraint.kind === 'requires' ? constraint.candidates : [];
}

function formula(constraint: Constraint, wanted: ReadonlySet<number>) {
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
