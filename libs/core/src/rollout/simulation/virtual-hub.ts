import type { AssignmentReport } from '../../kernel/api/fleet/fleet-assignment.js';
import type { FleetView, KnownCluster, Neighbour } from '../controller/facts/fleet-view.js';
import { HubFacts } from '../controller/facts/hub-facts.js';
import { effectsOf, type JudgedDecision, type MadeStep, rolloutPass } from '../controller/record/rollout-pass.js';
import type { RolloutRecord } from '../controller/record/rollout-record.js';
import { inTurn, SubjectRollouts } from '../controller/record/rollout-roles.js';
import { decisionEvent, stepEvents } from '../controller/record/step-events.js';
import type { FleetFiles, FleetSubject } from '../controller/record/subjects.js';
import { hasOlder, isTargetOf } from '../controller/record/targets.js';
import type { Decision } from '../controller/step/decisions.js';
import { isFinal } from '../controller/step/phases.js';
import { newStatus, type RolloutSpec } from '../controller/step/rollout-state.js';
import { sumOf } from '../controller/step/tally.js';
import { cutsOf, wavesOf } from '../placement/waves.js';
import { MemoryHub } from './memory-hub.js';
import { VirtualGates } from './virtual-gates.js';
import { type OpenDecision, VirtualRollout } from './virtual-rollout.js';
import type { VirtualWorld } from './world.js';

/** More steps in one instant are an error: the run ends. */
const MOST_STEPS_AT_ONCE = 100_000;

/** A finished run: its hub and world, for callers that examine its end. */
export type FleetRun = Readonly<{ hub: VirtualHub; world: VirtualWorld; end: number }>;

/**
 * The fleet of the simulation, updated in place. {@link rolloutPass} makes the steps of its rollouts, and
 * {@link MemoryHub} performs their writes. The script makes releases and decisions there.
 */
export class VirtualHub implements FleetView {
  readonly records: VirtualRollout[] = [];
  readonly #facts = new Map<VirtualRollout, HubFacts>();
  readonly #subjects = new Map<string, SubjectRollouts<VirtualRollout>>();
  /** Work for the next start, in its order. */
  readonly #left: (() => void)[] = [];
  /** Newest release of each subject that an object of users is in the way of. */
  readonly #refused = new Map<string, () => void>();
  readonly writer: MemoryHub;
  readonly gates: VirtualGates;
  /** Other controllers that believe to be the active one. */
  readonly others: Readonly<{ settle(): void; refused: number }>[] = [];
  steps = 0;

  constructor(
    readonly world: VirtualWorld,
    readonly files: FleetFiles,
    readonly seed: string,
    onKilled: () => void,
  ) {
    this.writer = new MemoryHub(this, world, onKilled);
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

  isSkipped(record: RolloutRecord, cluster: string): boolean {
    return record instanceof VirtualRollout && record.skipped.has(cluster);
  }

  get #isDown(): boolean {
    return this.writer.isDown;
  }

  rolloutsOf(subject: string): SubjectRollouts<VirtualRollout> {
    const known = this.#subjects.get(subject) ?? new SubjectRollouts<VirtualRollout>();
    this.#subjects.set(subject, known);
    return known;
  }

  /** True if windows hold a cluster for a rollout now. */
  isHeld(record: VirtualRollout, cluster: string, isStart: boolean): boolean {
    return this.#facts.get(record)?.windowHold(cluster, isStart) !== undefined;
  }

  /** Returns targets that a cluster denies for the whole subject. */
  deniedFor(key: string): ReadonlySet<string> {
    const subject = this.files.subjects.get(key);
    const targets = [...this.world.clusters.values()].filter((cluster) => isTargetOf(subject, cluster));
    const denied = targets.flatMap((cluster) => [...(cluster.denied.get(key) ?? [])]);
    return new Set(denied.flatMap(([bundle, scope]) => (scope === 'Operator' ? [bundle] : [])));
  }

  /** Something has changed about a cluster: every rollout that can move it examines it again. */
  changed(cluster: string): void {
    for (const record of this.records) record.due.note(cluster);
  }

  /** Derives everything again from labels, windows and subjects. */
  changedAll(cluster?: string): void {
    const refused = cluster === undefined ? [...this.#refused.values()] : [];
    if (cluster === undefined) this.#refused.clear();
    for (const record of this.records) {
      record.due.note(cluster ?? null);
      if (cluster === undefined) record.subject = this.files.subjects.get(record.subject.key) ?? record.subject;
    }
    for (const release of refused) release();
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
    if (trigger === 'Release' && this.files.problemOf(key) !== undefined) {
      this.#refused.set(key, () => this.release(key, to, trigger));
      return;
    }
    const target = to ?? this.world.usualTarget(subject);
    const rollouts = this.rolloutsOf(key);
    if (trigger !== 'Retry' && !this.#isNeeded(subject, target)) return;
    const number = rollouts.nextNumber;
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
    const record = new VirtualRollout(
      spec,
      newStatus(releasedAt, 0, 'Queued'),
      subject,
      (cluster) => this.world.clusters.get(cluster)?.previous.get(name) ?? null,
    );
    const { active, queued } = rollouts;
    rollouts.records.push(record);
    this.records.push(record);
    this.records.sort(inTurn);
    this.#facts.set(record, new HubFacts(this, record));
    if (queued !== undefined) this.#supersede(queued);
    if (active === undefined) this.#begin(record, trigger === 'Retry' ? 'Retry' : 'Released');
    else this.whenUp(() => this.#announce(record, undefined));
    this.changedAll();
  }

  #isNeeded(subject: FleetSubject, target: string): boolean {
    const { newest, records } = this.rolloutsOf(subject.key);
    if (this.deniedFor(subject.key).has(target) || newest?.spec.target === target) return false;
    // A target that was aborted on its way waits for a Retry.
    const last = records.findLast(({ spec }) => spec.target === target && spec.waves.length > 0);
    if (last?.status.phase === 'Aborted') return false;
    return [...this.world.clusters.values()].some(
      (cluster) =>
        isTargetOf(subject, cluster) &&
        !hasOlder(this.files, subject, cluster) &&
        (!cluster.isReachable || this.world.installed(cluster, subject) !== target),
    );
  }

  #announce(record: VirtualRollout, from: string | undefined): void {
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
    record.save({ step: record.version, at: this.now, status: record.status, intent: [], isNew: false });
    this.writer.written();
  }

  #supersede(record: VirtualRollout): void {
    const from = record.status.phase;
    record.status = { ...record.status, phase: 'Superseded', reason: 'NewerTarget', finishedAt: this.world.now };
    this.#announce(record, from);
  }

  /** Fixes waves and cuts, and makes every target a member in the step that follows. */
  #begin(record: VirtualRollout, reason: 'Released' | 'Retry'): void {
    const { spec, subject } = record;
    const { strategy } = subject;
    const waves = wavesOf(strategy);
    const targets = [...this.world.clusters.values()].filter((cluster) => isTargetOf(subject, cluster));
    const status = { ...newStatus(this.world.now, waves.length, reason), startedAt: record.status.startedAt };
    record.begin({ ...spec, strategy, waves, cuts: cutsOf(waves, targets, spec.uid) }, status);
    record.due.note(null);
  }

  decide(decision: Decision): void {
    this.whenUp(() => this.#take(decision));
  }

  #take(decision: Decision): void {
    const record = this.records.find(({ spec }) => spec.name === decision.rollout);
    if (record !== undefined && this.#isRead(record))
      record.decisions = [...record.decisions, { decision, hasBegun: false, effects: undefined }];
    else this.world.options.log.add(this.world.now, decisionEvent(decision, 'UnknownRollout', null));
  }

  /** Makes passes until nothing changes, over older rollouts first. */
  settle(): void {
    for (const other of this.others) other.settle();
    const most = this.steps + MOST_STEPS_AT_ONCE;
    for (let isMoving = true; isMoving && !this.#isDown; ) {
      isMoving = false;
      for (const record of this.records) {
        if (this.#isDown || !this.#isDue(record)) continue;
        isMoving = true;
        this.attend(record);
        if (this.steps > most) throw new Error(`rollout ${record.spec.name} does not come to rest`);
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

  /** False if its subject was deleted after its end: it is a record of the past. */
  #isRead({ subject, status }: VirtualRollout): boolean {
    return this.files.subjects.has(subject.key) || !isFinal(status.phase);
  }

  /** The next time at which the clock alone asks for a step. Infinite while the controller is down. */
  get nextWakeAt(): number {
    const records = this.#isDown ? [] : this.records.filter((record) => this.#isRead(record));
    // An approval that ends in a rollout that has ended asks for no step.
    const wakes = records.map(({ due, status }) => (isFinal(status.phase) ? due.nextRowAt : due.nextAt));
    return Math.min(...wakes);
  }

  #isDue(record: VirtualRollout): boolean {
    if (!this.#isRead(record)) return false;
    return record.isNew || record.decisions.length > 0 || record.due.isDue(this.now);
  }

  /** Makes a pass over a rollout, until the controller is killed. */
  attend(record: VirtualRollout): void {
    const facts = this.#facts.get(record);
    if (facts === undefined) return;
    this.writer.end();
    this.writer.writeRows(record, record.unordered);
    record.unordered = [];
    // The controller was killed before it wrote their outcome.
    for (const decision of record.decisions)
      if (decision.effects !== undefined) this.#conclude(record, { decision, effects: decision.effects });
    if (this.#isDown) return;
    this.writer.begin(record);
    const all = () => new Set([...record.rows.keys(), ...this.world.clusters.keys()]);
    const pass = rolloutPass<OpenDecision>(
      { record, facts },
      {
        ...{ decisions: record.decisions, decisionOf: ({ decision }) => decision, hasBegun: (one) => one.hasBegun },
        ...{ examined: record.due.take(this.now, all), all, now: this.now, most: MOST_STEPS_AT_ONCE },
        noteStep: (made) => this.#noteStep(record, made),
      },
    );
    for (const write of pass) {
      if (write.kind === 'Outcome') this.#conclude(record, write);
      else this.writer.perform(record, write);
      if (!this.#isDown) continue;
      record.restore(this.now);
      return;
    }
  }

  /** Notes a step before it is in the record: its events, and the times at which others follow. */
  #noteStep(record: VirtualRollout, { decided, changes, result }: MadeStep<OpenDecision>): void {
    this.steps++;
    const { subject, status, isNew } = record;
    if (decided !== undefined) {
      const { reason } = effectsOf(result, decided.hasBegun);
      this.writer.noteEvents([decisionEvent(decided.decision, reason, subject.key)]);
    }
    this.writer.noteEvents(stepEvents(record, isNew ? undefined : status, changes, result));
    record.chosen = sumOf(result.tallies).chosen;
    record.due.noteWakes(result);
    if (status.phase === result.status.phase) return;
    this.#rolesMayChange(record);
    // A release that is aborted before its turn is none: the catalogs lead to the target before it again.
    const { active } = this.rolloutsOf(subject.key);
    if (status.phase !== 'Planning' || result.status.phase !== 'Aborted' || active === undefined) return;
    if (active !== record) this.world.catalogs.lead({ subject: subject.key, to: active.spec.target });
  }

  /** Writes the outcome of a decision. A Retry of a rollout that has ended makes a new one first. */
  #conclude(record: VirtualRollout, { decision, effects }: JudgedDecision<OpenDecision>): void {
    const { number, target } = record.spec;
    const isMade = this.rolloutsOf(record.subject.key).records.some(({ spec }) => spec.number > number);
    if (effects.isNewRollout && !isMade) this.release(record.subject.key, target, 'Retry');
    if (this.#isDown) return;
    record.decisions = record.decisions.filter((one) => one !== decision);
    this.writer.written();
  }

  /** The end of a rollout, or its beginning, changes the roles of the others of its subject. */
  #rolesMayChange(record: VirtualRollout): void {
    for (const other of this.rolloutsOf(record.subject.key).records) other.due.note(null);
  }

  /** Restarts after a crash, from what the hub API has. */
  restart(): void {
    this.writer.isDown = false;
    for (const record of this.records) record.restore(this.now);
    for (const act of this.#left.splice(0)) this.whenUp(act);
  }

  factsOf(record: VirtualRollout): HubFacts | undefined {
    return this.#facts.get(record);
  }
}
