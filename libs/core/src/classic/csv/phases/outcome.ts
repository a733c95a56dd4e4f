import type { Action } from '../../../kernel/actions/action.js';
import type { ClusterServiceVersion, RequirementStatus } from '../../../kernel/api/cluster-service-version.js';
import type { OperatorGroup } from '../../../kernel/api/operator-group.js';
import type { Requirements } from '../requirements/requirements.js';
import type { CertificateTimes } from '../world/certificates-of.js';
import type { ComponentProblem } from '../world/component-problem.js';
import type { CsvPhase, PhaseVerdict } from '../world/csv-status.js';
import type { Again, CsvWorld } from '../world/csv-world.js';

/** The inputs of a rule. `requirements` and `problem` are computed on first use, and then kept. */
export type CsvSubject = Readonly<{
  csv: ClusterServiceVersion;
  world: CsvWorld;
  /** Set once the group checks have passed. */
  group: OperatorGroup | undefined;
  requirements: () => Requirements;
  /** Returns the problem that keeps the installed operator from being healthy. */
  problem: () => ComponentProblem | undefined;
}>;

/** Actions in addition to a verdict, or without one. */
type Doings = Readonly<{
  requirementStatus?: readonly RequirementStatus[];
  /** Set only together with a verdict. */
  certificates?: CertificateTimes | undefined;
  actions?: readonly Action[];
  installing?: boolean;
  next?: Again;
}>;

/** The decision of a rule. Without `verdict` the CSV keeps its phase. */
export type Outcome = Doings & Readonly<{ verdict?: PhaseVerdict }>;

/** Returns the outcome if the rule applies. After undefined, the next rule of the table is tried. */
export type Rule = (subject: CsvSubject) => Outcome | undefined;

/**
 * The reason a row of the phase table applies, in the words of its verdict, and the actions. The table gives
 * phase and reason.
 */
type PhaseFinding = Doings & Readonly<{ message: string }>;

/** The condition of a row that moves the CSV. Returns undefined if it does not hold. */
export type Condition = (subject: CsvSubject) => PhaseFinding | undefined;

/** Ends the pass without a change. */
export const STAY: Outcome = {};

export const move = (phase: CsvPhase, reason: string, message: string): Outcome => ({
  verdict: { phase, reason, message },
});

export const waitFor = (because: string, afterMs: number): Again => ({ again: 'later', afterMs, because });
