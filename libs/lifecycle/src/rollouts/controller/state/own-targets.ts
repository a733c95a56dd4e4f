import type { FleetOperator } from '#core/kernel/api/fleet/fleet-operator';
import type { RolloutRecord } from '#core/rollout/controller/record/rollout-record';
import type { SubjectRollouts } from '#core/rollout/controller/record/rollout-roles';
import type { FleetSubject } from '#core/rollout/controller/record/subjects';
import { hasOwnVersions } from '#core/rollout/desired/overrides';
import { classOf, type LiveCluster } from '../../assignments/live-cluster.js';

type Group = number | undefined;
type OwnTargetsFleet = Readonly<{
  operators: ReadonlyMap<string, FleetOperator>;
  targetsOf: (subject: FleetSubject) => readonly LiveCluster[];
  rolloutsOf: (subject: string) => SubjectRollouts;
  groupOf: (operator: FleetOperator, cluster: LiveCluster) => Group;
}>;

/**
 * Clusters that `overrides` of a FleetOperator lead to other versions than the target of a roll-out: they go
 * through its waves, too, and get what they plan themselves (decision 0347).
 */
export class OwnTargets {
  readonly #groups = new Map<string, ReadonlySet<Group>>();

  constructor(private readonly fleet: OwnTargetsFleet) {}

  /** Whether the roll-out brings the cluster to what that one plans itself. */
  isOwn({ subject, spec }: RolloutRecord, cluster: LiveCluster): boolean {
    const operator = this.fleet.operators.get(subject.key);
    if (operator === undefined || !hasOwnVersions(operator)) return false;
    const groups = this.#groupsOf(subject, spec.target, operator);
    return groups.size > 0 && !groups.has(this.fleet.groupOf(operator, cluster));
  }

  /** The newest roll-out brings the cluster what it plans, or has tried to. */
  isOnItsWay(subject: FleetSubject, cluster: LiveCluster): boolean {
    const rollouts = this.fleet.rolloutsOf(subject.key);
    const { newest } = rollouts;
    if (newest === undefined || !this.isOwn(newest, cluster)) return false;
    const role = rollouts.roleOf(newest);
    if (role === 'active') return true;
    const row = newest.rows.get(cluster.name);
    if (row === undefined) return role === 'standing';
    return row.phase !== 'Done' && row.class === classOf(cluster.report(subject.key) ?? {});
  }

  /** The clusters that plan the target, or have it by now. */
  #groupsOf(subject: FleetSubject, target: string, operator: FleetOperator): ReadonlySet<Group> {
    const key = `${subject.key} ${target}`;
    const known = this.#groups.get(key);
    if (known !== undefined) return known;
    const targets = this.fleet.targetsOf(subject);
    const planning = targets.filter(
      (cluster) => cluster.report(subject.key)?.planned === target || cluster.isOnItsWayTo(subject.key, target),
    );
    const having = targets.filter((cluster) => cluster.report(subject.key)?.bundle === target);
    const those = planning.length > 0 ? planning : having;
    const groups = new Set(those.map((cluster) => this.fleet.groupOf(operator, cluster)));
    this.#groups.set(key, groups);
    return groups;
  }
}
