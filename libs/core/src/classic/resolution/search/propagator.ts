import type { Constraint } from '../constraints/constraint-system.js';

/** Literals: `2·v` means variable v is true, `2·v+1` that it is false. */
export type Literal = number;
export const positive = (variable: number): Literal => 2 * variable;
export const negative = (variable: number): Literal => 2 * variable + 1;
export const negated = (literal: Literal): Literal => literal ^ 1;
export const variableOf = (literal: Literal): number => literal >> 1;

/** At least one literal holds. `id`: index of the constraint, or beyond these of a learned clause. */
export type Clause = Readonly<{ id: number; literals: Literal[] }>;
/** Two members of an at-most-one constraint hold. */
type Pair = Readonly<{ id: number; a: number; b: number }>;
export type Conflict = Clause | Pair;
/**
 * The cause of a variable's value: a clause with all other literals false, or another member of an
 * at-most-one rule.
 */
export type Cause = Clause | Readonly<{ id: number; by: number }>;

type Group = Readonly<{ id: number; members: readonly number[] }>;

/** Values of variables and their consequences: two watched literals a clause, at-most-one rules natively. */
export class Propagator {
  /** 1 true, -1 false, 0 open. */
  readonly #values: Int8Array;
  readonly #levels: Int32Array;
  readonly #causes: (Cause | undefined)[];
  /** Watches by literal, and by variable; most have none. */
  readonly #watches: (Clause[] | undefined)[];
  readonly #groups: (Group[] | undefined)[];
  readonly #trail: Literal[] = [];
  readonly #levelStarts: number[] = [];
  #next = 0;
  /** Clause visits and exclusions so far: a measure of work that is the same on every machine. */
  work = 0;

  constructor(variables: number) {
    this.#values = new Int8Array(variables);
    this.#levels = new Int32Array(variables);
    this.#causes = new Array(variables);
    this.#watches = new Array(2 * variables);
    this.#groups = new Array(variables);
  }

  get level(): number {
    return this.#levelStarts.length;
  }
  get trail(): readonly Literal[] {
    return this.#trail;
  }
  /** Value of a variable: 1 true, -1 false, 0 open. */
  value(variable: number): number {
    return this.#values[variable] ?? 0;
  }
  levelOf(variable: number): number {
    return this.#levels[variable] ?? 0;
  }
  causeOf(variable: number): Cause | undefined {
    return this.#causes[variable];
  }
  /** Ids of the at-most-one rules that the variable is a member of. */
  groupsOf(variable: number): readonly number[] {
    return (this.#groups[variable] ?? []).map(({ id }) => id);
  }

  /**
   * Adds a constraint before the search; a conflict means that the constraints
   * contradict each other outright.
   */
  add(constraint: Constraint, id: number): Conflict | undefined {
    if (constraint.kind !== 'at-most-one') return this.addClause({ id, literals: literalsOf(constraint) });
    const group = { id, members: constraint.members };
    for (const member of constraint.members) append(this.#groups, member, group);
    return undefined;
  }

  /** Adds a clause and watches its first two literals. A clause of one literal takes effect at once. */
  addClause(clause: Clause): Conflict | undefined {
    const [first, second] = clause.literals;
    if (first === undefined) return clause;
    if (second === undefined) return this.assign(first, clause) ? undefined : clause;
    // A bundle that meets its own requirement: nothing is asked.
    if (clause.literals.indexOf(negated(first), 1) > 0) return undefined;
    this.#watch(first, clause);
    this.#watch(second, clause);
    return undefined;
  }

  decide(literal: Literal): void {
    this.#levelStarts.push(this.#trail.length);
    this.assign(literal, undefined);
  }

  /** False when the literal is already false. */
  assign(literal: Literal, cause: Cause | undefined): boolean {
    const value = this.#literalValue(literal);
    if (value !== 0) return value > 0;
    const variable = variableOf(literal);
    this.#values[variable] = (literal & 1) === 0 ? 1 : -1;
    this.#levels[variable] = this.level;
    this.#causes[variable] = cause;
    this.#trail.push(literal);
    return true;
  }

  backTo(level: number): void {
    const start = this.#levelStarts[level];
    if (start === undefined) return;
    for (const literal of this.#trail.splice(start)) {
      this.#values[variableOf(literal)] = 0;
      this.#causes[variableOf(literal)] = undefined;
    }
    this.#levelStarts.length = level;
    this.#next = Math.min(this.#next, start);
  }

  /** Draws all consequences, or returns the rule that is broken. */
  propagate(): Conflict | undefined {
    while (this.#next < this.#trail.length) {
      const literal = this.#trail[this.#next++] ?? 0;
      const conflict = (literal & 1) === 0 ? this.#excludeOthers(variableOf(literal)) : undefined;
      const broken = conflict ?? this.#visitWatches(negated(literal));
      if (broken !== undefined) return broken;
    }
    return undefined;
  }

  #excludeOthers(variable: number): Conflict | undefined {
    for (const { id, members } of this.#groups[variable] ?? []) {
      this.work += members.length;
      const cause = { id, by: variable };
      for (const member of members) {
        if (member === variable) continue;
        if (!this.assign(negative(member), cause)) return { id, a: variable, b: member };
      }
    }
    return undefined;
  }

  /** Visits clauses that watch a literal that has become false. */
  #visitWatches(falsified: Literal): Conflict | undefined {
    const clauses = this.#watches[falsified];
    if (clauses === undefined) return undefined;
    const kept: Clause[] = [];
    this.work += clauses.length;
    for (const [index, clause] of clauses.entries()) {
      const outcome = this.#visit(clause, falsified);
      if (outcome === 'moved') continue;
      kept.push(clause);
      if (outcome === 'broken') {
        this.#watches[falsified] = kept.concat(clauses.slice(index + 1));
        return clause;
      }
    }
    this.#watches[falsified] = kept;
    return undefined;
  }

  #visit(clause: Clause, falsified: Literal): 'moved' | 'kept' | 'broken' {
    const { literals } = clause;
    if (literals[0] === falsified) swap(literals, 0, 1);
    const other = literals[0] ?? 0;
    if (this.#literalValue(other) > 0) return 'kept';
    for (let i = 2; i < literals.length; i++) {
      const literal = literals[i] ?? 0;
      if (this.#literalValue(literal) < 0) continue;
      swap(literals, 1, i);
      this.#watch(literal, clause);
      return 'moved';
    }
    return this.assign(other, clause) ? 'kept' : 'broken';
  }

  #watch(literal: Literal, clause: Clause): void {
    append(this.#watches, literal, clause);
  }

  #literalValue(literal: Literal): number {
    const value = this.value(variableOf(literal));
    return (literal & 1) === 0 ? value : -value;
  }
}

function literalsOf(constraint: Exclude<Constraint, { kind: 'at-most-one' }>): Literal[] {
  switch (constraint.kind) {
    case 'mandatory':
      return [positive(constraint.subject)];
    case 'prohibited':
      return [negative(constraint.subject)];
    case 'requires':
      return [negative(constraint.subject), ...constraint.candidates.map(positive)];
    case 'conflict':
      return [negative(constraint.subject), negative(constraint.other)];
  }
}

function append<T>(lists: (T[] | undefined)[], at: number, item: T): void {
  const list = lists[at];
  if (list === undefined) lists[at] = [item];
  else list.push(item);
}

function swap(literals: Literal[], i: number, j: number): void {
  const [a, b] = [literals[i] ?? 0, literals[j] ?? 0];
  literals[i] = b;
  literals[j] = a;
}
