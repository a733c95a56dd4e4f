import type { AssignmentReport } from '../../kernel/api/fleet/fleet-assignment.js';
import { byCodeUnit } from '../../kernel/canonical/canonical-json.js';
import type { FleetView, KnownCluster, Neighbour } from '../controller/facts/fleet-view.js';
import { HubFacts } from '../controller/facts/hub-facts.js';
import { RolloutRecord } from '../controller/record/rollout-record.js';
import { SubjectRollouts } from '../controller/record/rollout-roles.js';
import { decisionEvent } from '../controller/record/step-events.js';
import type { FleetFiles, FleetSubject } from '../controller/record/subjects.js';
import { hasOlder, isTargetOf } from '../controller/record/targets.js';
import type { Decision } from '../controller/step/decisions.js';
import { newStatus, type RolloutSpec } from '../controller/step/rollout-state.js';
import { stepRollout } from '../controller/step/step.js';
import { sumOf } from '../controller/step/tally.js';
import { cutsOf, wavesOf } from '../placement/waves.js';
import { HubWriter } from './hub-writer.js';
import { VirtualGates } from './virtual-gates.js';
import type { VirtualWorld } from './world.js';

/** More steps in one instant are an error: the run ends. */
const MOST_STEPS_AT_ONCE = 100_000;

/** A finished run: its controller and world, for callers that examine its end. */
export type FleetRun = Readonly<{ controller: Controller; world: VirtualWorld; end: number }>;

/**
 * The controller of the simulation. It makes steps, writes their results and gives orders to the clusters.
 */
export class Controller implements FleetView {
  readonly records: RolloutRecord[] = [];
  readonly #facts = new Map<RolloutRecord, HubFacts>();
  readonly #subjects = new Map<string, SubjectRollouts>();
  readonly denied = new Map<string, Set<string>>();
  /** Work for the next start, in its order. */
  readonly #left: (() => void)[] = [];
  readonly writer: HubWriter;
  readonly gates: VirtualGates;
  /** Other controllers that believe to be the active one. */
  readonly others: Readonly<{ settle(): void; refused: number }>[] = [];
  /** Longest age of their views, in milliseconds. */
  keepsFor: number | undefined;
  steps = 0;

  constructor(
    readonly world: VirtualWorld,
    readonly files: FleetFiles,
    readonly seed: string,
    onKilled: () => void,
  ) {
    this.writer = new HubWriter(this, world, onKilled);
    this.gates = new VirtualGates(this, world);
  }

  get now(): number {
    return this.world.now;
  }

  get clusters(): ReadonlyMap<string, KnownCluster> {
    return this.world.clusters;
  }

  isTarget(subject: FleetSubject, cluster: KnownCluster): boolean {
    return isTargetOf(subject, cluster);
  }

  hasNext({ key }: FleetSubject): boolean {
    return this.rolloutsOf(key).queued !== undefined;
  }

  /** Channels and overrides have no effect in a rehearsal. */
  isOwn(): boolean {
    return false;
  }

  askedOf(): undefined {
    return undefined;
  }

  /** Classes have the names that the scenario gives them. */
  classOf({ planHash = '' }: AssignmentReport): string {
    return planHash;
  }

  catalogOf({ spec }: RolloutRecord): string | undefined {
    return this.world.target(spec.subject, spec.target)?.needs?.subject;
  }

  neighboursOf({ spec }: RolloutRecord, { name }: KnownCluster): readonly Neighbour[] {
    return (
      this.world.clusters
        .get(name)
        ?.plans.get(spec.name)
        ?.neighbours.map((key) => ({ key })) ?? []
    );
  }

  /** Every object of a scenario was read. */
  hasUnreadOlder(): boolean {
    return false;
  }

  isSkipped({ skipped }: RolloutRecord, cluster: string): boolean {
    return skipped.has(cluster);
  }

  get #isDown(): boolean {
    return this.writer.isDown;
  }

  rolloutsOf(subject: string): SubjectRollouts {
    const known = this.#subjects.get(subject) ?? new SubjectRollouts();
    this.#subjects.set(subject, known);
    return known;
  }

  /** True if windows hold a cluster for a rollout now. */
  isHeld(record: RolloutRecord, cluster: string, isStart: boolean): boolean {
    return this.#facts.get(record)?.windowHold(cluster, isStart) !== undefined;
  }

  deniedFor(subject: string): ReadonlySet<string> {
    return this.denied.get(subject) ?? new Set();
  }

  /** Something has changed about a cluster: every rollout that can move it examines it again. */
  changed(cluster: string): void {
    for (const record of this.records) record.dirty.add(cluster);
  }

  /** Derives everything again from labels, windows and subjects. */
  changedAll(cluster?: string): void {
    for (const record of this.records) {
      if (cluster === undefined) {
        record.isAllDirty = true;
        record.subject = this.files.subjects.get(record.subject.key) ?? record.subject;
      } else {
        record.dirty.add(cluster);
      }
    }
  }

  /** Acts at once, or after the next start. */
  whenUp(act: () => void): void {
    if (this.#isDown) this.#left.push(act);
    else act();
  }

  /** Creates a rollout, unless no cluster needs the target, it is denied, or the newest one has the same. */
  release(key: string, to: string | undefined, trigger: RolloutSpec['trigger']): void {
    const { now } = this.world;
    this.whenUp(() => this.#make(key, to, trigger, now));
  }

  #make(key: string, to: string | undefined, trigger: RolloutSpec['trigger'], releasedAt: number): void {
    const subject = this.files.subjects.get(key);
    if (subject === undefined) return;
    const target = to ?? this.world.usualTarget(subject);
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
      newStatus(releasedAt, 0, 'Queued'),
      subject,
      (cluster) => this.world.clusters.get(cluster)?.previous.get(name) ?? null,
    );
    const { active, queued } = rollouts;
    rollouts.records.push(record);
    record.keepsFor = this.keepsFor;
    this.#insert(record);
    this.#facts.set(record, new HubFacts(this, record));
    if (queued !== undefined) this.#supersede(queued);
    if (active === undefined) this.#begin(record, trigger === 'Retry' ? 'Retry' : 'Released');
    else this.whenUp(() => this.#announce(record, undefined));
    this.changedAll();
  }

  /** Older rollouts come first; those of one instant in the order of their names. */
  #insert(record: RolloutRecord): void {
    const at = this.records.findIndex(
      ({ status, spec }) => status.startedAt === record.status.startedAt && byCodeUnit(spec.name, record.spec.name) > 0,
    );
    this.records.splice(at < 0 ? this.records.length : at, 0, record);
  }

  #isNeeded(subject: FleetSubject, target: string): boolean {
    const { newest } = this.rolloutsOf(subject.key);
    if (this.deniedFor(subject.key).has(target) || newest?.spec.target === target) return false;
    return [...this.world.clusters.values()].some(
      (cluster) =>
        isTargetOf(subject, cluster) &&
        !hasOlder(this.files, subject, cluster) &&
        (!cluster.isReachable || this.world.installed(cluster, subject) !== target),
    );
  }

  /** A decision lifts a denial, in the subject and in every cluster. */
  #allowAgain(key: string, target: string): void {
    this.denied.get(key)?.delete(target);
    for (const cluster of this.world.clusters.values()) cluster.denied.get(key)?.delete(target);
  }

  /** Allows the target in clusters after a Retry in an active rollout. */
  #allowIn(clusters: readonly string[], { subject, spec }: RolloutRecord): void {
    this.denied.get(subject.key)?.delete(spec.target);
    for (const cluster of clusters) this.world.clusters.get(cluster)?.denied.get(subject.key)?.delete(spec.target);
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
    this.writer.written();
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
    this.whenUp(() => this.#take(decision));
  }

  #take(decision: Decision): void {
    const record = this.records.find(({ spec }) => spec.name === decision.rollout);
    if (record !== undefined) record.decisions.push(decision);
    else this.world.options.log.add(this.world.now, decisionEvent(decision, 'UnknownRollout', null));
  }

  /** Makes steps, older rollouts first, until nothing changes. */
  settle(): void {
    for (const other of this.others) other.settle();
    let made = 0;
    for (let isMoving = true; isMoving && !this.#isDown; ) {
      isMoving = false;
      for (const record of this.records) {
        if (this.#isDown || !this.#isDue(record)) continue;
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
      if (this.#isDown || queued === undefined || active !== undefined) continue;
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
    // A decision needs the rows that it names.
    const decision = record.isNew ? undefined : record.decisions.shift();
    const result = stepRollout(record, facts, decision, examined, this.world.now);
    if (decision !== undefined) {
      const reason = result.decision?.reason ?? 'NotApplicable';
      this.world.options.log.add(this.world.now, decisionEvent(decision, reason, record.subject.key));
    }
    const phase = record.status.phase;
    const hasMoved = this.writer.commit(record, result, decision !== undefined);
    record.attendedUntil = Number.POSITIVE_INFINITY;
    if (phase !== record.status.phase) this.#rolesMayChange(record);
    // A release that is aborted before its turn is none: the catalogs lead to the target before it again.
    const { active } = this.rolloutsOf(record.subject.key);
    if (phase === 'Planning' && record.status.phase === 'Aborted' && active !== undefined) {
      this.world.catalogs.lead({ subject: record.subject.key, to: active.spec.target });
    }
    const { decision: effects } = result;
    if (effects !== undefined && effects.allowedIn.length > 0) this.#allowIn(effects.allowedIn, record);
    if (effects?.isNewRollout === true) this.release(record.subject.key, record.spec.target, 'Retry');
    return hasMoved || decision !== undefined;
  }

  #allClusters(record: RolloutRecord): Iterable<string> {
    return new Set([...record.rows.keys(), ...this.world.clusters.keys()]);
  }

  /** The end of a rollout, or its beginning, changes the roles of the others of its subject. */
  #rolesMayChange(record: RolloutRecord): void {
    for (const other of this.rolloutsOf(record.subject.key).records) other.isAllDirty = true;
  }

  /** Restarts after a crash: completes intents and counts everything again. */
  restart(): void {
    this.writer.isDown = false;
    for (const record of this.records) {
      record.recount();
      record.attendedUntil = Number.NEGATIVE_INFINITY;
    }
    for (const act of this.#left.splice(0)) this.whenUp(act);
    for (const record of this.records) this.writer.completeIntent(record);
  }

  factsOf(record: RolloutRecord): HubFacts | undefined {
    return this.#facts.get(record);
  }
}
