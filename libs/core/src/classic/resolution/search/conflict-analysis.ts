import {
  type Cause,
  type Conflict,
  type Literal,
  negated,
  negative,
  type Propagator,
  positive,
  variableOf,
} from './propagator.js';

/**
 * A clause that follows from the rules, and the level to continue the search at. `sources` name the
 * constraints and clauses it was derived from.
 */
type Learned = Readonly<{ literals: Literal[]; level: number; sources: readonly number[] }>;

/** First unique implication point: resolves the conflict back to one literal of the current level. */
export function analyse(conflict: Conflict, solver: Propagator): Learned {
  const seen = new Set<number>();
  const sources: number[] = [];
  const earlier: Literal[] = [];
  let open = 0;
  const take = (id: number, literals: readonly Literal[]) => {
    sources.push(id);
    for (const literal of literals) {
      const variable = variableOf(literal);
      if (seen.has(variable)) continue;
      seen.add(variable);
      const level = solver.levelOf(variable);
      if (level === solver.level) open++;
      else if (level > 0) earlier.push(literal);
      else sources.push(~variable);
    }
  };
  take(conflict.id, 'literals' in conflict ? conflict.literals : [negative(conflict.a), negative(conflict.b)]);
  for (let at = solver.trail.length - 1; ; at--) {
    const literal = solver.trail[at] ?? 0;
    const variable = variableOf(literal);
    if (!seen.has(variable)) continue;
    if (--open === 0) return learned(negated(literal), withoutImplied(earlier, seen, sources, solver), sources, solver);
    const cause = solver.causeOf(variable);
    if (cause !== undefined) take(cause.id, literalsOf(cause, literal));
  }
}

/** Drops literals that follow from the others of the clause: shorter clauses prune more and cost less. */
function withoutImplied(
  literals: readonly Literal[],
  seen: ReadonlySet<number>,
  sources: number[],
  solver: Propagator,
): Literal[] {
  return literals.filter((literal) => {
    const cause = solver.causeOf(variableOf(literal));
    if (cause === undefined) return true;
    const others = literalsOf(cause, negated(literal)).map(variableOf);
    if (!others.every((variable) => seen.has(variable) || solver.levelOf(variable) === 0)) return true;
    sources.push(cause.id, ...others.filter((variable) => solver.levelOf(variable) === 0).map((variable) => ~variable));
    return false;
  });
}

/** The literals of a cause, without the one it brought about. */
const literalsOf = (cause: Cause, implied: Literal): readonly Literal[] =>
  'literals' in cause ? cause.literals.filter((literal) => literal !== implied) : [negative(cause.by)];

/** The literal of the second highest level comes second: it is watched, and it is the level to go back to. */
function learned(asserting: Literal, earlier: Literal[], sources: readonly number[], solver: Propagator): Learned {
  const level = (literal: Literal) => solver.levelOf(variableOf(literal));
  earlier.sort((a, b) => level(b) - level(a) || a - b);
  return { literals: [asserting, ...earlier], level: earlier[0] === undefined ? 0 : level(earlier[0]), sources };
}

/**
 * Returns the constraints from which a conflict without any decision follows. They are a proof's leaves, so
 * unsatisfiable on their own, though not always minimal. `sourcesOf` gives the derivation of a learned
 * clause, and undefined for a constraint itself.
 */
export function unsatisfiableCore(
  conflict: Conflict,
  solver: Propagator,
  sourcesOf: (id: number) => readonly number[] | undefined,
): number[] {
  const core = new Set<number>();
  const visited = new Set<number>();
  const literals = 'literals' in conflict ? conflict.literals : [positive(conflict.a), positive(conflict.b)];
  const pending = [conflict.id, ...literals.map((literal) => ~variableOf(literal))];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (visited.has(next)) continue;
    visited.add(next);
    if (next < 0) pending.push(...causeSources(~next, solver));
    else {
      const sources = sourcesOf(next);
      if (sources === undefined) core.add(next);
      else pending.push(...sources);
    }
  }
  return [...core].sort((a, b) => a - b);
}

function causeSources(variable: number, solver: Propagator): number[] {
  const cause = solver.causeOf(variable);
  if (cause === undefined) return [];
  if (!('literals' in cause)) return [cause.id, ~cause.by];
  return [cause.id, ...cause.literals.map((literal) => ~variableOf(literal))];
}
