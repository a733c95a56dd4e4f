import { wavesOf } from '#core/fleet/placement/waves';
import { newStatus, type RolloutSpec } from '#core/fleet/rollout/rollout-state';
import { RolloutRecord } from '#core/fleet/simulation/rollout-record';
import { SubjectRollouts } from '#core/fleet/simulation/rollout-roles';
import type { FleetFiles, FleetSubject } from '#core/fleet/simulation/subjects';
import type { FleetRollout } from '#core/kernel/api/fleet/fleet-rollout';
import { byCodeUnit } from '#core/kernel/canonical/canonical-json';
import type { AskedGates } from './asked-gates.js';
import type { FleetState } from './fleet-state.js';
import type { LiveCluster } from './live-cluster.js';
import { type FleetView, LiveFacts } from './live-facts.js';
import { LiveMemory } from './live-memory.js';
import type { StoredRow } from './stored-rollout.js';

/** A roll-out that was read, with its object and the step that was written last. */
export type LiveRollout = Readonly<{ object: FleetRollout; record: RolloutRecord; facts: LiveFacts }>;

/** The fleet as one pass of the controller sees it. */
export class LiveFleet implements FleetView {
  readonly files: FleetFiles;
  readonly clusters: ReadonlyMap<string, LiveCluster>;
  readonly rollouts: LiveRollout[] = [];
  readonly #bySubject = new Map<string, SubjectRollouts>();
  readonly #targets = new Map<FleetSubject, readonly LiveCluster[]>();

  constructor(
    readonly state: FleetState,
    readonly now: number,
    private readonly memory = new LiveMemory(),
    readonly gates?: Pick<AskedGates, 'take'>,
  ) {
    this.files = memory.filesOf(state);
    const assignments = new Map(state.assignments.map((one) => [one.metadata.name, one]));
    const clusters = state.clusters.map((one) => memory.clusterOf(one, assignments.get(one.metadata.name), now));
    this.clusters = new Map(clusters.map((one) => [one.name, one]));
    const inOrder = [...state.rollouts].sort((a, b) => a.spec.number - b.spec.number);
    for (const object of inOrder) this.#add(object);
  }

  get records(): readonly RolloutRecord[] {
    return this.rollouts.map(({ record }) => record);
  }

  rolloutsOf(subject: string): SubjectRollouts {
    const known = this.#bySubject.get(subject) ?? new SubjectRollouts();
    this.#bySubject.set(subject, known);
    return known;
  }

  /** Names the order of clusters in a roll-out; known before its object is made, since cuts depend on it. */
  rolloutUid(subject: string, rollout: string): string {
    const operator = this.state.operators.find(
      ({ metadata }) => subject === `FleetOperator/${metadata.namespace}/${metadata.name}`,
    );
    return `${(operator?.metadata as Readonly<{ uid?: string }> | undefined)?.uid ?? ''}/${rollout}`;
  }

  targetsOf(subject: FleetSubject): readonly LiveCluster[] {
    const known = this.#targets.get(subject);
    if (known !== undefined) return known;
    const targets = [...this.clusters.values()].filter((cluster) => this.memory.isTarget(subject, cluster));
    this.#targets.set(subject, targets);
    return targets;
  }

  /**
   * What most clusters plan to move to, if no roll-out has brought it yet. The plans of clusters are made by
   * their own catalogs. What follows on the target of the active roll-out waits for its end: else the
   * clusters that are ahead would leave the others on the way.
   */
  newTarget(subject: FleetSubject): string | undefined {
    const counts = new Map<string, number>();
    const { active } = this.rolloutsOf(subject.key);
    for (const cluster of this.targetsOf(subject)) {
      const report = cluster.report(subject.key);
      if (report?.planned === undefined || report.planned === report.bundle) continue;
      if (active !== undefined && report.bundle === active.spec.target) continue;
      counts.set(report.planned, (counts.get(report.planned) ?? 0) + 1);
    }
    const [most] = [...counts].sort(([a, m], [b, n]) => n - m || byCodeUnit(b, a));
    if (most === undefined || this.#isKnown(subject, most[0])) return undefined;
    return most[0];
  }

  /** A roll-out had this target; one that was taken back comes again once no cluster denies it any more. */
  #isKnown(subject: FleetSubject, target: string): boolean {
    const { records } = this.rolloutsOf(subject.key);
    const last = records.findLast(({ spec }) => spec.target === target);
    if (last === undefined) return this.#isDenied(subject, target);
    return last.status.phase !== 'RolledBack' || this.#isDenied(subject, target);
  }

  /** One cluster denies the target for the whole subject. */
  #isDenied(subject: FleetSubject, target: string): boolean {
    return this.targetsOf(subject).some((cluster) =>
      cluster.report(subject.key)?.denied.some(({ bundle, scope }) => bundle === target && scope === 'Operator'),
    );
  }

  #add(object: FleetRollout): void {
    const { metadata, spec } = object;
    const key = `${spec.subject.kind}/${metadata.namespace}/${spec.subject.name}`;
    const subject = this.files.subjects.get(key);
    // The roll-outs of a subject that was deleted rest as they are.
    if (subject === undefined) return;
    const state = this.memory.stateOf(object);
    const rollouts = this.rolloutsOf(key);
    const rolloutSpec: RolloutSpec = {
      name: `${metadata.namespace}/${metadata.name}`,
      uid: this.rolloutUid(key, metadata.name),
      subject: key,
      number: spec.number,
      target: spec.target.bundle,
      trigger: spec.trigger === 'Retry' ? 'Retry' : 'Release',
      strategy: spec.strategy,
      waves: wavesOf(spec.strategy),
      cuts: spec.cuts,
    };
    const reason = spec.trigger === 'Retry' ? 'Retry' : 'Released';
    const status = state?.status ?? newStatus(this.now, rolloutSpec.waves.length, reason);
    const record = new RolloutRecord(rolloutSpec, status, subject, () => null);
    record.isNew = state === undefined;
    record.version = state?.step ?? 0;
    this.#readRows(record, state?.intent ?? []);
    record.recount();
    rollouts.records.push(record);
    this.rollouts.push({ object, record, facts: new LiveFacts(this, record) });
  }

  /** Rows as the assignments have them, and as the roll-out's intent has them where that is newer. */
  #readRows(record: RolloutRecord, intent: readonly StoredRow[]): void {
    const steps = new Map<string, number>();
    for (const { name, assignment } of this.clusters.values()) {
      const stored = assignment === undefined ? undefined : this.memory.rowsOf(assignment)[record.spec.name];
      if (stored === undefined) continue;
      record.rows.set(name, stored.row);
      steps.set(name, stored.step);
    }
    for (const { step, row } of intent) {
      if (step > (steps.get(row.cluster) ?? -1)) record.rows.set(row.cluster, row);
    }
  }
}
