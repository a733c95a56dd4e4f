import type { ConstraintSystem } from '../constraint-system.js';
import { analyse, unsatisfiableCore } from './conflict-analysis.js';
import { findCrowd, type Need } from './crowding.js';
import { type Clause, type Conflict, negative, Propagator, positive, variableOf } from './propagator.js';

/** Bounds on the work of one search, in units that do not depend on the machine. */
export type SearchBudget = Readonly<{
  conflicts: number;
  work: number;
  /** Whether seats suffice is counted once so many conflicts are met, and again after every so many more. */
  counting?: Readonly<{ from: number; every: number }>;
}>;
export const DEFAULT_BUDGET: SearchBudget = { conflicts: 50_000, work: 150_000_000 };

const COUNTING = { from: 64, every: 16 };

/**
 * `picked`: variables of the solution, in order of choice. `core`: indices of constraints that cannot hold
 * together; `counted`: its proof counts seats, which clauses alone may not repeat in reasonable time.
 */
export type SearchResult = Readonly<{ conflicts: number; work: number }> &
  (
    | Readonly<{ verdict: 'satisfiable'; picked: readonly number[] }>
    | Readonly<{ verdict: 'unsatisfiable'; core: readonly number[]; counted: boolean }>
    | Readonly<{ verdict: 'exhausted' }>
  );

/**
 * The lexicographically best solution by the order of constraints and of candidates in them: what OLM's
 * chronological search finds for one order of its anchors (spec: classic-resolution.md §7), with learning in
 * place of blind backtracking.
 */
export function search(system: ConstraintSystem, budget: SearchBudget = DEFAULT_BUDGET): SearchResult {
  return new PreferenceSearch(system, budget).run();
}

type State = Readonly<{ position: number; queued: number; picked: number }>;

class PreferenceSearch {
  readonly #solver: Propagator;
  readonly #constraints: ConstraintSystem['constraints'];
  readonly #budget: SearchBudget;
  /** Obligations of a variable once it is picked. */
  readonly #obligations: ((readonly number[])[] | undefined)[];
  readonly #queue: (readonly number[])[] = [];
  readonly #picked: number[] = [];
  readonly #isPicked: Uint8Array;
  readonly #states: State[] = [];
  readonly #learned: (readonly number[])[] = [];
  #counted = false;
  #countAt: number;
  #position = 0;

  constructor({ variables, constraints }: ConstraintSystem, budget: SearchBudget) {
    this.#constraints = constraints;
    this.#budget = budget;
    this.#countAt = (budget.counting ?? COUNTING).from;
    this.#solver = new Propagator(variables.length);
    this.#isPicked = new Uint8Array(variables.length);
    this.#obligations = new Array(variables.length);
  }

  run(): SearchResult {
    const contradiction = this.#addConstraints();
    if (contradiction !== undefined) return this.#unsatisfiable(contradiction);
    for (;;) {
      const conflict = this.#solver.propagate() ?? this.#crowd();
      if (conflict === undefined) {
        if (!this.#step()) return { verdict: 'satisfiable', picked: this.#picked, ...this.#effort() };
      } else if (this.#solver.level === 0) return this.#unsatisfiable(conflict);
      else if (this.#isSpent()) return { verdict: 'exhausted', ...this.#effort() };
      else this.#learn(conflict);
    }
  }

  #addConstraints(): Conflict | undefined {
    for (const [id, constraint] of this.#constraints.entries()) {
      if (constraint.kind === 'mandatory') this.#queue.push([constraint.subject]);
      if (constraint.kind === 'requires') this.#oblige(constraint.subject, constraint.candidates);
      const conflict = this.#solver.add(constraint, id);
      if (conflict !== undefined) return conflict;
    }
    return undefined;
  }

  #oblige(variable: number, candidates: readonly number[]): void {
    const obligations = this.#obligations[variable];
    if (obligations === undefined) this.#obligations[variable] = [candidates];
    else obligations.push(candidates);
  }

  #effort() {
    return { conflicts: this.#learned.length, work: this.#solver.work };
  }

  #isSpent(): boolean {
    return this.#learned.length >= this.#budget.conflicts || this.#solver.work > this.#budget.work;
  }

  /**
   * Takes the first unmet obligation and picks its first candidate that is not ruled
   * out; false when all are met.
   */
  #step(): boolean {
    for (; this.#position < this.#queue.length; this.#position++) {
      const candidates = this.#queue[this.#position] ?? [];
      if (candidates.some((candidate) => this.#isPicked[candidate] === 1)) continue;
      const best = candidates.find((candidate) => this.#solver.value(candidate) >= 0);
      if (best === undefined) continue;
      const open = this.#solver.value(best) === 0;
      if (open) this.#decide(best);
      this.#pick(best);
      if (open) return true;
    }
    return false;
  }

  #decide(variable: number): void {
    this.#states.push({ position: this.#position, queued: this.#queue.length, picked: this.#picked.length });
    this.#solver.decide(positive(variable));
  }

  #pick(variable: number): void {
    this.#isPicked[variable] = 1;
    this.#picked.push(variable);
    this.#queue.push(...(this.#obligations[variable] ?? []));
  }

  #learn(conflict: Conflict): void {
    const { literals, level, sources } = analyse(conflict, this.#solver);
    this.#backTo(level);
    const clause = { id: this.#constraints.length + this.#learned.length, literals };
    this.#learned.push(sources);
    this.#solver.addClause(clause);
    const [asserting] = literals;
    if (asserting !== undefined) this.#solver.assign(asserting, clause);
  }

  #backTo(level: number): void {
    const state = this.#states[level];
    if (state === undefined) return;
    this.#solver.backTo(level);
    this.#states.length = level;
    this.#position = state.position;
    this.#queue.length = state.queued;
    for (const variable of this.#picked.splice(state.picked)) this.#isPicked[variable] = 0;
  }

  #unsatisfiable(conflict: Conflict): SearchResult {
    const core = unsatisfiableCore(conflict, this.#solver, (id) => this.#learned[id - this.#constraints.length]);
    return { verdict: 'unsatisfiable', core, counted: this.#counted, ...this.#effort() };
  }

  /**
   * Now and then: whether what must be met has too few seats, at first whatever was decided, then as decided.
   */
  #crowd(): Clause | undefined {
    const conflicts = this.#learned.length;
    if (conflicts < this.#countAt) return undefined;
    this.#countAt = conflicts + (this.#budget.counting ?? COUNTING).every;
    const clause = this.#crowdAt(0) ?? this.#crowdAt(this.#solver.level);
    if (clause === undefined) return undefined;
    this.#counted = true;
    this.#backTo(Math.max(...clause.literals.map((literal) => this.#solver.levelOf(variableOf(literal)))));
    return clause;
  }

  /**
   * A clause that is false by the assignments up to the level: one of the needs must go, or
   * a seat ruled out be free.
   */
  #crowdAt(level: number): Clause | undefined {
    const value = (variable: number) => (this.#solver.levelOf(variable) <= level ? this.#solver.value(variable) : 0);
    const needs = this.#constraints.flatMap((constraint, id): Need[] => {
      if (constraint.kind !== 'requires' || value(constraint.subject) <= 0) return [];
      if (constraint.candidates.some((candidate) => value(candidate) > 0)) return [];
      return [{ id, candidates: constraint.candidates.filter((candidate) => value(candidate) === 0) }];
    });
    this.#solver.work += this.#constraints.length + needs.reduce((sum, need) => sum + need.candidates.length, 0);
    const crowd = findCrowd(needs, (variable) => this.#solver.groupsOf(variable));
    if (crowd === undefined) return undefined;
    const wishes = crowd.needs.flatMap(({ id }) => {
      const constraint = this.#constraints[id];
      return constraint?.kind === 'requires' ? [constraint] : [];
    });
    const named = wishes.flatMap(({ candidates }) => candidates);
    // A candidate ruled out by now would take one of the seats too, unless it meets two of the needs at once.
    const takesSeat = (candidate: number) =>
      named.indexOf(candidate) === named.lastIndexOf(candidate) &&
      this.#solver.groupsOf(candidate).some((rule) => crowd.seats.has(rule));
    const elsewhere = named.filter((candidate) => value(candidate) < 0 && !takesSeat(candidate));
    const literals = [...wishes.map(({ subject }) => negative(subject)), ...elsewhere.map(positive)];
    this.#learned.push([...crowd.needs.map(({ id }) => id), ...crowd.seats]);
    return { id: this.#constraints.length + this.#learned.length - 1, literals: [...new Set(literals)] };
  }
}
