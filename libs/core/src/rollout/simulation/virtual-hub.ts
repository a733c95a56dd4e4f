import type { AssignmentReport } from '../../kernel/api/fleet/fleet-assignment.js';
import type { FleetView, KnownCluster, Neighbour } from '../controller/facts/fleet-view.js';
import { HubFacts } from '../controller/facts/hub-facts.js';
import { advance, type MadeStep } from '../controller/record/advance.js';
import type { RolloutRecord } from '../controller/record/rollout-record.js';
import { inTurn, SubjectRollouts } from '../controller/record/rollout-roles.js';
import { decisionEvent } from '../controller/record/step-events.js';
import type { FleetFiles, FleetSubject } from '../controller/record/subjects.js';
import { hasOlder, isTargetOf } from '../controller/record/targets.js';
import type { Decision } from '../controller/step/decisions.js';
import { isFinal } from '../controller/step/phases.js';
import { newStatus, type RolloutSpec } from '../controller/step/rollout-state.js';
import { sumOf } from '../controller/step/tally.js';
import { cutsOf, wavesOf } from '../placement/waves.js';
import { HubWriter } from './hub-writer.js';
import { VirtualGates } from './virtual-gates.js';
import { VirtualRollout } from './virtual-rollout.js';
import type { VirtualWorld } from './world.js';

/** More steps in one instant are an error: the run ends. */
const MOST_STEPS_AT_ONCE = 100_000;

/** A finished run: its hub and world, for callers that examine its end. */
export type FleetRun = Readonly<{ hub: VirtualHub; world: VirtualWorld; end: number }>;

/**
 * The hub of the simulation, in memory. {@link advance} makes steps on its rollouts, and it stores their
 * results. The script makes releases and decisions there.
 */
export class VirtualHub implements FleetView {
  readonly records: VirtualRollout[] = [];
  readonly #facts = new Map<VirtualRollout, HubFacts>();
  readonly #subjects = new Map<string, SubjectRollouts<VirtualRollout>>();
  /** Work for the next start, in its order. */
  readonly #left: (() => void)[] = [];
  /** Newest release of each subject that an object of users is in the way of. */
  readonly #refused = new Map<string, () => void>();
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
    for (const record of this.records) record.dirty.add(cluster);
  }

  /** Derives everything again from labels, windows and subjects. */
  changedAll(cluster?: string): void {
    const refused = cluster === undefined ? [...this.#refused.values()] : [];
    if (cluster === undefined) this.#refused.clear();
    for (const record of this.records) {
      if (cluster === undefined) {
        record.isAllDirty = true;
        record.subject = this.files.subjects.get(record.subject.key) ?? record.subject;
      } else {
        record.dirty.add(cluster);
      }
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
    record.keepsFor = this.keepsFor;
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
    for (const cluster of this.world.clusters.keys()) record.dirty.add(cluster);
  }

  decide(decision: Decision): void {
    this.whenUp(() => this.#take(decision));
  }

  #take(decision: Decision): void {
    const record = this.records.find(({ spec }) => spec.name === decision.rollout);
    if (record !== undefined && this.#isRead(record)) record.decisions.push(decision);
    else this.world.options.log.add(this.world.now, decisionEvent(decision, 'UnknownRollout', null));
  }

  /** Makes steps until nothing changes. Older rollouts come first, each until it rests. */
  settle(): void {
    for (const other of this.others) other.settle();
    const most = this.steps + MOST_STEPS_AT_ONCE;
    for (let isMoving = true; isMoving && !this.#isDown; ) {
      isMoving = false;
      for (const record of this.records) {
        if (!this.#isDown && this.#isDue(record)) isMoving = this.#advance(record) || isMoving;
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

  #isDue(record: VirtualRollout): boolean {
    if (!this.#isRead(record)) return false;
    const isAwake = record.wakeAt !== undefined && record.wakeAt <= this.world.now;
    return record.isNew || record.isAllDirty || record.dirty.size > 0 || record.decisions.length > 0 || isAwake;
  }

  #advance(record: VirtualRollout): boolean {
    const facts = this.#facts.get(record);
    if (facts === undefined) return false;
    if (record.wakeAt !== undefined && record.wakeAt <= this.world.now) record.isAllDirty = true;
    let hasMoved = false;
    const steps = advance(
      { record, facts },
      {
        decisions: record.decisions,
        decisionOf: (decision) => decision,
        examined: this.#takeNews(record),
        all: () => this.#allClusters(record),
        news: () => this.#takeNews(record),
        now: this.world.now,
        most: MOST_STEPS_AT_ONCE,
      },
    );
    for (const made of steps) {
      hasMoved = this.#carryOut(record, made) || hasMoved;
      if (this.#isDown) break;
    }
    return hasMoved;
  }

  /** Returns the clusters that have changed, once. */
  #takeNews(record: VirtualRollout): Iterable<string> {
    const found = record.isAllDirty ? this.#allClusters(record) : [...record.dirty];
    record.dirty.clear();
    record.isAllDirty = false;
    return found;
  }

  /** Writes a step, and the effects of its decision outside the rollout. */
  #carryOut(
    record: VirtualRollout,
    { decided: decision, ...made }: MadeStep & { decided: Decision | undefined },
  ): boolean {
    this.steps++;
    const { decision: effects } = made.result;
    if (decision !== undefined) {
      const reason = effects?.reason ?? 'NotApplicable';
      this.world.options.log.add(this.world.now, decisionEvent(decision, reason, record.subject.key));
    }
    const phase = record.status.phase;
    const hasMoved = this.writer.commit(record, made, decision !== undefined);
    record.attendedUntil = Number.POSITIVE_INFINITY;
    if (phase !== record.status.phase) this.#rolesMayChange(record);
    // A release that is aborted before its turn is none: the catalogs lead to the target before it again.
    const { active } = this.rolloutsOf(record.subject.key);
    if (phase === 'Planning' && record.status.phase === 'Aborted' && active !== undefined) {
      this.world.catalogs.lead({ subject: record.subject.key, to: active.spec.target });
    }
    if (effects?.isNewRollout === true) this.release(record.subject.key, record.spec.target, 'Retry');
    return hasMoved || decision !== undefined;
  }

  #allClusters(record: VirtualRollout): Iterable<string> {
    return new Set([...record.rows.keys(), ...this.world.clusters.keys()]);
  }

  /** The end of a rollout, or its beginning, changes the roles of the others of its subject. */
  #rolesMayChange(record: VirtualRollout): void {
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

  factsOf(record: VirtualRollout): HubFacts | undefined {
    return this.#facts.get(record);
  }
}
