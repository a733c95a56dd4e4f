import type { RolloutRecord } from '../controller/record/rollout-record.js';
import type { SubjectRollouts } from '../controller/record/rollout-roles.js';
import type { FleetFiles, FleetSubject } from '../controller/record/subjects.js';
import { hasOlder, isTargetOf } from '../controller/record/targets.js';
import type { Ahead, Member, PlanReport, RolloutFacts } from '../controller/step/facts.js';
import type { GateAnswer } from '../controller/step/gate-progress.js';
import { isApprovedIn } from '../controller/step/neighbours.js';
import { isInFlight } from '../controller/step/row.js';
import { isWindowInTheWay, withoutLifted } from '../controller/step/window-holds.js';
import { isWithdrawnFrom } from '../controller/step/withdrawn.js';
import { isNewer } from '../review/plan-changes.js';
import { isDenied, type WindowHold, type WindowRules, windowHold } from '../windows/window-rules.js';
import type { VirtualCluster } from './virtual-cluster.js';
import type { VirtualWorld } from './world.js';

/** What the facts of all roll-outs are read from. */
export type HubState = Readonly<{
  world: VirtualWorld;
  files: FleetFiles;
  rolloutsOf: (subject: string) => SubjectRollouts;
  records: readonly RolloutRecord[];
  /** Targets that are denied for a whole subject. */
  deniedFor: (subject: string) => ReadonlySet<string>;
}>;

/** The facts of one roll-out, read from the simulated hub and its clusters. */
export class VirtualFacts implements RolloutFacts {
  constructor(
    readonly hub: HubState,
    readonly record: RolloutRecord,
  ) {}

  get #now(): number {
    return this.hub.world.now;
  }

  get #rollouts(): SubjectRollouts {
    return this.hub.rolloutsOf(this.record.subject.key);
  }

  #cluster(name: string): VirtualCluster | undefined {
    return this.hub.world.clusters.get(name);
  }

  get #subject(): FleetSubject | undefined {
    return this.hub.files.subjects.get(this.record.subject.key);
  }

  member(cluster: string): Member | undefined {
    return this.#cluster(cluster);
  }

  isTarget(cluster: string): boolean {
    return isTargetOf(this.#subject, this.#cluster(cluster));
  }

  mayJoin(cluster: string): boolean {
    if (this.role === 'active') return true;
    return this.role === 'standing' && !this.#rollouts.isDecidedByNewer(this.record, cluster);
  }

  plan(name: string): PlanReport | undefined {
    const cluster = this.#cluster(name);
    const plan = cluster?.plans.get(this.record.spec.name);
    if (cluster === undefined || plan === undefined) return undefined;
    const { subject, spec } = this.record;
    const hopsDone = this.hub.world.hopsDone(cluster, subject, spec.target, plan.hops);
    const found = Object.assign(plan, { hopsDone });
    if (this.ahead(name) !== undefined) return { ...found, isUpToDate: true };
    return this.#hasOtherPlan(cluster) && !found.isUpToDate ? { ...found, state: 'Planning' } : found;
  }

  report(cluster: string) {
    return this.#cluster(cluster)?.reports.get(this.record.spec.name);
  }

  returnCheck(name: string): string | undefined {
    const cluster = this.#cluster(name);
    const { spec, subject } = this.record;
    if (cluster === undefined) return undefined;
    if ((cluster.previous.get(spec.name) ?? null) === null) return 'NothingBefore';
    return this.hub.world.target(subject.key, spec.target)?.returnBlocked;
  }

  gateAnswer(gate: string, cluster: string | null, wave: number, attempt: number): GateAnswer {
    const { faults } = this.hub.world.options;
    const { name: rollout, target: bundle } = this.record.spec;
    const answerIn = (name: string): GateAnswer | undefined => {
      const found = this.#cluster(name);
      if (found === undefined) return undefined;
      const subject = { cluster: found, rollout, bundle, attempt };
      return faults.of('gate', subject, this.#now, (fault) => fault.gate?.name === gate)?.answer;
    };
    if (cluster !== null) return answerIn(cluster) ?? 'green';
    for (const row of this.record.rows.values()) {
      const answer = row.wave === wave ? answerIn(row.cluster) : undefined;
      if (answer !== undefined) return answer;
    }
    return 'green';
  }

  #windows(name: string): readonly WindowRules[] {
    const known = this.record.matching.get(name);
    if (known !== undefined) return known;
    const [cluster, subject] = [this.#cluster(name), this.#subject];
    if (cluster === undefined || subject === undefined) return [];
    const matching = this.hub.files.windows.filter((window) => window.concerns(subject) && window.selects(cluster));
    this.record.matching.set(name, matching);
    return matching;
  }

  readonly #holding = (name: string): readonly WindowRules[] =>
    withoutLifted(this.#windows(name), this.record.status.breakGlass, this.#now);

  windowHold(cluster: string, isStart: boolean): WindowHold | undefined {
    const holding = this.#holding(cluster);
    return holding.length === 0 ? undefined : windowHold(holding, this.#now, isStart);
  }

  isDeniedByWindow(cluster: string): boolean {
    return isDenied(this.#holding(cluster), this.#now);
  }

  isWindowInTheWay(groups: readonly string[]): boolean {
    return isWindowInTheWay(this.record.rows.values(), groups, this.#holding, this.#now);
  }

  needsCatalog(name: string): boolean {
    const needs = this.hub.world.target(this.record.subject.key, this.record.spec.target)?.needs;
    const cluster = this.#cluster(name);
    if (needs === undefined || cluster === undefined) return false;
    const catalog = this.hub.files.subjects.get(needs.subject);
    if (catalog === undefined) return false;
    const held = this.hub.world.installed(cluster, catalog);
    return !this.hub.rolloutsOf(needs.subject).isPromoted(name, held, needs.to);
  }

  hasOtherRollout(cluster: string): boolean {
    const { place, key } = this.record.subject;
    return this.hub.records.some((other) => {
      if (other === this.record) return false;
      const isShared =
        other.subject.key === key || (place !== undefined && other.subject.place?.namespace === place.namespace);
      const row = isShared ? other.rows.get(cluster) : undefined;
      return row !== undefined && (isInFlight(row) || row.phase === 'RollingBack');
    });
  }

  waitsForNeighbour(name: string): boolean {
    const neighbours = this.#cluster(name)?.plans.get(this.record.spec.name)?.neighbours ?? [];
    return neighbours.some((key) => !isApprovedIn(this.hub.rolloutsOf(key).active, name));
  }

  plansOther(name: string): boolean {
    const cluster = this.#cluster(name);
    return cluster !== undefined && this.#hasOtherPlan(cluster) && !this.hasQueued;
  }

  /** The cluster has planned, and does not come to the target from what it has. */
  #hasOtherPlan(cluster: VirtualCluster): boolean {
    const { subject, spec } = this.record;
    const plan = cluster.plans.get(spec.name);
    const installed = this.hub.world.installed(cluster, subject);
    if (plan?.state !== 'Planned' || installed === spec.target) return false;
    const isBehind = plan.first !== undefined && plan.first !== installed;
    return isBehind || this.hub.world.withdrawn.has(`${subject.key} ${spec.target}`);
  }

  get isTargetWithdrawn(): boolean {
    const { subject, spec, rows } = this.record;
    if (!this.hub.world.withdrawn.has(`${subject.key} ${spec.target}`)) return false;
    return isWithdrawnFrom(rows.values(), (name) => {
      const cluster = this.#cluster(name);
      return cluster !== undefined && this.hub.world.installed(cluster, subject) !== spec.target;
    });
  }

  hasConflict(name: string): boolean {
    const cluster = this.#cluster(name);
    return cluster !== undefined && hasOlder(this.hub.files, this.record.subject, cluster);
  }

  isSkipped(cluster: string): boolean {
    return this.record.skipped.has(cluster);
  }

  ahead(name: string): Ahead | undefined {
    const cluster = this.#cluster(name);
    const { subject, spec } = this.record;
    const bundle = cluster?.byHand.get(subject.key);
    if (cluster === undefined || bundle === undefined || !isNewer(bundle, spec.target)) return undefined;
    if (this.hub.world.installed(cluster, subject) !== bundle) return undefined;
    return this.#subject?.refusal(cluster, bundle) === undefined ? 'Allowed' : 'NotAllowed';
  }

  isTargetDenied(cluster: string): boolean {
    return this.#cluster(cluster)?.denied.get(this.record.subject.key)?.has(this.record.spec.target) === true;
  }

  get isSubjectPaused(): boolean {
    return this.#subject?.isPaused === true;
  }

  get hasQueued(): boolean {
    return this.#rollouts.queued !== undefined;
  }

  get isNewest(): boolean {
    return this.#rollouts.newest === this.record;
  }

  get role(): RolloutFacts['role'] {
    return this.#rollouts.roleOf(this.record);
  }
}
