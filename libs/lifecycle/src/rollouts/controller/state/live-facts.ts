import type { AssignmentReport } from '#core/kernel/api/fleet/fleet-assignment';
import type { FleetOperator } from '#core/kernel/api/fleet/fleet-operator';
import type { RolloutRecord } from '#core/rollout/controller/record/rollout-record';
import type { SubjectRollouts } from '#core/rollout/controller/record/rollout-roles';
import type { FleetFiles, FleetSubject } from '#core/rollout/controller/record/subjects';
import { isTargetOf } from '#core/rollout/controller/record/targets';
import type { Ahead, ClusterReport, Member, PlanReport, RolloutFacts } from '#core/rollout/controller/step/facts';
import type { GateAnswer } from '#core/rollout/controller/step/gate-progress';
import { isInFlight } from '#core/rollout/controller/step/row';
import { isWindowInTheWay, withoutLifted } from '#core/rollout/controller/step/window-holds';
import { isDenied, type WindowHold, type WindowRules, windowHold } from '#core/rollout/windows/window-rules';
import { isAhead, type LiveCluster } from '../../assignments/live-cluster.js';
import { NOT_OFFERED } from '../../assignments/path-from.js';
import type { AskedGates } from './asked-gates.js';
import type { HeldSubjects } from './held-subjects.js';
import { unapprovedNeighbours } from './moved-neighbours.js';
import { isTargetWithdrawn } from './withdrawn-target.js';

/** What the facts of all roll-outs are read from. */
export type FleetView = Readonly<{
  now: number;
  files: FleetFiles;
  clusters: ReadonlyMap<string, LiveCluster>;
  records: readonly RolloutRecord[];
  operators: ReadonlyMap<string, FleetOperator>;
  held: HeldSubjects;
  rolloutsOf: (subject: string) => SubjectRollouts;
  /** A target that waits for its turn. */
  newTarget: (subject: FleetSubject) => object | undefined;
  /** Clusters that a roll-out brings to what they plan themselves. */
  ownTargets: Readonly<{ isOwn: (record: RolloutRecord, cluster: LiveCluster) => boolean }>;
  askedOf: (subject: string) => string | undefined;
  /** Clusters that a decision about this roll-out skips. */
  skippedIn: (rollout: string) => ReadonlySet<string>;
  /** Gates outside of clusters; absent: they do not answer. */
  gates?: Pick<AskedGates, 'take'> | undefined;
}>;

/** The facts of one roll-out, from the objects of the hub API. */
export class LiveFacts implements RolloutFacts {
  constructor(
    readonly fleet: FleetView,
    readonly record: RolloutRecord,
  ) {}

  get #subject() {
    return this.fleet.files.subjects.get(this.record.subject.key);
  }

  member(cluster: string): Member | undefined {
    return this.fleet.clusters.get(cluster);
  }

  isTarget(cluster: string): boolean {
    return isTargetOf(this.#subject, this.fleet.clusters.get(cluster));
  }

  mayJoin(cluster: string): boolean {
    if (this.role === 'active') return true;
    return this.role === 'standing' && !this.#rollouts.isDecidedByNewer(this.record, cluster);
  }

  plan(cluster: string): PlanReport | undefined {
    const { subject, spec } = this.record;
    const found = this.fleet.clusters.get(cluster);
    const isOwn = found !== undefined && this.fleet.ownTargets.isOwn(this.record, found);
    const plan = isOwn
      ? found.ownPlan(subject.key, this.fleet.askedOf(subject.key))
      : found?.plan(subject.key, spec.target, spec.specHash);
    // On its way the cluster reports what is left of its path, and the order has all of it.
    const hops = found?.hopsOnTheWay(subject.key, spec.name);
    return plan === undefined || hops === undefined ? plan : { ...plan, hops };
  }

  report(cluster: string): ClusterReport | undefined {
    const { subject, spec } = this.record;
    return this.fleet.clusters.get(cluster)?.attempt(subject.key, spec.name);
  }

  /** What the cluster itself found, once the attempt there had ended; before, it is asked at the return. */
  returnCheck(cluster: string): string | undefined {
    const report = this.fleet.clusters.get(cluster)?.report(this.record.subject.key);
    if (report?.rollout !== this.record.spec.name || report?.returnCheck?.ok !== false) return undefined;
    return report.returnCheck.reasons[0] ?? 'ContentGone';
  }

  gateAnswer(name: string, cluster: string | null, wave: number, attempt: number): GateAnswer | undefined {
    const { spec } = this.record;
    const rules = spec.waves[wave];
    const gate = rules?.spec.gates.find((one) => one.name === name);
    if (rules === undefined || gate === undefined) return undefined;
    if (gate.cel !== undefined) return this.#checkAnswer(name, cluster ?? '', attempt);
    const question = { rollout: spec.name, wave: rules.name, cluster, bundle: spec.target, gate };
    return this.fleet.gates === undefined ? 'none' : this.fleet.gates.take(question, attempt);
  }

  /** What the cluster has answered since the check was taken in last. */
  #checkAnswer(name: string, cluster: string, attempt: number): GateAnswer | undefined {
    const { subject, spec, rows } = this.record;
    const report = this.fleet.clusters.get(cluster)?.report(subject.key);
    if (report?.rollout !== spec.name || report.attempt !== attempt) return undefined;
    const found = report.gates.find((gate) => gate.name === name);
    const takenAt = rows.get(cluster)?.gates[name]?.askedAt ?? Number.NEGATIVE_INFINITY;
    if (found === undefined || Date.parse(found.at) <= takenAt) return undefined;
    if (found.green === undefined) return 'none';
    return found.green ? 'green' : 'red';
  }

  readonly #windows = (name: string): readonly WindowRules[] => {
    const [cluster, subject] = [this.fleet.clusters.get(name), this.#subject];
    if (cluster === undefined || subject === undefined) return [];
    const all = this.fleet.files.windows.filter((window) => window.concerns(subject) && window.selects(cluster));
    return withoutLifted(all, this.record.status.breakGlass, this.fleet.now);
  };

  windowHold(cluster: string, isStart: boolean): WindowHold | undefined {
    return windowHold(this.#windows(cluster), this.fleet.now, isStart);
  }

  isDeniedByWindow(cluster: string): boolean {
    return isDenied(this.#windows(cluster), this.fleet.now);
  }

  isWindowInTheWay(groups: readonly string[]): boolean {
    return isWindowInTheWay(this.record.rows.values(), groups, this.#windows, this.fleet.now);
  }

  /** What the cluster plans needs content of a Staged FleetCatalog that was not promoted there yet. */
  needsCatalog(name: string): boolean {
    const { subject } = this.record;
    const catalog = this.fleet.operators.get(subject.key)?.spec.catalog.fleetCatalog;
    const staged = this.fleet.files.subjects.get(`FleetCatalog/${subject.namespace}/${catalog}`);
    const cluster = this.fleet.clusters.get(name);
    if (catalog === undefined || staged === undefined || cluster === undefined) return false;
    const { planned, catalogDigest } = cluster.report(subject.key) ?? {};
    if (planned === undefined || catalogDigest === undefined) return false;
    const held = cluster.report(staged.key)?.bundle ?? null;
    return held !== catalogDigest || !this.fleet.rolloutsOf(staged.key).isPromoted(name, held, catalogDigest);
  }

  hasOtherRollout(cluster: string): boolean {
    const { place, key } = this.record.subject;
    return this.fleet.records.some((other) => {
      const isShared =
        other.subject.key === key || (place !== undefined && other.subject.place?.namespace === place.namespace);
      const row = isShared && other !== this.record ? other.rows.get(cluster) : undefined;
      return row !== undefined && (isInFlight(row) || row.phase === 'RollingBack');
    });
  }

  waitsForNeighbour(cluster: string): boolean {
    return unapprovedNeighbours(this.fleet, this.record, cluster).length > 0;
  }

  hasConflict(name: string): boolean {
    const [cluster, { place, key }] = [this.fleet.clusters.get(name), this.record.subject];
    if (cluster === undefined || place === undefined) return false;
    if (cluster.hasConflict(key) || this.fleet.held.hasOlderIn(cluster, this.record.subject)) return true;
    for (const other of this.fleet.files.subjects.values()) {
      if (other.key === key) return false;
      const isSame = other.place?.package === place.package && other.place.namespace === place.namespace;
      if (isSame && isTargetOf(other, cluster)) return true;
    }
    return false;
  }

  /** A row that has begun nothing, and was not retried, may have been made anew since the decision. */
  isSkipped(name: string): boolean {
    const { spec, rows } = this.record;
    const row = rows.get(name);
    return row?.attempt === 0 && !row.isRetry && this.fleet.skippedIn(spec.name).has(name);
  }

  isTargetDenied(name: string): boolean {
    const { subject, spec, rows } = this.record;
    // A Retry decision lifts the denial: the annotation goes with the start.
    if (spec.trigger === 'Retry' || rows.get(name)?.isRetry === true) return false;
    const cluster = this.fleet.clusters.get(name);
    if (cluster === undefined) return false;
    const isOwn = this.fleet.ownTargets.isOwn(this.record, cluster);
    const report = cluster.report(subject.key);
    const target = isOwn ? report?.planned : spec.target;
    return target !== undefined && cluster.isDenied(subject.key, target);
  }

  /**
   * It has another version to get first, or its catalog is another one, or does not lead on any more. Where
   * that is the target of a newer roll-out, it waits for that one.
   */
  plansOther(name: string): boolean {
    const { subject, spec } = this.record;
    const report = this.fleet.clusters.get(name)?.report(subject.key);
    const isDecided = report?.planHash !== undefined || report?.reason === NOT_OFFERED;
    const hasPlanned = report?.state === 'Planned' && isDecided && report.rollout === spec.name;
    return hasPlanned && this.plan(name)?.state === 'Planning' && !this.hasQueued;
  }

  ahead(name: string): Ahead | undefined {
    const { subject, spec, rows } = this.record;
    const cluster = this.fleet.clusters.get(name);
    const report = cluster?.report(subject.key);
    if (cluster === undefined || report?.bundle === undefined) return undefined;
    const row = rows.get(name);
    const isThere =
      row !== undefined && isInFlight(row)
        ? cluster.wentAhead(subject.key, spec.name, row.attempt)
        : this.#isAheadBefore(cluster, report);
    if (!isThere) return undefined;
    return this.#subject?.refusal(cluster, report.bundle) === undefined ? 'Allowed' : 'NotAllowed';
  }

  /** A roll-out of another spec, and one to what a cluster plans itself, goes to whatever is installed. */
  #isAheadBefore(cluster: LiveCluster, report: AssignmentReport): boolean {
    const { spec } = this.record;
    const isOfOne = spec.specHash === undefined && isAhead(report, spec.target);
    return isOfOne && !this.fleet.ownTargets.isOwn(this.record, cluster);
  }

  get isTargetWithdrawn(): boolean {
    return isTargetWithdrawn(this.record, this.fleet);
  }

  get isSubjectPaused(): boolean {
    return this.#subject?.isPaused === true;
  }

  get hasQueued(): boolean {
    return this.fleet.newTarget(this.record.subject) !== undefined;
  }

  get isNewest(): boolean {
    return this.#rollouts.newest === this.record;
  }

  get role(): RolloutFacts['role'] {
    return this.#rollouts.roleOf(this.record);
  }

  get #rollouts(): SubjectRollouts {
    return this.fleet.rolloutsOf(this.record.subject.key);
  }
}
