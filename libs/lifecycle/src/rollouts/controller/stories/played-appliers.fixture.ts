import { type AssignmentReport, AssignmentRow, type FleetAssignment } from '#core/kernel/api/fleet/fleet-assignment';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import type { FleetFiles } from '#core/rollout/controller/record/subjects';
import { VirtualApplier } from '#core/rollout/simulation/virtual-applier';
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
  readonly #applier: VirtualApplier;

  constructor(
    private readonly hub: PlayedServer['cluster'],
    private readonly world: VirtualWorld,
    private readonly files: FleetFiles,
  ) {
    this.#applier = new VirtualApplier(world);
  }

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

  #reportOn(cluster: VirtualCluster, row: AssignmentRow): Partial<AssignmentReport> {
    const { subject, rollout } = row;
    const preview = this.world.reportOf(cluster, subject, PREVIEW + subject);
    const report = rollout === undefined ? preview : this.world.reportOf(cluster, subject, rollout);
    const { rollout: _, ...found } = report ?? { subject, state: 'Planning' as const };
    if (rollout === undefined) return found;
    const isMoving = row.order === 'Go' || row.order === 'Return';
    const isLedOn = !isMoving && preview?.state === 'Planned' && this.targets.get(subject) !== row.target?.bundle;
    if (!isLedOn) return { ...found, rollout };
    // Its catalog already leads on to another target.
    const { planned, planHash, hops, changes } = preview;
    return { ...found, rollout, planned, planHash, hops, changes };
  }

  #take(cluster: VirtualCluster, row: AssignmentRow): void {
    const rollout = row.rollout ?? PREVIEW + row.subject;
    const orders = this.#ordersOf(row, rollout);
    if (orders === undefined) return;
    this.#plan(orders, cluster, row.rollout);
    const next = this.#ordersOf({ ...row, rollout: undefined }, PREVIEW + row.subject);
    if (next !== undefined && next.target !== orders.target) this.#plan(next, cluster, undefined);
    this.#applier.take(cluster, orders, row);
  }

  /** A version that was planned before there was a rollout is the cluster's plan. */
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
