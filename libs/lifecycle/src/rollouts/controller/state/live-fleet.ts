import { isBeingDeleted } from '#core/cluster/membership/cluster-release';
import { unreadableCluster } from '#core/cluster/membership/unreadable-cluster';
import type { AssignmentReport, FleetAssignment } from '#core/kernel/api/fleet/fleet-assignment';
import type { FleetOperator } from '#core/kernel/api/fleet/fleet-operator';
import type { FleetRollout } from '#core/kernel/api/fleet/fleet-rollout';
import { type UnreadableObject, unreadableKey } from '#core/kernel/api/fleet/unreadable-object';
import { byCodeUnit } from '#core/kernel/canonical/canonical-json';
import { classOf, isDeniedThere, isSpecOnly } from '#core/rollout/controller/facts/cluster-report';
import type { FleetView, KnownCluster, Neighbour } from '#core/rollout/controller/facts/fleet-view';
import type { HubCluster } from '#core/rollout/controller/facts/hub-cluster';
import { HubFacts } from '#core/rollout/controller/facts/hub-facts';
import { movedNeighbours } from '#core/rollout/controller/facts/moved-neighbours';
import { OwnTargets } from '#core/rollout/controller/facts/own-targets';
import { isTargetWithdrawn } from '#core/rollout/controller/facts/withdrawn-target';
import { RolloutRecord } from '#core/rollout/controller/record/rollout-record';
import { SubjectRollouts } from '#core/rollout/controller/record/rollout-roles';
import { readRows, type StoredRow } from '#core/rollout/controller/record/stored-rows';
import type { FleetFiles, FleetSubject } from '#core/rollout/controller/record/subjects';
import { isFinal } from '#core/rollout/controller/step/phases';
import { newStatus, type RolloutSpec } from '#core/rollout/controller/step/rollout-state';
import { askedOfSources } from '#core/rollout/desired/catalog-changes';
import { askedHash } from '#core/rollout/desired/subscription-changes';
import { wavesOf } from '#core/rollout/placement/waves';
import { isNewer } from '#core/rollout/review/plan-changes';
import type { FailedCluster } from '#core/rollout/status/selector-failures';
import type { Refused } from '../../assignments/stored-rollout.js';
import type { AskedGates } from './asked-gates.js';
import type { FleetState } from './fleet-state.js';
import { HeldSubjects, placeIn } from './held-subjects.js';
import { LiveMemory } from './live-memory.js';
import { skippedByDecisions } from './skip-decisions.js';

/** A rollout that was read, with its object and the step that was written last. */
export type LiveRollout = Readonly<{
  object: FleetRollout;
  record: RolloutRecord;
  facts: HubFacts;
  /**
   * Clusters with rows that the rollout has announced and that are not stored: the pass that announced them
   * broke off.
   */
  unordered: readonly string[];
  /** Keys of the newest decisions that took effect. */
  taken: readonly string[];
  /** The newest decisions that had no effect. */
  refused: readonly Refused[];
}>;

/** Target of a new rollout. `isSpecOnly`: another spec, for any installed version. */
export type NewTarget = Readonly<{ bundle: string; specHash: string | undefined; isSpecOnly: boolean }>;

/** The most common first. */
const inOrder = (counts: ReadonlyMap<string, number>): string[] =>
  [...counts].sort(([a, m], [b, n]) => n - m || byCodeUnit(b, a)).map(([one]) => one);

/**
 * Returns true if the planned version comes after the active rollout's target, or before it on the upgrade
 * path of a cluster.
 */
const waitsForEnd = ({ bundle, planned }: AssignmentReport, target: string | undefined): boolean =>
  target !== undefined && (bundle === target || (planned !== undefined && isNewer(target, planned)));

/** The fleet as one pass of the controller sees it. */
export class LiveFleet implements FleetView {
  readonly files: FleetFiles;
  readonly clusters: ReadonlyMap<string, HubCluster>;
  /** Operators by subject, including those that are being deleted. */
  readonly operators: ReadonlyMap<string, FleetOperator>;
  readonly rollouts: LiveRollout[] = [];
  /** Objects that do not follow their schema, by key. */
  readonly unreadable: ReadonlyMap<string, UnreadableObject>;
  readonly held: HeldSubjects;
  readonly ownTargets = new OwnTargets(this);
  readonly #bySubject = new Map<string, SubjectRollouts>();
  readonly #targets = new Map<FleetSubject, readonly HubCluster[]>();
  readonly #skipped = new Map<string, ReadonlySet<string>>();
  /** Also those of clusters that have left: a step removes their rows. */
  readonly #assignments: readonly FleetAssignment[];

  constructor(
    readonly state: FleetState,
    readonly now: number,
    private readonly memory = new LiveMemory(),
    readonly gates?: Pick<AskedGates, 'take'>,
  ) {
    this.files = memory.filesOf(state);
    this.operators = new Map(
      state.operators.map((one) => [`FleetOperator/${one.metadata.namespace}/${one.metadata.name}`, one]),
    );
    this.unreadable = new Map(state.unreadable.map((one) => [unreadableKey(one), one]));
    const assignments = new Map(state.assignments.map((one) => [one.metadata.name, one]));
    // One that is deleted has left, however long its release takes.
    const unreadable = state.unreadable.filter(({ kind }) => kind === 'FleetCluster');
    const all = [...state.clusters, ...unreadable.flatMap((one) => unreadableCluster(one) ?? [])];
    const members = all.filter(({ metadata }) => !isBeingDeleted(metadata));
    const clusters = members.map((one) => memory.clusterOf(one, assignments.get(one.metadata.name), now));
    this.clusters = new Map(clusters.map((one) => [one.name, one]));
    const unread = new Map(
      unreadable
        .filter(({ object }) => !isBeingDeleted(object.metadata))
        .map((one) => [one.object.metadata.name ?? '', one] as const)
        .filter(([name]) => !this.clusters.has(name)),
    );
    this.held = new HeldSubjects(state, this.unreadable, unread);
    const isThere = (name: string) => this.clusters.has(name) || unread.has(name);
    const left = state.assignments.filter(({ metadata }) => !isThere(metadata.name));
    this.#assignments = [...clusters.flatMap(({ assignment }) => assignment ?? []), ...left];
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

  readonly classOf = classOf;

  hasNext(subject: FleetSubject): boolean {
    return this.newTarget(subject) !== undefined;
  }

  readonly isOwn = (record: RolloutRecord, cluster: KnownCluster): boolean => this.ownTargets.isOwn(record, cluster);

  catalogOf({ subject }: RolloutRecord): string | undefined {
    const catalog = this.operators.get(subject.key)?.spec.catalog.fleetCatalog;
    return catalog === undefined ? undefined : `FleetCatalog/${subject.namespace}/${catalog}`;
  }

  neighboursOf(record: RolloutRecord, cluster: KnownCluster): readonly Neighbour[] {
    return movedNeighbours(this.files, record, cluster);
  }

  hasUnreadOlder(subject: FleetSubject, name: string): boolean {
    const cluster = this.clusters.get(name);
    return cluster !== undefined && this.held.hasOlderIn(cluster, subject);
  }

  /**
   * True if a row that was not retried belongs to a skipped cluster. It may have been recreated since the
   * decision.
   */
  isSkipped({ spec, rows }: RolloutRecord, name: string): boolean {
    const row = rows.get(name);
    return row?.isRetry === false && this.#skippedIn(spec.name).has(name);
  }

  #skippedIn(rollout: string): ReadonlySet<string> {
    const known = this.#skipped.get(rollout);
    if (known !== undefined) return known;
    const found = this.rollouts.find(({ record }) => record.spec.name === rollout);
    const skipped = found === undefined ? new Set<string>() : skippedByDecisions(found.object, this.state.decisions);
    this.#skipped.set(rollout, skipped);
    return skipped;
  }

  /**
   * Returns the UID that orders clusters in a rollout. It is known before the rollout's object is created,
   * since cuts depend on it.
   */
  rolloutUid(subject: string, rollout: string): string {
    const operator = this.operators.get(subject);
    return `${(operator?.metadata as Readonly<{ uid?: string }> | undefined)?.uid ?? ''}/${rollout}`;
  }

  targetsOf(subject: FleetSubject): readonly HubCluster[] {
    const known = this.#targets.get(subject);
    if (known !== undefined) return known;
    if (!this.files.subjects.has(subject.key)) return [];
    const targets = [...this.clusters.values()].filter((cluster) => this.isTarget(subject, cluster));
    this.#targets.set(subject, targets);
    return targets;
  }

  /** Clusters that a subject does not select because an expression fails there. */
  selectorFailures(subject: FleetSubject): FailedCluster[] {
    if (subject.failureOn === undefined) return [];
    return [...this.clusters.values()].flatMap((cluster) => {
      const failure = this.memory.selectorFailure(subject, cluster);
      return failure === undefined ? [] : [{ cluster: cluster.name, ...failure }];
    });
  }

  readonly isTarget = (subject: FleetSubject, cluster: KnownCluster): boolean => this.memory.isTarget(subject, cluster);

  readonly groupOf = (operator: FleetOperator, cluster: KnownCluster): number | undefined =>
    this.memory.groupOf(operator, cluster);

  /** An object of this key is there and does not follow its schema: nothing is known about it. */
  readonly isUnread = (key: string): boolean => this.unreadable.has(key);

  /**
   * Returns the version that most clusters plan to install, if no rollout has brought it yet. The plans of
   * clusters are made by their own catalogs. Targets beyond the active rollout's target wait until it ends;
   * otherwise clusters that are ahead would strand the rest.
   */
  newTarget(subject: FleetSubject): NewTarget | undefined {
    const { bundles, specs } = this.#planned(subject);
    const { active } = this.rolloutsOf(subject.key);
    const specHash = this.askedOf(subject.key);
    // If no rollout is active, the next one may be for few clusters: the most common target that no rollout
    // has brought.
    const candidates = active === undefined ? bundles : bundles.slice(0, 1);
    const bundle = candidates.find((one) => !this.#isKnown(subject, one));
    if (bundle !== undefined) return { bundle, specHash, isSpecOnly: false };
    const [installed] = specs;
    if (installed === undefined || specHash === undefined || this.#isSpecKnown(subject, specHash)) return undefined;
    return { bundle: installed, specHash, isSpecOnly: true };
  }

  /**
   * Returns the versions that clusters plan to install, and the specs of those that get another spec alone.
   * The most common come first.
   */
  #planned(subject: FleetSubject): Readonly<{ bundles: readonly string[]; specs: readonly string[] }> {
    const [bundles, specs] = [new Map<string, number>(), new Map<string, number>()];
    const { active } = this.rolloutsOf(subject.key);
    // Nothing waits for a target that is no longer available.
    const target = active !== undefined && !isTargetWithdrawn(active, this) ? active.spec.target : undefined;
    for (const cluster of this.targetsOf(subject)) {
      const report = cluster.report(subject.key);
      if (report?.planned === undefined || this.ownTargets.isOnItsWay(subject, cluster)) continue;
      const isSpec = isSpecOnly(report);
      const isThere = report.planned === report.bundle || waitsForEnd(report, target);
      if (isThere && !isSpec) continue;
      const counts = isSpec ? specs : bundles;
      counts.set(report.planned, (counts.get(report.planned) ?? 0) + 1);
    }
    return { bundles: inOrder(bundles), specs: inOrder(specs) };
  }

  /** Returns the hash of the spec that is desired in all clusters of a subject. */
  askedOf(key: string): string | undefined {
    const operator = this.operators.get(key);
    if (operator !== undefined) return askedHash(operator);
    const catalog = this.state.catalogs.find(
      ({ metadata: { namespace, name } }) => key === `FleetCatalog/${namespace}/${name}`,
    );
    return catalog && askedOfSources(catalog);
  }

  /**
   * True if a rollout had this target. A target that was rolled back comes again once no cluster denies it
   * any more. A target with later rollouts comes again if a cluster needs it on its upgrade path.
   */
  #isKnown(subject: FleetSubject, target: string): boolean {
    const { records, active, standing } = this.rolloutsOf(subject.key);
    const last = records.findLast(({ spec }) => spec.target === target && spec.specHash === undefined);
    if (last === undefined) return this.#isDenied(subject, target);
    const { phase } = last.status;
    if (phase === 'RolledBack') return this.#isDenied(subject, target);
    const isPast = phase === 'Completed' || phase === 'Superseded';
    if (!isPast || active !== undefined || standing?.spec.target === target) return true;
    return this.#isDenied(subject, target) || !this.#isNeededAgain(subject, last);
  }

  /**
   * True if a cluster plans a version that an earlier rollout brought to others. A version that failed in the
   * cluster waits for a Retry.
   */
  #isNeededAgain(subject: FleetSubject, { spec: { target }, rows }: RolloutRecord): boolean {
    return this.targetsOf(subject).some((cluster) => {
      const phase = rows.get(cluster.name)?.phase;
      const isOver = phase === 'Failed' || phase === 'RolledBack' || isDeniedThere(cluster.report(subject.key), target);
      return !isOver && cluster.report(subject.key)?.planned === target;
    });
  }

  /**
   * True if the desired spec was brought to the installed version, or is on its way. Later rollouts come
   * first.
   */
  #isSpecKnown(subject: FleetSubject, specHash: string): boolean {
    const { active, newest, records } = this.rolloutsOf(subject.key);
    if (active !== undefined && active.spec.specHash === undefined) return true;
    const last = records.findLast(({ spec }) => spec.specHash === specHash);
    if (last === undefined) return false;
    const { phase } = last.status;
    if (phase !== 'Completed') return phase !== 'Superseded';
    return last === newest && !this.#isOverriddenAnew(subject, last);
  }

  /** Another of the overrides selects a cluster that had all it was to have. */
  #isOverriddenAnew(subject: FleetSubject, last: RolloutRecord): boolean {
    return this.targetsOf(subject).some((cluster) => {
      const report = cluster.report(subject.key);
      // If others have changed fields that the fleet applied, the report says so, and no rollout begins.
      if (report === undefined || report.drift) return false;
      return isSpecOnly(report) && last.rows.get(cluster.name)?.phase === 'Done';
    });
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
    const state = this.memory.stateOf(object);
    const known = this.files.subjects.get(key);
    // A rollout that has not ended when its subject is deleted has no targets any more. Others rest.
    const hasEnded = state !== undefined && isFinal(state.status.phase);
    if (known === undefined && hasEnded) return;
    const unreadable = this.unreadable.get(key);
    const subject = known ?? { ...deletedSubject(key, object), place: unreadable && placeIn(unreadable) };
    const rollouts = this.rolloutsOf(key);
    const rolloutSpec: RolloutSpec = {
      name: `${metadata.namespace}/${metadata.name}`,
      uid: this.rolloutUid(key, metadata.name),
      subject: key,
      number: spec.number,
      target: spec.target.bundle,
      specHash: isOfSpec(spec) ? spec.target.specHash : undefined,
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
    const lateMs = this.now - (state?.at ?? this.now);
    const begun = readRows(record, this.#storedRows(rolloutSpec.name), state?.intent ?? [], lateMs);
    record.recount();
    rollouts.records.push(record);
    const unordered = begun.filter((name) => this.clusters.has(name));
    const { taken = [], refused = [] } = state ?? {};
    this.rollouts.push({ object, record, facts: new HubFacts(this, record), unordered, taken, refused });
  }

  *#storedRows(rollout: string): Generator<readonly [cluster: string, StoredRow]> {
    for (const assignment of this.#assignments) {
      const stored = this.memory.rowsOf(assignment)[rollout];
      if (stored !== undefined) yield [assignment.metadata.name, stored];
    }
  }
}

/** True if a rollout brings another spec alone. A Retry of one has a trigger that says so. */
const isOfSpec = ({ trigger, target }: FleetRollout['spec']): boolean =>
  trigger === 'SpecChange' || target.specOnly === true;

/** A subject that was deleted: nothing is selected by it. */
const deletedSubject = (key: string, { metadata, spec }: FleetRollout): FleetSubject => ({
  key,
  kind: spec.subject.kind,
  namespace: metadata.namespace,
  rolloutPrefix: `${metadata.namespace}/${metadata.name.replace(/-\d+$/, '')}`,
  labels: {},
  isPaused: false,
  isClassic: true,
  strategy: spec.strategy,
  place: undefined,
  selects: () => false,
  failureOn: undefined,
  usualBundle: { before: '', next: '' },
  refusal: () => undefined,
});
