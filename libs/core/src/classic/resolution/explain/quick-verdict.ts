import type { Constraint, ConstraintSystem } from '../constraints/constraint-system.js';

/** More constraints are left to the second solver: each pass goes over all of them. */
const MOST_CONSTRAINTS = 100;

/**
 * Decides if constraints can hold together when that is visible without a search; otherwise `unknown`. It is
 * independent of the search that it checks. A "no" follows from rules that leave one value for a variable
 * each. A "yes" follows from values for all variables under which every constraint was seen to hold.
 */
export function quickVerdict(
  { constraints }: ConstraintSystem,
  indices: readonly number[],
): 'satisfiable' | 'unsatisfiable' | 'unknown' {
  if (indices.length > MOST_CONSTRAINTS) return 'unknown';
  const chosen = indices.flatMap((index) => constraints[index] ?? []);
  const values = new Map<number, boolean>();
  if (!propagates(chosen, values)) return 'unsatisfiable';
  for (let open = unmet(chosen, values); open !== undefined; open = unmet(chosen, values)) {
    values.set(open, true);
    if (!propagates(chosen, values)) return 'unknown';
  }
  return chosen.every((constraint) => holds(constraint, values)) ? 'satisfiable' : 'unknown';
}

/** Draws every consequence. Returns false if a constraint is broken. */
function propagates(constraints: readonly Constraint[], values: Map<number, boolean>): boolean {
  for (let known = -1; known !== values.size; ) {
    known = values.size;
    for (const constraint of constraints) if (!follow(constraint, values)) return false;
  }
  return true;
}

/** Sets the values that one constraint leaves no choice about. Returns false if it is broken. */
function follow(constraint: Constraint, values: Map<number, boolean>): boolean {
  const set = (variable: number, value: boolean): boolean => {
    if (!values.has(variable)) values.set(variable, value);
    return values.get(variable) === value;
  };
  switch (constraint.kind) {
    case 'mandatory':
      return set(constraint.subject, true);
    case 'prohibited':
      return set(constraint.subject, false);
    case 'conflict':
      if (values.get(constraint.subject) === true) return set(constraint.other, false);
      return values.get(constraint.other) !== true || set(constraint.subject, false);
    case 'at-most-one': {
      const chosen = constraint.members.find((member) => values.get(member) === true);
      return chosen === undefined || constraint.members.every((member) => member === chosen || set(member, false));
    }
    case 'requires': {
      const possible = constraint.candidates.filter((candidate) => values.get(candidate) !== false);
      if (possible.length === 0) return set(constraint.subject, false);
      const [only = 0] = possible;
      return possible.length > 1 || values.get(constraint.subject) !== true || set(only, true);
    }
  }
}

/** A candidate to try for a requirement that nothing meets yet. */
function unmet(constraints: readonly Constraint[], values: ReadonlyMap<number, boolean>): number | undefined {
  for (const constraint of constraints) {
    if (constraint.kind !== 'requires' || values.get(constraint.subject) !== true) continue;
    if (constraint.candidates.some((candidate) => values.get(candidate) === true)) continue;
    return constraint.candidates.find((candidate) => !values.has(candidate));
  }
  return undefined;
}

/** True if a constraint holds; variables without a value are false. */
function holds(constraint: Constraint, values: ReadonlyMap<number, boolean>): boolean {
  const isTrue = (variable: number) => values.get(variable) === true;
  switch (constraint.kind) {
    case 'mandatory':
      return isTrue(constraint.subject);
    case 'prohibited':
      return !isTrue(constraint.subject);
    case 'conflict':
      return !(isTrue(constraint.subject) && isTrue(constraint.other));
    case 'at-most-one':
      return new Set(constraint.members.filter(isTrue)).size <= 1;
    case 'requires':
      return !isTrue(constraint.subject) || constraint.candidates.some(isTrue);
  }
}
