import type { AssignmentRow } from '../../kernel/api/fleet/fleet-assignment.js';
import type { VirtualCluster } from './virtual-cluster.js';
import type { RolloutOrders, VirtualWorld } from './world.js';

/** The applier of virtual clusters: it acts on the orders of their FleetAssignments. */
export class VirtualApplier {
  constructor(private readonly world: VirtualWorld) {}

  /** Takes the order of a rollout. `isNotWoken`: the applier finds the order by itself a little later. */
  take(cluster: VirtualCluster, orders: RolloutOrders, row: AssignmentRow, isNotWoken = false): void {
    const before = cluster.orders.get(orders.name);
    cluster.orders.set(orders.name, row);
    const { subject: key, attempt, order, hop = 1, denies = 'Cluster', liftsDenial, result } = row;
    const isSame = before?.order === order && before.attempt === attempt;
    if (isSame && before.hop === row.hop && before.result === result) return;
    const run = cluster.reports.get(orders.name);
    // An attempt that has begun there is found.
    if (order === 'Go' && run?.attempt === attempt && run.hop >= hop) return;
    if (order === 'Go') {
      const go = (): void => {
        if (liftsDenial === true) cluster.denied.get(key)?.delete(orders.target);
        if (isSame) this.world.hop(orders, cluster, attempt, hop, false);
        else this.world.go(orders, cluster, attempt, hop);
      };
      this.world.order(cluster, key, go, isNotWoken);
    } else if (order === 'Return') {
      cluster.deny(key, orders.target, denies);
      this.world.order(cluster, key, () => this.world.giveBack(orders, cluster, attempt, hop), isNotWoken);
    } else {
      this.world.withdraw(cluster, key);
      this.#keepResult(cluster, orders, row);
    }
  }

  /** The cluster keeps how its attempt has ended. */
  #keepResult(cluster: VirtualCluster, orders: RolloutOrders, row: AssignmentRow): void {
    const { attempt, result, resultReason: reason = '' } = row;
    if (attempt === 0) return;
    if (result === 'Done' && reason !== 'Rebuilt') this.world.done(orders, cluster, attempt);
    if (result === 'Failed') cluster.results.set(orders.name, { phase: result, reason, attempt });
  }
}
