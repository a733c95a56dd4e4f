import type { AssignmentRow } from '../../kernel/api/fleet/fleet-assignment.js';
import { orderOfRow } from '../controller/facts/order-of-row.js';
import type { MadeStep } from '../controller/record/advance.js';
import { isEvent, isWrittenFirst, type RowChange } from '../controller/record/row-change.js';
import { stepEvents } from '../controller/record/step-events.js';
import { isInFlight, type RolloutRow } from '../controller/step/row.js';
import { orderedLate } from '../controller/step/row-moves.js';
import type { Order } from '../controller/step/starts.js';
import { sumOf } from '../controller/step/tally.js';
import type { VirtualCluster } from './virtual-cluster.js';
import type { VirtualRollout } from './virtual-rollout.js';
import type { RolloutOrders, VirtualWorld } from './world.js';

type HubRecords = Readonly<{ records: readonly VirtualRollout[] }>;

/** True if the row begins something. Its order follows the rollout's status that names it. */
const begins = ({ phase }: RolloutRow): boolean => phase === 'Applying' || phase === 'RollingBack';

/** A row with another order or result is a write; Verifying and reasons of waiting come from reports. */
const isWrite = ({ before, after }: RowChange): boolean => before?.phase !== after.phase && after.phase !== 'Verifying';

/**
 * Writes the results of steps, one request after the other, until the controller is killed. The order of
 * writes is:
 *
 * 1. the results of clusters
 * 2. the status of the rollout, with the names of clusters that begin something (its intent)
 * 3. the rows of these clusters
 *
 * A decision and the first step of a rollout are in the status as a whole, before any row.
 */
export class HubWriter {
  writes = 0;
  /** The controller is killed after this many more writes. */
  writesLeft = Number.POSITIVE_INFINITY;
  isDown = false;

  constructor(
    readonly hub: HubRecords,
    readonly world: VirtualWorld,
    readonly onKilled: () => void,
  ) {}

  /** One write to the hub API. */
  written(): void {
    this.writes++;
    if (--this.writesLeft <= 0) this.onKilled();
  }

  #writtenAll(count: number): void {
    for (let left = count; left > 0 && !this.isDown; left--) this.written();
  }

  /** Writes a step made from a version of the rollout; false if the rollout has changed since. */
  commitGuarded(record: VirtualRollout, made: MadeStep, version: number): boolean {
    if (record.version !== version) return false;
    this.commit(record, made, false);
    return true;
  }

  /** Writes a step; whether something has moved. */
  commit(record: VirtualRollout, { result, changes, hasStatus, moved }: MadeStep, hasDecision: boolean): boolean {
    const before = record.isNew ? undefined : record.status;
    const results = changes.filter((change) => isWrite(change) && isWrittenFirst(change));
    const isWhole = hasDecision || before === undefined;
    if (!isWhole && results.length >= this.writesLeft) {
      this.#commitPart(record, results.slice(0, this.writesLeft));
      return true;
    }
    record.chosen = sumOf(result.tallies).chosen;
    for (const event of stepEvents(record, before, changes, result)) this.world.options.log.add(this.world.now, event);
    record.keep(this.world.now, changes);
    record.isNew = false;
    for (const { before: row, after } of changes) this.#store(record, row, after);
    for (const [cluster, at] of result.rowWakes) this.#noteWake(record, cluster, at);
    record.tallies = result.tallies;
    record.status = result.status;
    record.wakeAt = result.wakeAt;
    if (result.wakeAt !== undefined) this.#wakeAt(record, result.wakeAt);
    if (hasStatus) record.isAllDirty = true;
    // Counted from here on: a crash between two writes leaves the rest to the intent.
    const at = this.world.now;
    record.intent = [...record.intent, ...result.orders.map((order) => ({ ...order, at }))];
    if (!isWhole) this.#writtenAll(results.length);
    if (hasStatus || result.orders.length > 0) this.written();
    if (isWhole) this.#writtenAll(results.length);
    this.completeIntent(record);
    return hasStatus || moved.length > 0;
  }

  /** Writes the results of some clusters; the controller dies before the rest of its step. */
  #commitPart(record: VirtualRollout, changes: readonly RowChange[]): void {
    const tallies = record.tallies.map((tally) => tally.copy());
    for (const { before, after } of changes) {
      if (before !== undefined) tallies[before.wave]?.add(before, -1);
      tallies[after.wave]?.add(after, 1);
    }
    const { status } = record;
    for (const event of stepEvents(record, status, changes, { status, tallies })) {
      this.world.options.log.add(this.world.now, event);
    }
    record.keep(this.world.now, changes);
    for (const { before, after } of changes) this.#store(record, before, after);
    record.tallies = tallies;
    record.isAllDirty = true;
    this.#writtenAll(changes.length);
  }

  /** Writes the rows of those that begin something, and wakes their appliers. */
  completeIntent(record: VirtualRollout): void {
    while (record.intent.length > 0 && !this.isDown) {
      const [order, ...others] = record.intent;
      record.intent = others;
      if (order === undefined) return;
      const row = record.rows.get(order.cluster);
      const expected = order.kind === 'Return' ? 'RollingBack' : 'Applying';
      // Work that has ended since, or is gone, is not begun any more.
      if (row?.phase !== expected || row.attempt !== order.attempt) continue;
      this.written();
      // The deadline runs from the time at which an applier finds the order.
      const late = this.world.now - order.at + this.#order(record, order, row);
      if (late > 0) record.store(orderedLate(row, late));
    }
  }

  /** Forgets the rows and orders of a rollout: their assignments were deleted. */
  loseRows(record: VirtualRollout): void {
    record.intent = [];
    record.rows.clear();
    record.recount();
    record.version++;
    for (const cluster of this.world.clusters.values()) cluster.orders.delete(record.spec.name);
  }

  #wakeAt(record: VirtualRollout, at: number): void {
    this.world.at(
      at,
      () => undefined,
      () => record.wakeAt === at && record.status.finishedAt === undefined,
    );
  }

  #store(record: VirtualRollout, before: RolloutRow | undefined, after: RolloutRow): void {
    record.store(after);
    if (!isEvent({ before, after })) return;
    record.dirty.add(after.cluster);
    // A plan that moves this subject, too, may have waited for its approval.
    for (const other of this.hub.records) {
      if (other.rows.get(after.cluster)?.reason === 'Neighbour') other.dirty.add(after.cluster);
    }
    const cluster = this.world.clusters.get(after.cluster);
    if (cluster !== undefined) this.#tell(record, before, after, cluster);
    if (before?.phase === after.phase) return;
    if (after.phase === 'Skipped' && after.reason === 'ByDecision') record.skipped.add(after.cluster);
    // A row that is made anew does not know the decision.
    else if (before !== undefined) record.skipped.delete(after.cluster);
    if (after.phase === 'Done') this.#freed(record, after.cluster);
    if (before !== undefined) this.#noteEnd(record, before, after);
    if (cluster !== undefined) this.#noteOutcome(record, after, cluster);
  }

  /** Has the applier of a cluster plan, and keeps the order of a row there. */
  #tell(record: VirtualRollout, before: RolloutRow | undefined, after: RolloutRow, cluster: VirtualCluster): void {
    if (after.phase === 'Removed') cluster.orders.delete(record.spec.name);
    else if (!begins(after) || after.reason === 'Rebuilt') this.#assign(record, after, cluster);
    // An applier whose order was lost still has its plan, and a cluster knows its attempt.
    if (after.phase === 'Removed') {
      if (!cluster.reports.has(record.spec.name)) cluster.plans.delete(record.spec.name);
    } else if (before === undefined && !cluster.plans.has(record.spec.name)) {
      this.world.plan(this.#orders(record, after), cluster);
    }
  }

  /**
   * A cluster that is in flight no more is free for other rollouts, and takes no order that has not arrived.
   */
  #noteEnd(record: VirtualRollout, before: RolloutRow, after: RolloutRow): void {
    const wasBusy = isInFlight(before) || before.phase === 'RollingBack';
    if (!wasBusy || isInFlight(after)) return;
    this.#freed(record, after.cluster);
    const cluster = this.world.clusters.get(after.cluster);
    if (cluster !== undefined) this.world.withdraw(cluster, record.subject.key);
  }

  /** Other rollouts may have waited for this one in the cluster. */
  #freed(record: VirtualRollout, cluster: string): void {
    for (const other of this.hub.records) if (other !== record) other.dirty.add(cluster);
  }

  #noteOutcome(record: VirtualRollout, row: RolloutRow, cluster: VirtualCluster): void {
    const { name, target } = record.spec;
    if (row.phase === 'Done' && row.attempt > 0 && row.reason !== 'Rebuilt')
      this.world.done(this.#orders(record, row), cluster, row.attempt);
    if (row.phase === 'Failed' && row.attempt > 0) {
      cluster.results.set(name, { phase: 'Failed', reason: row.reason, attempt: row.attempt });
    }
    if (row.phase !== 'RollingBack') return;
    record.returns++;
    cluster.deny(record.subject.key, target, row.goBack?.denies ?? 'Cluster');
  }

  #noteWake(record: VirtualRollout, cluster: string, at: number | undefined): void {
    if (at === undefined) {
      record.rowWakes.delete(cluster);
      return;
    }
    if (record.rowWakes.get(cluster) === at) return;
    record.rowWakes.set(cluster, at);
    const isLive = (): boolean => record.rowWakes.get(cluster) === at;
    this.world.at(
      at,
      () => {
        if (!isLive()) return;
        record.rowWakes.delete(cluster);
        record.dirty.add(cluster);
      },
      isLive,
    );
  }

  /** Writes the order of a row into the assignment of its cluster. */
  #assign(record: VirtualRollout, row: RolloutRow, cluster: VirtualCluster): AssignmentRow {
    const order = orderOfRow(record, row, cluster, false);
    cluster.orders.set(record.spec.name, order);
    return order;
  }

  #orders({ spec, subject }: VirtualRollout, row: RolloutRow): RolloutOrders {
    return { name: spec.name, subject, target: spec.target, wave: spec.waves[row.wave]?.name ?? '', class: row.class };
  }

  /** Gives an order; returns how much later its applier finds it. */
  #order(record: VirtualRollout, { kind, cluster: name, attempt, hop }: Order, row: RolloutRow): number {
    if (kind === 'Go') record.starts++;
    const cluster = this.world.clusters.get(name);
    if (cluster === undefined) return 0;
    const { liftsDenial = false } = this.#assign(record, row, cluster);
    const orders = this.#orders(record, row);
    const carryOut = (): void => {
      if (liftsDenial && kind !== 'Return') cluster.denied.get(record.subject.key)?.delete(record.spec.target);
      if (kind === 'Go') this.world.go(orders, cluster, attempt, hop);
      else if (kind === 'Hop') this.world.hop(orders, cluster, attempt, hop, false);
      else this.world.giveBack(orders, cluster, attempt, hop);
    };
    // Without its wake-up an applier finds the order by itself a little later.
    return this.world.order(cluster, record.subject.key, carryOut, this.isDown);
  }
}
