import type { Owner } from '#core/kernel/fairness/owner';
import type { ProblemFamily } from '#platform/store/problem-store.port';
import type { FamilyRules } from '../engine/publishing/problem-families.js';

/** The result of a solve, for the metrics and the log. */
export type SolveReport = Readonly<{
  outcome: 'succeeded' | 'failed';
  text: string;
  fields: Readonly<Record<string, string>>;
}>;

/**
 * Solves a problem with package records at hand. `owner`: the owner of the problem; it only decides about the
 * turn.
 */
export type Solve<F extends ProblemFamily> = (owner: Owner | undefined) => Promise<F['solution']>;

/** Solves the problems of one family. */
export type Solver<F extends ProblemFamily> = Readonly<{
  rules: FamilyRules<F>;
  /** Time limit of a solve, in milliseconds. */
  deadlineMs: number;
  /** Gets the package records that the problem names. Undefined if the store has lost one. */
  prepare: (problem: F['problem']) => Promise<Solve<F> | undefined>;
  report: (problem: F['problem'], solution: F['solution']) => SolveReport;
}>;
