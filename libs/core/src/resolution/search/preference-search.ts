import type { ConstraintSystem } from '../constraint-system.js';
import { analyse, unsatisfiableCore } from './conflict-analysis.js';
import { type Conflict, Propagator, positive } from './propagator.js';

/** Bounds on the work of one search, in units that do not depend on the machine. */
export type SearchBudget = Readonly<{ conflicts: number; work: number }>;
export const DEFAULT_BUDGET: SearchBudget = { conflicts: 50_000, work: 150_000_000 };

/** `picked`: variables of the solution, in order of choice. `core`: indices of constraints that cannot hold together. */
export type SearchResult = Readonly<{ conflicts: number }> &
  (
    | Readonly<{ verdict: 'satisfiable'; picked: readonly number[] }>
    | Readonly<{ verdict: 'unsatisfiable'; core: readonly number[] }>
    | Readonly<{ verdict: 'exhausted' }>
  );

/**
 * The lexicographically best solution by the order of constraints and of candidates in them: what OLM's chronological
 * search finds for one order of its anchors (spec: classic-resolution.md §7), with learning in place of blind backtracking.
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
  readonly #obligations: (readonly number[])[][];
  readonly #queue: (readonly number[])[] = [];
  readonly #picked: number[] = [];
  readonly #isPicked: Uint8Array;
  readonly #states: State[] = [];
  readonly #learned: (readonly number[])[] = [];
  #position = 0;

  constructor({ variables, constraints }: ConstraintSystem, budget: SearchBudget) {
    this.#constraints = constraints;
    this.#budget = budget;
    this.#solver = new Propagator(variables.length);
    this.#isPicked = new Uint8Array(variables.length);
    this.#obligations = Array.from({ length: variables.length }, () => []);
  }

  run(): SearchResult {
    const contradiction = this.#addConstraints();
    if (contradiction !== undefined) return this.#unsatisfiable(contradiction);
    for (;;) {
      const conflict = this.#solver.propagate();
      if (conflict === undefined) {
        if (!this.#step()) return { verdict: 'satisfiable', picked: this.#picked, conflicts: this.#learned.length };
      } else if (this.#solver.level === 0) return this.#unsatisfiable(conflict);
      else if (this.#isSpent()) return { verdict: 'exhausted', conflicts: this.#learned.length };
      else this.#learn(conflict);
    }
  }

  #addConstraints(): Conflict | undefined {
    for (const [id, constraint] of this.#constraints.entries()) {
      if (constraint.kind === 'mandatory') this.#queue.push([constraint.subject]);
      if (constraint.kind === 'requires') this.#obligations[constraint.subject]?.push(constraint.candidates);
      const conflict = this.#solver.add(constraint, id);
      if (conflict !== undefined) return conflict;
    }
    return undefined;
  }

  #isSpent(): boolean {
    return this.#learned.length >= this.#budget.conflicts || this.#solver.work > this.#budget.work;
  }

  /** Takes the first unmet obligation and picks its first candidate that is not ruled out; false when all are met. */
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
    return { verdict: 'unsatisfiable', core, conflicts: this.#learned.length };
  }
}
