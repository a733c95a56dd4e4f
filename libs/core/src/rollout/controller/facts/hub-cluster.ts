import type { AssignmentReport, AssignmentRow, FleetAssignment } from '../../../kernel/api/fleet/fleet-assignment.js';
import type { FleetCluster } from '../../../kernel/api/fleet/fleet-cluster.js';
import { canonicalHash } from '../../../kernel/canonical/canonical-json.js';
import { selectedCluster } from '../../placement/select-clusters.js';
import type { KnownCluster } from './fleet-view.js';

type ClusterStatus = Readonly<{
  uid?: string;
  conditions?: readonly Readonly<{ type: string; status: string; lastTransitionTime?: string }>[];
}>;

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
    this.lastContact = before?.lastContact ?? Date.parse(reachable?.lastTransitionTime ?? new Date(now).toISOString());
    this.isPaused = object.spec.paused;
    this.pausedAt = before?.pausedAt ?? now;
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
