import type { ConstraintSystem } from '../constraints/constraint-system.js';
import { analyse, unsatisfiableCore } from './conflict-analysis.js';
import { type AtLeastOne, findPigeonholeConflict } from './pigeonhole.js';
import { type Clause, type Conflict, negative, Propagator, positive, variableOf } from './propagator.js';

/**
 * The solver: CDCL (conflict-driven clause learning) as in MiniSat, with decisions in OLM's order of
 * preference.
 *
 * - Unit propagation with two watched literals per clause; at-most-one constraints are propagated natively
 *   (`propagator.ts`).
 * - A conflict is analysed to its first unique implication point (first-UIP). The search adds the learned
 *   clause and jumps back to the level at which that clause has one open literal (`conflict-analysis.ts`).
 * - Clauses need exponential time to prove that n + 1 requirements do not fit into n at-most-one constraints.
 *   The pigeonhole check proves it by counting, every few conflicts (`pigeonhole.ts`).
 * - A conflict at level 0 proves that there is no solution. The constraints in its derivation are the core,
 *   from which the explanation is made.
 *
 * Example: operator `a` has versions A1 and A2, `b` has B1 and B2. Subscription S asks for `a`, T for B1.
 *
 * ```
 * S is mandatory      S requires A2 or A1      at most one of A1, A2
 * T is mandatory      T requires B1            at most one of B1, B2      A2 requires B2
 * ```
 *
 * 1. At level 0, S, T and B1 are true, and B2 is false: at most one of B1 and B2. The clause `not A2 or B2`
 *    makes A2 false, the clause `not S or A2 or A1` makes A1 true. The solution is A1 and B1, without a
 *    decision.
 * 2. If T requires B1 or B3 (a bundle of another operator), level 0 leaves A2 open. The search decides A2,
 *    the first candidate of S: B2 is true, B1 is false, B3 is true. If B3 requires a bundle that A2 excludes,
 *    the analysis goes back from the conflict to A2 and learns the clause `not A2`. Back at level 0 that
 *    clause makes A1 true. No other decision on A2 is tried again, however many others are open.
 *
 * Reading order: `../constraints/constraint-system.ts` (the input), `propagator.ts`, then `run` and `step`
 * below, `conflict-analysis.ts`, `pigeonhole.ts`. `../explain/minimal-core.ts` shortens a core and has a
 * second solver confirm it.
 */

/** Bounds on the work of one search, in units that do not depend on the machine. */
export type SearchBudget = Readonly<{
  conflicts: number;
  work: number;
  /** The pigeonhole check runs after this many conflicts, and again after every so many more. */
  counting?: Readonly<{ from: number; every: number }>;
}>;
export const DEFAULT_BUDGET: SearchBudget = { conflicts: 50_000, work: 150_000_000 };

const COUNTING = { from: 64, every: 16 };

/**
 * `picked`: variables of the solution, in order of choice. `core`: indices of constraints that
 * cannot hold together; `counted`: its proof uses the pigeonhole check, and clauses alone may not
 * prove it in reasonable time.
 */
export type SearchResult = Readonly<{ conflicts: number; work: number }> &
  (
    | Readonly<{ verdict: 'satisfiable'; picked: readonly number[] }>
    | Readonly<{ verdict: 'unsatisfiable'; core: readonly number[]; counted: boolean }>
    | Readonly<{ verdict: 'exhausted' }>
  );

/**
 * Finds the lexicographically best solution by the order of constraints and of their candidates. OLM's
 * chronological search finds the same for one order of its anchors (spec: classic-resolution.md §7). This
 * search learns clauses in place of blind backtracking.
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
      const conflict = this.#solver.propagate() ?? this.#pigeonhole();
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
   * Periodic pigeonhole check: learns a clause if open requirements outnumber the places of at-most-one
   * constraints, first at level 0, then under the current decisions.
   */
  #pigeonhole(): Clause | undefined {
    const conflicts = this.#learned.length;
    if (conflicts < this.#countAt) return undefined;
    this.#countAt = conflicts + (this.#budget.counting ?? COUNTING).every;
    const clause = this.#pigeonholeAt(0) ?? this.#pigeonholeAt(this.#solver.level);
    if (clause === undefined) return undefined;
    this.#counted = true;
    this.#backTo(Math.max(...clause.literals.map((literal) => this.#solver.levelOf(variableOf(literal)))));
    return clause;
  }

  /**
   * A clause that is false under the assignments up to the level: one of the requirements must go, or an
   * excluded candidate must be allowed.
   */
  #pigeonholeAt(level: number): Clause | undefined {
    const value = (variable: number) => (this.#solver.levelOf(variable) <= level ? this.#solver.value(variable) : 0);
    const demands = this.#constraints.flatMap((constraint, id): AtLeastOne[] => {
      if (constraint.kind !== 'requires' || value(constraint.subject) <= 0) return [];
      if (constraint.candidates.some((candidate) => value(candidate) > 0)) return [];
      return [{ id, candidates: constraint.candidates.filter((candidate) => value(candidate) === 0) }];
    });
    this.#solver.work += this.#constraints.length + demands.reduce((sum, demand) => sum + demand.candidates.length, 0);
    const conflict = findPigeonholeConflict(demands, (variable) => this.#solver.groupsOf(variable));
    if (conflict === undefined) return undefined;
    const requirements = conflict.demands.flatMap(({ id }) => {
      const constraint = this.#constraints[id];
      return constraint?.kind === 'requires' ? [constraint] : [];
    });
    const named = requirements.flatMap(({ candidates }) => candidates);
    // An excluded candidate would take a place too, unless it satisfies two of the requirements at once.
    const takesHole = (candidate: number) =>
      named.indexOf(candidate) === named.lastIndexOf(candidate) &&
      this.#solver.groupsOf(candidate).some((rule) => conflict.holes.has(rule));
    const elsewhere = named.filter((candidate) => value(candidate) < 0 && !takesHole(candidate));
    const literals = [...requirements.map(({ subject }) => negative(subject)), ...elsewhere.map(positive)];
    this.#learned.push([...conflict.demands.map(({ id }) => id), ...conflict.holes]);
    return { id: this.#constraints.length + this.#learned.length - 1, literals: [...new Set(literals)] };
  }
}
