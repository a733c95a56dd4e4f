import { type AssignmentReport, AssignmentRow, type FleetAssignment } from '#core/kernel/api/fleet/fleet-assignment';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import type { FleetFiles } from '#core/rollout/controller/record/subjects';
import type { VirtualCluster } from '#core/rollout/simulation/virtual-cluster';
import type { RolloutOrders, VirtualWorld } from '#core/rollout/simulation/world';
import type { PlayedServer } from '../rollouts.fixture.js';

/** Previews before there is a rollout. */
const PREVIEW = '';

const refOf = (name: string) => ({ apiVersion: FLEET_API, kind: 'FleetAssignment', name });

/** Appliers of virtual clusters: they answer FleetAssignments of a simulated hub API. */
export class PlayedAppliers {
  /** Targets that catalogs lead to, by subject. */
  readonly targets = new Map<string, string>();

  constructor(
    private readonly hub: PlayedServer['cluster'],
    private readonly world: VirtualWorld,
    private readonly files: FleetFiles,
  ) {}

  /** The catalogs of all clusters lead to another target. */
  offer(subject: string, target: string): void {
    this.targets.set(subject, target);
    for (const cluster of this.world.clusters.values()) cluster.plans.delete(PREVIEW + subject);
  }

  /** Reads all orders, and acts on new ones. */
  readOrders(): void {
    for (const cluster of this.world.clusters.values()) {
      for (const row of this.#assignment(cluster)?.spec.rows ?? []) this.#take(cluster, AssignmentRow.parse(row));
    }
  }

  /** Writes the reports of all clusters that can be reached. */
  writeReports(): void {
    for (const cluster of this.world.clusters.values()) {
      const found = this.#assignment(cluster);
      if (found === undefined || !cluster.isOnline) continue;
      const rows = found.spec.rows.map((row) => this.#reportOn(cluster, row));
      const status = JSON.parse(JSON.stringify({ rows })) as object;
      if (JSON.stringify(found.status) === JSON.stringify(status)) continue;
      this.hub.edit(refOf(cluster.name), (stored) => Object.assign(stored, { status }), 'status');
    }
  }

  #assignment({ name }: VirtualCluster): FleetAssignment | undefined {
    return this.hub.get(refOf(name)) as unknown as FleetAssignment | undefined;
  }

  #reportOn(cluster: VirtualCluster, { subject, rollout }: AssignmentRow): Partial<AssignmentReport> {
    const key = rollout ?? PREVIEW + subject;
    const report = this.world.reportOf(cluster, subject, key);
    const { rollout: _, ...rest } = report ?? { subject, state: 'Planning' as const };
    return rollout === undefined ? rest : { ...rest, rollout };
  }

  #take(cluster: VirtualCluster, row: AssignmentRow): void {
    const { subject: key, attempt, order } = row;
    const rollout = row.rollout ?? PREVIEW + key;
    const orders = this.#ordersOf(row, rollout);
    if (orders === undefined) return;
    this.#plan(orders, cluster, row.rollout);
    const before = cluster.orders.get(rollout);
    cluster.orders.set(rollout, row);
    const isSame = before?.order === order && before.attempt === attempt;
    if (isSame && before.hop === row.hop) return;
    const hop = row.hop ?? 1;
    if (order === 'Go') {
      if (row.liftsDenial === true) cluster.denied.get(key)?.delete(orders.target);
      const go = () => (isSame ? this.world.hop(orders, cluster, attempt, hop, false) : this.#go(orders, cluster, row));
      this.world.order(cluster, key, go, false);
    } else if (order === 'Return') {
      cluster.deny(key, orders.target, row.denies ?? 'Cluster');
      this.world.order(cluster, key, () => this.world.giveBack(orders, cluster, attempt, hop), false);
    } else {
      this.world.withdraw(cluster, key);
      if (row.result === 'Done' && attempt > 0) this.world.done(orders, cluster, attempt);
    }
  }

  #go(orders: RolloutOrders, cluster: VirtualCluster, { attempt, hop = 1 }: AssignmentRow): void {
    this.world.go(orders, cluster, attempt, hop);
  }

  /** What was planned before there was a rollout is its plan. */
  #plan(orders: RolloutOrders, cluster: VirtualCluster, rollout: string | undefined): void {
    const preview = PREVIEW + orders.subject.key;
    if (cluster.plans.has(orders.name)) return;
    const known = cluster.plans.get(preview);
    if (rollout !== undefined && known?.target === orders.target) cluster.plans.set(rollout, known);
    else this.world.plan(orders, cluster);
  }

  #ordersOf(row: AssignmentRow, name: string): RolloutOrders | undefined {
    const subject = this.files.subjects.get(row.subject);
    const target = row.rollout === undefined ? this.targets.get(row.subject) : row.target?.bundle;
    if (subject === undefined || target === undefined) return undefined;
    return { name, subject, target, wave: row.wave ?? '', class: null };
  }
}
