import type { FleetView } from '../controller/facts/fleet-view.js';
import { orderOfRow } from '../controller/facts/order-of-row.js';
import type { EventFacts } from '../controller/record/event-log.js';
import type { PassWrite, RolloutWrite } from '../controller/record/rollout-pass.js';
import { isEvent } from '../controller/record/row-change.js';
import { isInFlight, isMoving, type RolloutRow } from '../controller/step/row.js';
import type { WaveTally } from '../controller/step/tally.js';
import { VirtualApplier } from './virtual-applier.js';
import type { VirtualCluster } from './virtual-cluster.js';
import type { OpenDecision, VirtualRollout } from './virtual-rollout.js';
import type { VirtualWorld } from './world.js';

const IN_FLIGHT: ReadonlySet<string> = new Set(['Applying', 'Verifying']);

type KnownFleet = Readonly<{ records: readonly VirtualRollout[] }> & Pick<FleetView, 'rolloutsOf' | 'isOwn'>;

const keyOf = ({ rollout, cluster }: Pick<EventFacts, 'rollout' | 'cluster'>): string => `${rollout} ${cluster}`;

type MovedRow = Readonly<{ before: RolloutRow | undefined; after: RolloutRow | undefined }>;

/**
 * The hub API of the simulation, in memory. It performs the writes of passes, one request after the other,
 * until the controller is killed.
 */
export class MemoryHub {
  writes = 0;
  /** The controller is killed after this many more writes. */
  writesLeft = Number.POSITIVE_INFINITY;
  isDown = false;
  readonly #applier: VirtualApplier;
  /** Events of steps that are not written. */
  #events: EventFacts[] = [];
  /** Rows that the log shows as removed, and that are still stored. */
  readonly #removed = new Set<string>();
  /** The counts of the rollout as it was stored last, and the rows that were written since. */
  #since: Readonly<{ tallies: readonly WaveTally[]; clusters: Set<string> }> | undefined;

  constructor(
    readonly fleet: KnownFleet,
    readonly world: VirtualWorld,
    readonly onKilled: () => void,
  ) {
    this.#applier = new VirtualApplier(world);
  }

  /** One write to the hub API. */
  written(): void {
    this.writes++;
    if (--this.writesLeft <= 0) this.onKilled();
  }

  /** Begins a pass. It makes the steps again that a killed one has not written. */
  begin({ tallies }: VirtualRollout): void {
    this.#events = [];
    this.#since = { tallies, clusters: new Set() };
  }

  /** Ends a pass. */
  end(): void {
    this.#since = undefined;
  }

  /** Keeps the events of a step until it is written. */
  noteEvents(events: readonly EventFacts[]): void {
    this.#events.push(...events.filter((event) => event.phase !== 'Removed' || !this.#removed.has(keyOf(event))));
  }

  perform(record: VirtualRollout, write: PassWrite<OpenDecision>): void {
    if (write.kind === 'Rows') this.writeRows(record, write.clusters);
    else if (write.kind === 'Rollout') this.#writeRollout(record, write);
    else if (write.kind === 'Events') this.begin(record);
  }

  writeRows(record: VirtualRollout, clusters: readonly string[]): void {
    for (const cluster of clusters) if (!this.isDown) this.#writeRow(record, cluster);
  }

  #say(events: readonly EventFacts[]): void {
    for (const event of events) this.world.options.log.add(this.world.now, event);
  }

  /** Says what the written rows show: the controller dies before the rest of its pass. */
  #sayResults({ spec }: VirtualRollout): void {
    const running = new Map(spec.waves.map(({ name }, at) => [name, this.#since?.tallies[at]?.inFlight ?? 0]));
    for (const event of this.#events) {
      const { kind, wave, cluster, from, phase } = event;
      if (this.#since?.clusters.has(cluster ?? '') !== true) continue;
      const change = kind === 'cluster' ? Number(IN_FLIGHT.has(phase)) - Number(IN_FLIGHT.has(from ?? '')) : 0;
      const inFlight = (running.get(wave ?? '') ?? 0) + change;
      running.set(wave ?? '', inFlight);
      this.#say([kind === 'cluster' ? { ...event, inFlight } : event]);
    }
  }

  #writeRollout(record: VirtualRollout, write: RolloutWrite<OpenDecision>): void {
    const { status, moved, decided, isPart } = write;
    const { version: step } = record;
    // The rows of a new rollout would be made again after a kill, and the log shows each of them once.
    const intent = moved.before === undefined ? [...record.rows.values()].map((row) => ({ step, row })) : write.intent;
    const announced = new Set(intent.map(({ row }) => row.cluster));
    const isLater = (cluster: string): boolean => {
      const row = record.rows.get(cluster);
      if (row === undefined || announced.has(cluster)) return false;
      return record.stored.get(cluster)?.row !== row;
    };
    // Without kills all parts are written.
    const mayDie = this.writesLeft < Number.POSITIVE_INFINITY;
    const isOpen = ({ cluster = null }: EventFacts): boolean => (cluster === null ? isPart : isLater(cluster));
    const later = mayDie ? this.#events.filter(isOpen) : [];
    this.#say(this.#events.filter((event) => !later.includes(event)));
    const isGone = (name: string) => !record.rows.has(name) && record.stored.has(name);
    const gone = this.#events.filter(({ phase, cluster }) => phase === 'Removed' && isGone(cluster ?? ''));
    for (const event of gone) this.#removed.add(keyOf(event));
    this.#events = later;
    this.#since = undefined;
    record.save({ step, at: this.world.now, status, intent, isNew: false });
    if (decided !== undefined && isPart) decided.decision.hasBegun = true;
    else if (decided !== undefined) decided.decision.effects = decided.effects;
    this.written();
  }

  #writeRow(record: VirtualRollout, name: string): void {
    const row = record.rows.get(name);
    const before = record.stored.get(name)?.row;
    if (row === undefined) record.stored.delete(name);
    else record.stored.set(name, { step: record.version, row });
    this.#since?.clusters.add(name);
    this.#removed.delete(keyOf({ rollout: record.spec.name, cluster: name }));
    const cluster = this.world.clusters.get(name);
    // The assignment of a cluster that has left goes with it.
    if (cluster !== undefined) {
      if (this.writesLeft <= 1) this.#sayResults(record);
      this.written();
      this.#order(record, { before, after: row }, cluster);
    }
    if (row === undefined || isEvent({ before, after: row })) this.#follow(record, { before, after: row }, name);
  }

  /** Writes the order of a row into the assignment of its cluster. */
  #order(record: VirtualRollout, { before, after: row }: MovedRow, cluster: VirtualCluster): void {
    const { spec, subject } = record;
    const { name, target } = spec;
    if (row === undefined) {
      cluster.orders.delete(name);
      // An applier whose order was lost still has its plan, and a cluster knows its attempt.
      if (!cluster.reports.has(name)) cluster.plans.delete(name);
      if (isMoving(before)) this.world.withdraw(cluster, subject.key);
      return;
    }
    const orders = { name, subject, target, wave: spec.waves[row.wave]?.name ?? '', class: row.class };
    if (!cluster.plans.has(name)) this.world.plan(orders, cluster);
    const order = orderOfRow(record, row, cluster, this.fleet);
    if (order === 'Keep') return;
    if (order.order === 'Go' && before?.attempt !== row.attempt && row.reason !== 'Rebuilt') record.starts++;
    this.#applier.take(cluster, orders, { ...order, hop: row.hop }, this.isDown);
  }

  /** Has rollouts examine a cluster again after its row has moved. */
  #follow(record: VirtualRollout, { before, after }: MovedRow, cluster: string): void {
    record.due.note(cluster);
    const isMoved = before?.phase !== after?.phase;
    const isFreed = isMoved && (after?.phase === 'Done' || (isMoving(before) && !(after && isInFlight(after))));
    for (const other of this.fleet.records) {
      // A plan that moves this subject, too, may have waited for its approval.
      const waits = other.rows.get(cluster)?.reason === 'Neighbour';
      if (waits || (isFreed && other !== record)) other.due.note(cluster);
    }
    if (!isMoved) return;
    if (after?.phase === 'RollingBack') record.returns++;
    if (after?.phase === 'Skipped' && after.reason === 'ByDecision') record.skipped.add(cluster);
    // A row that is made anew does not know the decision.
    else if (before !== undefined) record.skipped.delete(cluster);
  }
}
