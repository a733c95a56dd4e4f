import { cutsOf, wavesOf } from '../placement/waves.js';
import type { Decision } from '../rollout/decisions.js';
import { isFinal } from '../rollout/phases.js';
import { newStatus, type RolloutSpec } from '../rollout/rollout-state.js';
import { isInFlight, type RolloutRow } from '../rollout/row.js';
import type { Order } from '../rollout/starts.js';
import { type StepResult, stepRollout } from '../rollout/step.js';
import { sumOf } from '../rollout/tally.js';
import { type HubState, isTargetOf, VirtualFacts } from './rollout-facts.js';
import { RolloutRecord } from './rollout-record.js';
import { SubjectRollouts } from './rollout-roles.js';
import { decisionEvent, isEvent, stepEvents } from './step-events.js';
import type { FleetFiles, FleetSubject } from './subjects.js';
import type { VirtualCluster } from './virtual-cluster.js';
import type { RolloutOrders, VirtualWorld } from './world.js';

/** Steps of one instant after which something must be wrong: the run ends instead of going round for ever. */
const MOST_STEPS_AT_ONCE = 100_000;

/**
 * The controller of the simulation: it makes steps, writes what they decide and gives orders to the clusters.
 */
export class Controller implements HubState {
  readonly records: RolloutRecord[] = [];
  readonly #facts = new Map<RolloutRecord, VirtualFacts>();
  readonly #subjects = new Map<string, SubjectRollouts>();
  readonly #denied = new Map<string, Set<string>>();
  steps = 0;
  hubWrites = 0;
  /** The controller is killed after this many more writes. */
  writesLeft = Number.POSITIVE_INFINITY;
  isDown = false;

  constructor(
    readonly world: VirtualWorld,
    readonly files: FleetFiles,
    readonly seed: string,
    readonly onKilled: () => void,
  ) {}

  rolloutsOf(subject: string): SubjectRollouts {
    const known = this.#subjects.get(subject) ?? new SubjectRollouts();
    this.#subjects.set(subject, known);
    return known;
  }

  /** Whether windows hold a cluster for a roll-out, by their times now. */
  isHeld(record: RolloutRecord, cluster: string, isStart: boolean): boolean {
    return this.#facts.get(record)?.windowHold(cluster, isStart) !== undefined;
  }

  deniedFor(subject: string): ReadonlySet<string> {
    return this.#denied.get(subject) ?? new Set();
  }

  /** Something has changed about a cluster: every roll-out that can move it examines it again. */
  changed(cluster: string): void {
    for (const record of this.records) record.dirty.add(cluster);
  }

  /** Labels, windows or subjects have changed: what was derived from them is derived again. */
  changedAll(cluster?: string): void {
    for (const record of this.records) {
      if (cluster === undefined) {
        record.matching.clear();
        record.isAllDirty = true;
        record.subject = this.files.subjects.get(record.subject.key) ?? record.subject;
      } else {
        record.matching.delete(cluster);
        record.dirty.add(cluster);
      }
    }
  }

  /** Makes a roll-out, unless no cluster needs the target, it is denied, or the newest one has the same. */
  release(key: string, to: string | undefined, trigger: RolloutSpec['trigger']): void {
    const subject = this.files.subjects.get(key);
    if (subject === undefined) return;
    const target = to ?? subject.usualBundle.next;
    const rollouts = this.rolloutsOf(key);
    if (trigger === 'Retry') this.#allowAgain(key, target);
    else if (!this.#isNeeded(subject, target)) return;
    const number = rollouts.records.length + 1;
    const name = `${subject.rolloutPrefix}-${number}`;
    const spec: RolloutSpec = {
      name,
      uid: `${this.seed}/${name}`,
      subject: key,
      number,
      target,
      trigger,
      strategy: subject.strategy,
      waves: [],
      cuts: [],
    };
    const record = new RolloutRecord(
      spec,
      newStatus(this.world.now, 0, 'Queued'),
      subject,
      (cluster) => this.world.clusters.get(cluster)?.previous.get(name) ?? null,
    );
    const { active, queued } = rollouts;
    rollouts.records.push(record);
    this.records.push(record);
    this.#facts.set(record, new VirtualFacts(this, record));
    if (queued !== undefined) this.#supersede(queued);
    if (active === undefined) this.#begin(record, trigger === 'Retry' ? 'Retry' : 'Released');
    else this.#announce(record, undefined);
    this.changedAll();
  }

  #isNeeded(subject: FleetSubject, target: string): boolean {
    const { newest } = this.rolloutsOf(subject.key);
    if (this.deniedFor(subject.key).has(target) || newest?.spec.target === target) return false;
    return [...this.world.clusters.values()].some(
      (cluster) =>
        isTargetOf(subject, cluster) && (!cluster.isReachable || this.world.installed(cluster, subject) !== target),
    );
  }

  /** A decision lifts a denial, in the subject and in every cluster. */
  #allowAgain(key: string, target: string): void {
    this.#denied.get(key)?.delete(target);
    for (const cluster of this.world.clusters.values()) cluster.denied.get(key)?.delete(target);
  }

  #announce(record: RolloutRecord, from: string | undefined): void {
    const { phase, reason } = record.status;
    this.world.options.log.add(this.world.now, {
      kind: 'rollout',
      phase,
      reason,
      from: from ?? null,
      rollout: record.spec.name,
      subject: record.subject.key,
      counts: sumOf(record.tallies).counts,
    });
    record.isNew = false;
    this.#written();
  }

  #supersede(record: RolloutRecord): void {
    const from = record.status.phase;
    record.status = { ...record.status, phase: 'Superseded', reason: 'NewerTarget', finishedAt: this.world.now };
    this.#announce(record, from);
  }

  /** Fixes waves and cuts, and makes every target a member in the step that follows. */
  #begin(record: RolloutRecord, reason: 'Released' | 'Retry'): void {
    const { spec, subject } = record;
    const waves = wavesOf(spec.strategy);
    const targets = [...this.world.clusters.values()].filter((cluster) => isTargetOf(subject, cluster));
    const status = { ...newStatus(this.world.now, waves.length, reason), startedAt: record.status.startedAt };
    record.begin({ ...spec, waves, cuts: cutsOf(waves, targets, spec.uid) }, status);
    for (const cluster of this.world.clusters.keys()) record.dirty.add(cluster);
  }

  decide(decision: Decision): void {
    const record = this.records.find(({ spec }) => spec.name === decision.rollout);
    if (record !== undefined) record.decisions.push(decision);
    else this.world.options.log.add(this.world.now, decisionEvent(decision, 'UnknownRollout', null));
  }

  /** Makes steps, older roll-outs first, until nothing changes. */
  settle(): void {
    let made = 0;
    for (let isMoving = true; isMoving && !this.isDown; ) {
      isMoving = false;
      for (const record of this.records) {
        if (this.isDown || !this.#isDue(record)) continue;
        isMoving = this.#step(record) || isMoving;
        if (++made > MOST_STEPS_AT_ONCE) throw new Error(`roll-out ${record.spec.name} does not come to rest`);
      }
      isMoving = this.#takeTurns() || isMoving;
    }
  }

  #takeTurns(): boolean {
    let hasBegun = false;
    for (const rollouts of this.#subjects.values()) {
      const { queued, active } = rollouts;
      if (this.isDown || queued === undefined || active !== undefined) continue;
      this.#begin(queued, queued.spec.trigger === 'Retry' ? 'Retry' : 'Released');
      hasBegun = true;
    }
    return hasBegun;
  }

  #isDue(record: RolloutRecord): boolean {
    const isAwake = record.wakeAt !== undefined && record.wakeAt <= this.world.now;
    return record.isNew || record.isAllDirty || record.dirty.size > 0 || record.decisions.length > 0 || isAwake;
  }

  #step(record: RolloutRecord): boolean {
    this.steps++;
    const facts = this.#facts.get(record);
    if (facts === undefined) return false;
    if (record.wakeAt !== undefined && record.wakeAt <= this.world.now) record.isAllDirty = true;
    const examined = record.isAllDirty ? this.#allClusters(record) : [...record.dirty];
    record.dirty.clear();
    record.isAllDirty = false;
    const decision = record.decisions.shift();
    const result = stepRollout(record, facts, decision, examined, this.world.now);
    if (decision !== undefined) {
      const reason = result.decision?.reason ?? 'NotApplicable';
      this.world.options.log.add(this.world.now, decisionEvent(decision, reason, record.subject.key));
    }
    const hasMoved = this.#commit(record, result);
    const { decision: effects } = result;
    for (const cluster of effects?.allowedIn ?? []) {
      this.world.clusters.get(cluster)?.denied.get(record.subject.key)?.delete(record.spec.target);
    }
    if (effects?.isNewRollout === true) this.release(record.subject.key, record.spec.target, 'Retry');
    return hasMoved || decision !== undefined;
  }

  #allClusters(record: RolloutRecord): Iterable<string> {
    return new Set([...record.rows.keys(), ...this.world.clusters.keys()]);
  }

  /** Writes what a step has decided, as far as the controller comes, and gives the orders. */
  #commit(record: RolloutRecord, result: StepResult): boolean {
    const before = record.isNew ? undefined : record.status;
    const changes = [...result.rows.values()].map((after) => ({ before: record.rows.get(after.cluster), after }));
    const hasStatus = before !== result.status;
    record.chosen = sumOf(result.tallies).chosen;
    for (const event of stepEvents(record, before, changes, result)) this.world.options.log.add(this.world.now, event);
    record.isNew = false;
    for (const { before: row, after } of changes) this.#storeRow(record, row, after);
    for (const [cluster, at] of result.rowWakes) this.#noteWake(record, cluster, at);
    record.tallies = result.tallies;
    record.status = result.status;
    record.wakeAt = result.wakeAt;
    if (result.wakeAt !== undefined) this.#wakeAt(record, result.wakeAt);
    if (hasStatus) {
      record.isAllDirty = true;
      this.#written();
      if (before?.phase !== result.status.phase) this.#rolesMayChange(record);
    }
    for (const order of result.orders) this.#order(record, order);
    return hasStatus || changes.some(isEvent);
  }

  /** Writes rows that were made from what their clusters report. */
  storeRebuilt(record: RolloutRecord, rows: readonly RolloutRow[]): void {
    record.rows.clear();
    record.recount();
    const tallies = record.tallies.map((tally) => tally.copy());
    for (const row of rows) tallies[row.wave]?.add(row, 1);
    const changes = rows.map((after) => ({ before: undefined, after }));
    const events = stepEvents(record, record.status, changes, { status: record.status, tallies });
    for (const event of events) this.world.options.log.add(this.world.now, event);
    record.tallies = tallies;
    for (const row of rows) {
      record.store(row);
      this.#written();
    }
    record.isAllDirty = true;
  }

  /** An end, or a beginning, of one roll-out changes what the others of its subject are. */
  #rolesMayChange(record: RolloutRecord): void {
    for (const other of this.rolloutsOf(record.subject.key).records) other.isAllDirty = true;
  }

  #wakeAt(record: RolloutRecord, at: number): void {
    this.world.at(
      at,
      () => undefined,
      () => record.wakeAt === at && !isFinal(record.status.phase),
    );
  }

  #storeRow(record: RolloutRecord, before: RolloutRow | undefined, after: RolloutRow): void {
    record.store(after);
    if (!isEvent({ before, after })) return;
    record.dirty.add(after.cluster);
    const cluster = this.world.clusters.get(after.cluster);
    if (before === undefined && cluster !== undefined) this.world.plan(this.#orders(record, after), cluster);
    if (before?.phase === after.phase) return;
    // Verifying is what the cluster reports; the row holds no more than before.
    if (after.phase !== 'Verifying') this.#written();
    if (before !== undefined) this.#noteEnd(record, before, after);
    if (cluster !== undefined) this.#noteOutcome(record, after, cluster);
  }

  /**
   * A cluster that is in flight no more is free for other roll-outs, and takes no order that has not arrived.
   */
  #noteEnd(record: RolloutRecord, before: RolloutRow, after: RolloutRow): void {
    const wasBusy = isInFlight(before) || before.phase === 'RollingBack';
    if (!wasBusy || isInFlight(after)) return;
    for (const other of this.records) if (other !== record) other.dirty.add(after.cluster);
    const cluster = this.world.clusters.get(after.cluster);
    if (cluster !== undefined) this.world.withdraw(cluster, record.subject.key);
  }

  #noteOutcome(record: RolloutRecord, row: RolloutRow, cluster: VirtualCluster): void {
    const { name, target } = record.spec;
    if (row.phase === 'Done' && row.attempt > 0) this.world.done(this.#orders(record, row), cluster, row.attempt);
    if ((row.phase === 'Failed' && row.attempt > 0) || row.phase === 'RolledBack') {
      cluster.results.set(name, { phase: row.phase, reason: row.reason, attempt: row.attempt });
    }
    if (row.phase !== 'RollingBack') return;
    record.returns++;
    const { key } = record.subject;
    const denied = (row.goBack?.denies === 'Operator' ? this.#denied : cluster.denied).get(key) ?? new Set();
    denied.add(target);
    (row.goBack?.denies === 'Operator' ? this.#denied : cluster.denied).set(key, denied);
  }

  #noteWake(record: RolloutRecord, cluster: string, at: number | undefined): void {
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

  #orders({ spec, subject }: RolloutRecord, row: RolloutRow): RolloutOrders {
    return { name: spec.name, subject, target: spec.target, wave: spec.waves[row.wave]?.name ?? '', class: row.class };
  }

  #order(record: RolloutRecord, { kind, cluster: name, attempt, hop }: Order): void {
    const [cluster, row] = [this.world.clusters.get(name), record.rows.get(name)];
    if (cluster === undefined || row === undefined) return;
    const orders = this.#orders(record, row);
    if (kind === 'Go') record.starts++;
    this.world.order(cluster, record.subject.key, () => {
      if (kind === 'Go') this.world.go(orders, cluster, attempt, hop);
      else if (kind === 'Hop') this.world.hop(orders, cluster, attempt, hop, false);
      else this.world.giveBack(orders, cluster, attempt, hop);
    });
  }

  /** One write to the hub API. */
  #written(): void {
    this.hubWrites++;
    if (--this.writesLeft > 0) return;
    this.onKilled();
  }
}
