import type { Action } from '../actions/action.js';
import type { ClusterServiceVersion, RequirementStatus } from '../api/cluster-service-version.js';
import type { OperatorGroup } from '../api/operator-group.js';
import type { CsvPhase, PhaseVerdict } from './csv-status.js';
import type { Again, CsvWorld } from './csv-world.js';
import type { Requirements } from './requirements/requirements.js';
import type { CertificateTimes } from './serving/certificates-of.js';

/** What a rule has in front of it. `requirements` is worked out when first asked for, and then kept. */
export type Subject = Readonly<{
  csv: ClusterServiceVersion;
  world: CsvWorld;
  /** Set once the group checks have passed. */
  group: OperatorGroup | undefined;
  requirements: () => Requirements;
}>;

/** What a rule decided; without `verdict` the CSV stays where it is. */
export type Outcome = Readonly<{
  verdict?: PhaseVerdict;
  requirementStatus?: readonly RequirementStatus[];
  /** Only beside a verdict. */
  certificates?: CertificateTimes | undefined;
  actions?: readonly Action[];
  installing?: boolean;
  next?: Again;
}>;

/** A rule answers when it applies; undefined lets the next rule of the table speak. */
export type Rule = (subject: Subject) => Outcome | undefined;

/** Ends the pass without a change. */
export const STAY: Outcome = {};

export const move = (phase: CsvPhase, reason: string, message: string): Outcome => ({
  verdict: { phase, reason, message },
});

export const waitFor = (because: string, afterMs: number): Again => ({ again: 'later', afterMs, because });
