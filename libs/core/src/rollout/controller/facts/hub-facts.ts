import type { AssignmentReport } from '../../../kernel/api/fleet/fleet-assignment.js';
import { isDenied, type WindowHold, type WindowRules, windowHold } from '../../windows/window-rules.js';
import type { RolloutRecord } from '../record/rollout-record.js';
import type { SubjectRollouts } from '../record/rollout-roles.js';
import type { FleetSubject } from '../record/subjects.js';
import { hasOlder } from '../record/targets.js';
import type { Ahead, ClusterReport, KeptAttempt, Member, PlanReport, RolloutFacts } from '../step/facts.js';
import type { GateAnswer } from '../step/gate-progress.js';
import { isInFlight } from '../step/row.js';
import { isWindowInTheWay, withoutLifted } from '../step/window-holds.js';
import { attemptOf, hopsOnTheWay, isAhead, isDeniedThere, ownPlanIn, planFor, wentAhead } from './cluster-report.js';
import type { FleetView, KnownCluster, Neighbour } from './fleet-view.js';
import { isApprovedIn } from './neighbours.js';
import { CONFLICT, NOT_OFFERED } from './report-reasons.js';
import { isTargetWithdrawn } from './withdrawn-target.js';

type MatchingWindows = Readonly<{
  from: object;
  cluster: KnownCluster;
  generation: number;
  windows: readonly WindowRules[];
}>;

/** The facts of one rollout, from the fleet as the hub API has it. */
export class HubFacts implements RolloutFacts {
  readonly #matching = new Map<string, MatchingWindows>();

  constructor(
    private readonly fleet: FleetView,
    private readonly record: RolloutRecord,
  ) {}

  get #subject(): FleetSubject | undefined {
    return this.fleet.files.subjects.get(this.record.subject.key);
  }

  get #rollouts(): SubjectRollouts {
    return this.fleet.rolloutsOf(this.record.subject.key);
  }

  #cluster(name: string): KnownCluster | undefined {
    return this.fleet.clusters.get(name);
  }

  /** Returns the report of a cluster about the subject of the rollout. */
  #report(name: string): AssignmentReport | undefined {
    return this.#cluster(name)?.report(this.record.subject.key, this.record.spec.name);
  }

  member(cluster: string): Member | undefined {
    return this.#cluster(cluster);
  }

  isTarget(name: string): boolean {
    const [subject, cluster] = [this.#subject, this.#cluster(name)];
    return subject !== undefined && cluster !== undefined && this.fleet.isTarget(subject, cluster);
  }

  mayJoin(cluster: string): boolean {
    if (this.role === 'active') return true;
    return this.role === 'standing' && !this.#rollouts.isDecidedByNewer(this.record, cluster);
  }

  plan(name: string): PlanReport | undefined {
    const { subject, spec } = this.record;
    const [cluster, report] = [this.#cluster(name), this.#report(name)];
    if (cluster === undefined || report === undefined) return undefined;
    const found = this.fleet.isOwn(this.record, cluster)
      ? ownPlanIn(report, this.fleet.askedOf(subject.key))
      : planFor(report, spec.target, spec.specHash);
    const plan = { ...found, class: this.fleet.classOf(report) };
    // On its way a cluster reports the rest of its path, and the order has all of it.
    const hops = hopsOnTheWay(cluster.order(subject.key, spec.name), spec.name);
    return hops === undefined ? plan : { ...plan, hops };
  }

  report(cluster: string): ClusterReport | undefined {
    return attemptOf(this.#report(cluster), this.record.spec.name);
  }

  keptAttempt(name: string): KeptAttempt | undefined {
    const report = this.#report(name);
    if (report?.last === undefined || report.last.rollout !== this.record.spec.name) return undefined;
    const { attempt, hop = 1, wave, running = false, result, reason = '' } = report.last;
    const isThere = this.plan(name)?.isUpToDate === true;
    return { attempt, hop, wave, result, reason, isRunning: running, isThere, isHealthy: report.healthy };
  }

  /** The cluster finds it after the end of an attempt; before, its return asks for it. */
  returnCheck(cluster: string): string | undefined {
    const report = this.#report(cluster);
    if (report?.rollout !== this.record.spec.name || report?.returnCheck?.ok !== false) return undefined;
    return report.returnCheck.reasons[0] ?? 'ContentGone';
  }

  gateAnswer(name: string, cluster: string | null, wave: number, attempt: number): GateAnswer | undefined {
    const { spec } = this.record;
    const { gates } = this.fleet;
    const rules = spec.waves[wave];
    const gate = rules?.spec.gates.find((one) => one.name === name);
    if (rules === undefined || gate === undefined) return undefined;
    if (gate.cel !== undefined && gates?.takesChecks !== true) return this.#checkAnswer(name, cluster ?? '', attempt);
    const question = { rollout: spec.name, wave: rules.name, cluster, bundle: spec.target, gate };
    return gates === undefined ? 'none' : gates.take(question, attempt);
  }

  /** Returns the answer of a cluster since the last question. */
  #checkAnswer(name: string, cluster: string, attempt: number): GateAnswer | undefined {
    const { spec, rows } = this.record;
    const report = this.#report(cluster);
    if (report?.rollout !== spec.name || report.attempt !== attempt) return undefined;
    const found = report.gates.find((gate) => gate.name === name);
    const takenAt = rows.get(cluster)?.gates[name]?.askedAt ?? Number.NEGATIVE_INFINITY;
    if (found === undefined || Date.parse(found.at) <= takenAt) return undefined;
    if (found.green === undefined) return 'none';
    return found.green ? 'green' : 'red';
  }

  #windows(name: string): readonly WindowRules[] {
    const [cluster, subject, from] = [this.#cluster(name), this.#subject, this.fleet.files.windows];
    if (from.length === 0 || cluster === undefined || subject === undefined) return [];
    const known = this.#matching.get(name);
    const isSame = known?.cluster === cluster && known.generation === cluster.generation;
    if (known?.from === from && isSame) return known.windows;
    const windows = from.filter((window) => window.concerns(subject) && window.selects(cluster));
    this.#matching.set(name, { from, cluster, generation: cluster.generation, windows });
    return windows;
  }

  readonly #holding = (name: string): readonly WindowRules[] =>
    withoutLifted(this.#windows(name), this.record.status.breakGlass, this.fleet.now);

  windowHold(cluster: string, isStart: boolean): WindowHold | undefined {
    const holding = this.#holding(cluster);
    return holding.length === 0 ? undefined : windowHold(holding, this.fleet.now, isStart);
  }

  isDeniedByWindow(cluster: string): boolean {
    return isDenied(this.#holding(cluster), this.fleet.now);
  }

  isWindowInTheWay(groups: readonly string[]): boolean {
    return isWindowInTheWay(this.record.rows.values(), groups, this.#holding, this.fleet.now);
  }

  /** True if the plan needs content of a Staged FleetCatalog before its promotion there. */
  needsCatalog(name: string): boolean {
    const [cluster, key] = [this.#cluster(name), this.fleet.catalogOf(this.record)];
    const staged = key === undefined ? undefined : this.fleet.files.subjects.get(key);
    if (staged === undefined || cluster === undefined) return false;
    const { planned, catalogDigest } = this.#report(name) ?? {};
    if (planned === undefined || catalogDigest === undefined) return false;
    const held = cluster.report(staged.key)?.bundle ?? null;
    return held !== catalogDigest || !this.fleet.rolloutsOf(staged.key).isPromoted(name, held, catalogDigest);
  }

  hasOtherRollout(cluster: string): boolean {
    const { place, key } = this.record.subject;
    return this.fleet.records.some((other) => {
      if (other === this.record) return false;
      const isShared =
        other.subject.key === key || (place !== undefined && other.subject.place?.namespace === place.namespace);
      const row = isShared ? other.rows.get(cluster) : undefined;
      return row !== undefined && (isInFlight(row) || row.phase === 'RollingBack');
    });
  }

  waitsForNeighbour(cluster: string): boolean {
    return this.unapprovedNeighbours(cluster).length > 0;
  }

  /** Returns other subjects of the plan without an approval of it. */
  unapprovedNeighbours(name: string): readonly string[] {
    const cluster = this.#cluster(name);
    const all = cluster === undefined ? [] : this.fleet.neighboursOf(this.record, cluster);
    const isApproved = ({ key, class: planned }: Neighbour): boolean =>
      isApprovedIn(this.fleet.rolloutsOf(key).active, name, planned);
    return all.filter((one) => !isApproved(one)).map(({ key }) => key);
  }

  hasConflict(name: string): boolean {
    const [cluster, { subject }] = [this.#cluster(name), this.record];
    if (cluster === undefined || subject.place === undefined) return false;
    if (this.#report(name)?.reason === CONFLICT || this.fleet.hasUnreadOlder(subject, name)) return true;
    return hasOlder(this.fleet.files, subject, cluster);
  }

  isSkipped(name: string): boolean {
    return this.fleet.isSkipped(this.record, name);
  }

  isTargetDenied(name: string): boolean {
    const { spec, rows } = this.record;
    // A Retry decision lifts the denial: the annotation goes with the start.
    if (spec.trigger === 'Retry' || rows.get(name)?.isRetry === true) return false;
    const [cluster, report] = [this.#cluster(name), this.#report(name)];
    if (cluster === undefined || report === undefined || report.denied.length === 0) return false;
    const target = this.fleet.isOwn(this.record, cluster) ? report.planned : spec.target;
    return target !== undefined && isDeniedThere(report, target);
  }

  /**
   * True if the cluster has to get another version first, or its catalog does not lead to the target. If the
   * rollout gives way to a newer one, the cluster waits for that one.
   */
  plansOther(name: string): boolean {
    const report = this.#report(name);
    const isDecided = report?.planHash !== undefined || report?.reason === NOT_OFFERED;
    const hasPlanned = report?.state === 'Planned' && isDecided && report.rollout === this.record.spec.name;
    const givesWay = this.hasQueued && this.record.spec.strategy.supersede !== 'Queue';
    return hasPlanned && this.plan(name)?.state === 'Planning' && !givesWay;
  }

  ahead(name: string): Ahead | undefined {
    const { subject, spec, rows } = this.record;
    const [cluster, report] = [this.#cluster(name), this.#report(name)];
    if (cluster === undefined || report?.bundle === undefined) return undefined;
    const row = rows.get(name);
    const isThere =
      row !== undefined && isInFlight(row)
        ? wentAhead(cluster.order(subject.key, spec.name), report, spec.name, row.attempt)
        : this.#isAheadBefore(cluster, report);
    if (!isThere) return undefined;
    return this.#subject?.refusal(cluster, report.bundle) === undefined ? 'Allowed' : 'NotAllowed';
  }

  /** A rollout of another spec, or to the own plan of a cluster, goes to any installed version. */
  #isAheadBefore(cluster: KnownCluster, report: AssignmentReport): boolean {
    const { spec } = this.record;
    const isOfOne = spec.specHash === undefined && isAhead(report, spec.target);
    return isOfOne && !this.fleet.isOwn(this.record, cluster);
  }

  get isTargetWithdrawn(): boolean {
    return isTargetWithdrawn(this.record, this.fleet);
  }

  get isSubjectPaused(): boolean {
    return this.#subject?.isPaused === true;
  }

  get isSubjectGone(): boolean {
    return this.#subject === undefined;
  }

  get hasQueued(): boolean {
    return this.fleet.hasNext(this.record.subject);
  }

  get isNewest(): boolean {
    return this.#rollouts.newest === this.record;
  }

  get role(): RolloutFacts['role'] {
    return this.#rollouts.roleOf(this.record);
  }
}
