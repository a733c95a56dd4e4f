import type { FleetOperator } from '../../../kernel/api/fleet/fleet-operator.js';
import { hasOwnVersions } from '../../desired/overrides.js';
import type { RolloutRecord } from '../record/rollout-record.js';
import type { SubjectRollouts } from '../record/rollout-roles.js';
import type { FleetSubject } from '../record/subjects.js';
import { classOf } from './cluster-report.js';
import type { KnownCluster } from './fleet-view.js';
import type { HubCluster } from './hub-cluster.js';

type Group = number | undefined;
type OwnTargetsFleet = Readonly<{
  operators: ReadonlyMap<string, FleetOperator>;
  targetsOf: (subject: FleetSubject) => readonly HubCluster[];
  rolloutsOf: (subject: string) => SubjectRollouts;
  groupOf: (operator: FleetOperator, cluster: KnownCluster) => Group;
}>;

/**
 * Clusters with other versions than the target of a rollout, by `overrides` of a FleetOperator. They go
 * through its waves, too, and get their own plans (why: fleet-operators.md "Overrides").
 */
export class OwnTargets {
  readonly #groups = new Map<string, ReadonlySet<Group>>();

  constructor(private readonly fleet: OwnTargetsFleet) {}

  /** True if the rollout brings the cluster its own plan. */
  isOwn({ subject, spec }: RolloutRecord, cluster: KnownCluster): boolean {
    const operator = this.fleet.operators.get(subject.key);
    if (operator === undefined || !hasOwnVersions(operator)) return false;
    const groups = this.#groupsOf(subject, spec.target, operator);
    return groups.size > 0 && !groups.has(this.fleet.groupOf(operator, cluster));
  }

  /** True if the newest rollout brings the cluster its own plan, or has tried to. */
  isOnItsWay(subject: FleetSubject, cluster: HubCluster): boolean {
    const rollouts = this.fleet.rolloutsOf(subject.key);
    const { newest } = rollouts;
    if (newest === undefined || !this.isOwn(newest, cluster)) return false;
    const role = rollouts.roleOf(newest);
    if (role === 'active') return true;
    const row = newest.rows.get(cluster.name);
    if (row === undefined) return role === 'standing';
    return row.phase !== 'Done' && row.class === classOf(cluster.report(subject.key) ?? {});
  }

  /** Returns the clusters that plan the target, or already have it. */
  #groupsOf(subject: FleetSubject, target: string, operator: FleetOperator): ReadonlySet<Group> {
    const key = `${subject.key} ${target}`;
    const known = this.#groups.get(key);
    if (known !== undefined) return known;
    const targets = this.fleet.targetsOf(subject);
    const planning = targets.filter(
      (cluster) => cluster.report(subject.key)?.planned === target || isOnItsWayTo(cluster, subject.key, target),
    );
    const having = targets.filter((cluster) => cluster.report(subject.key)?.bundle === target);
    const those = planning.length > 0 ? planning : having;
    const groups = new Set(those.map((cluster) => this.fleet.groupOf(operator, cluster)));
    this.#groups.set(key, groups);
    return groups;
  }
}

/** True if the cluster is ordered to go to this version: between two hops its report does not name that. */
function isOnItsWayTo(cluster: HubCluster, subject: string, target: string): boolean {
  const order = cluster.order(subject);
  return order?.order === 'Go' && order.target?.bundle === target;
}
