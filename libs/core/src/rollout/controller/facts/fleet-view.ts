import type { AssignmentReport, AssignmentRow } from '../../../kernel/api/fleet/fleet-assignment.js';
import type { GateQuestion } from '../../gates/gate-question.js';
import type { RolloutRecord } from '../record/rollout-record.js';
import type { SubjectRollouts } from '../record/rollout-roles.js';
import type { FleetFiles, FleetSubject } from '../record/subjects.js';
import type { TargetCluster } from '../record/targets.js';
import type { Member } from '../step/facts.js';
import type { GateAnswer } from '../step/gate-progress.js';

/** A cluster of the fleet, as its FleetCluster and its FleetAssignment show it. */
export type KnownCluster = Member &
  TargetCluster &
  Readonly<{
    /** Returns its order about a subject, for a rollout. */
    order: (subject: string, rollout: string) => AssignmentRow | undefined;
    /** Returns its report about a subject, for a rollout. */
    report: (subject: string, rollout?: string) => AssignmentReport | undefined;
  }>;

/** Answers of gates outside of clusters. */
export type GateAnswers = Readonly<{
  /** Returns the answer of a gate. Undefined if it has not arrived yet. */
  take: (question: GateQuestion, attempt: number) => GateAnswer | undefined;
  /** True if they answer checks of objects in clusters, too. Otherwise reports of clusters do. */
  takesChecks?: boolean;
}>;

/** Another subject of the plan of a cluster. `class`: its own plan class; absent: any. */
export type Neighbour = Readonly<{ key: string; class?: string }>;

/** The fleet as the hub API has it at an instant: the source of the facts of all rollouts. */
export type FleetView = Readonly<{
  /** Milliseconds since 1970. */
  now: number;
  files: FleetFiles;
  clusters: ReadonlyMap<string, KnownCluster>;
  records: readonly RolloutRecord[];
  rolloutsOf: (subject: string) => SubjectRollouts;
  isTarget: (subject: FleetSubject, cluster: KnownCluster) => boolean;
  /** True if a newer target waits for its turn. */
  hasNext: (subject: FleetSubject) => boolean;
  /**
   * True if the cluster gets its own plan, not the target of the rollout (why: fleet-operators.md
   * "Overrides").
   */
  isOwn: (record: RolloutRecord, cluster: KnownCluster) => boolean;
  /** Hash of the desired spec of a subject. */
  askedOf: (subject: string) => string | undefined;
  /** Returns the plan class of a report. */
  classOf: (report: AssignmentReport) => string;
  /** Returns the key of the Staged FleetCatalog with the content for a rollout. */
  catalogOf: (record: RolloutRecord) => string | undefined;
  /** Returns other subjects of the plan of a cluster. */
  neighboursOf: (record: RolloutRecord, cluster: KnownCluster) => readonly Neighbour[];
  /** True if an unreadable older FleetOperator for the same package has orders there. */
  hasUnreadOlder: (subject: FleetSubject, cluster: string) => boolean;
  /** True if a decision skips the cluster, also if its row is lost. */
  isSkipped: (record: RolloutRecord, cluster: string) => boolean;
  /** Absent: no gate answers. */
  gates?: GateAnswers | undefined;
}>;
