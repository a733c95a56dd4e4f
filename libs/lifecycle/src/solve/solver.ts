import type { Owner } from '#core/kernel/fairness/owner';
import type { ProblemFamily } from '#platform/store/problem-store.port';
import type { FamilyRules } from '../engine/publishing/problem-families.js';

/** What a solve came to, for the metrics and the log. */
export type SolveReport = Readonly<{
  outcome: 'succeeded' | 'failed';
  text: string;
  fields: Readonly<Record<string, string>>;
}>;

/** Solves a problem whose package records are at hand. `owner`: for which; it only decides about the turn. */
export type Solve<F extends ProblemFamily> = (owner: Owner | undefined) => Promise<F['solution']>;

/** How the problems of one family are solved. */
export type Solver<F extends ProblemFamily> = Readonly<{
  rules: FamilyRules<F>;
  /** How long a solve may take, in milliseconds. */
  deadlineMs: number;
  /** Gets the package records that the problem names; undefined where the store has lost one. */
  prepare: (problem: F['problem']) => Promise<Solve<F> | undefined>;
  report: (problem: F['problem'], solution: F['solution']) => SolveReport;
}>;
