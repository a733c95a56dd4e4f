import type { AssignmentReport, AssignmentRow, FleetAssignment } from '../../../kernel/api/fleet/fleet-assignment.js';
import type { FleetCluster } from '../../../kernel/api/fleet/fleet-cluster.js';
import { canonicalHash } from '../../../kernel/canonical/canonical-json.js';
import { selectedCluster } from '../../placement/select-clusters.js';
import type { KnownCluster } from './fleet-view.js';

type Condition = Readonly<{ type: string; status: string; reason?: string; lastTransitionTime?: string }>;
type ClusterStatus = Readonly<{ uid?: string; lastAnswerAt?: string; conditions?: readonly Condition[] }>;

const HEX_OF_A_NUMBER = 12;
const numberOf = (value: unknown): number => Number.parseInt(canonicalHash(value).slice(0, HEX_OF_A_NUMBER), 16);

/** A cluster of the fleet, from its FleetCluster and its FleetAssignment. */
export class HubCluster implements KnownCluster {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly facts: Readonly<Record<string, unknown>>;
  readonly allowedNamespaces: readonly string[] | undefined;
  readonly isReachable: boolean;
  readonly lastContact: number;
  readonly isPaused: boolean;
  readonly pausedAt: number;
  readonly isReplaced: boolean;
  readonly generation: number;
  readonly identity: number | undefined;

  constructor(
    object: FleetCluster,
    readonly assignment: FleetAssignment | undefined,
    now: number,
    /** The same FleetCluster with another assignment. */
    before?: HubCluster,
  ) {
    const status = (object.status ?? {}) as ClusterStatus;
    const condition = (type: string) => status.conditions?.find((one) => one.type === type);
    const reachable = condition('Reachable');
    this.name = object.metadata.name;
    const { labels, facts } = selectedCluster(object);
    this.labels = labels;
    this.facts = facts;
    this.allowedNamespaces = object.spec.allowedNamespaces;
    // A cluster without any report was never reached.
    this.isReachable = reachable?.status === 'True';
    this.lastContact = before?.lastContact ?? timeOf(contactOf(object, status, reachable), now);
    this.isPaused = object.spec.paused;
    const managed = condition('Managed');
    this.pausedAt =
      before?.pausedAt ?? timeOf(managed?.reason === 'Paused' ? managed.lastTransitionTime : undefined, now);
    this.isReplaced = condition('IdentityStable')?.status === 'False';
    this.generation = before?.generation ?? numberOf({ labels: this.labels, facts: this.facts });
    this.identity = before?.identity ?? (status.uid === undefined ? undefined : numberOf(status.uid));
  }

  order(subject: string): AssignmentRow | undefined {
    return this.assignment?.spec.rows.find((row) => row.subject === subject);
  }

  report(subject: string): AssignmentReport | undefined {
    return this.assignment?.status?.rows.find((row) => row.subject === subject);
  }
}

/**
 * Returns the time of the last contact. A silent cluster has the time of its last answer. A cluster that
 * never answered has the time at which it joined.
 */
function contactOf(
  { metadata }: FleetCluster,
  { uid, lastAnswerAt }: ClusterStatus,
  reachable: Condition | undefined,
): string | undefined {
  if (reachable?.status !== 'True' && lastAnswerAt !== undefined) return lastAnswerAt;
  const { creationTimestamp } = metadata as Readonly<{ creationTimestamp?: string }>;
  return uid === undefined ? creationTimestamp : reachable?.lastTransitionTime;
}

/** Returns a time in milliseconds. Returns `now` for a time that is missing. */
const timeOf = (text: string | undefined, now: number): number => (text === undefined ? now : Date.parse(text));
