import { RETURNED } from '../controller/facts/report-reasons.js';
import type { FleetSubject } from '../controller/record/subjects.js';
import type { ClusterReport } from '../controller/step/facts.js';
import { ROLLBACK_CLASS } from '../controller/step/returns.js';
import { durationMs } from '../placement/waves.js';
import { draw, type FaultSubject } from './faults.js';
import type { TargetEntry } from './scenario-schema.js';
import { plainClass, ShownClasses } from './shown-classes.js';
import { ChangedPlans, type HopOrder, VirtualCatalogs } from './virtual-catalogs.js';
import type { Activity, VirtualCluster, VirtualPlan } from './virtual-cluster.js';
import { reportIn } from './virtual-report.js';
import type { WorldOptions } from './world-options.js';

/** A rollout, as the clusters know it. */
export type RolloutOrders = Readonly<{
  name: string;
  subject: FleetSubject;
  target: string;
  wave: string;
  class: string | null;
}>;

const hopsOf = (cluster: VirtualCluster, rollout: string): number => cluster.plans.get(rollout)?.hops.length ?? 1;

const ONLY_CLASS = 'only';
const CATALOG = 'FleetCatalog';
/** Delay until an applier that was not woken finds its orders by itself. */
const WITHOUT_WAKE = 3_000;
/** Silence in milliseconds until a cluster counts as offline. */
const NOTICED_AFTER = 40_000;

/** The virtual clusters and their events. */
export class VirtualWorld {
  readonly clusters = new Map<string, VirtualCluster>();
  /** Faults that concern a joining cluster. */
  readonly onJoined: ((cluster: VirtualCluster) => void)[] = [];
  now: number;
  clusterWrites = 0;
  /** Reports that appliers write to the hub. */
  hubWrites = 0;
  readonly #shown = new ShownClasses();
  #wakesLostUntil = Number.NEGATIVE_INFINITY;
  readonly #durations: Readonly<Record<'plan' | 'hop' | 'ready' | 'return', number>>;
  readonly #changedPlans: ChangedPlans;
  readonly catalogs = new VirtualCatalogs();

  constructor(readonly options: WorldOptions) {
    this.now = options.log.start;
    this.#changedPlans = new ChangedPlans(options.faults);
    const { plan, hop, ready, return: back } = options.file.durations;
    this.#durations = {
      plan: durationMs(plan),
      hop: durationMs(hop),
      ready: durationMs(ready),
      return: durationMs(back),
    };
  }

  /** Start of the run, in milliseconds since 1970. */
  get start(): number {
    return this.options.log.start;
  }

  event(phase: string, cluster: string | null, more: Readonly<Record<string, string>> = {}): void {
    this.options.log.add(this.now, { kind: 'world', phase, cluster, ...more });
  }

  at(time: number, act: () => void, isLive: () => boolean = () => true): void {
    this.options.agenda.note(time, { act, isLive });
  }

  target(subject: string, bundle: string): TargetEntry | undefined {
    return this.options.file.targets.find((one) => one.subject === subject && one.to === bundle);
  }

  /** Returns the target of a release without one: the first target that is listed for its subject. */
  usualTarget({ key, usualBundle }: FleetSubject): string {
    return this.options.file.targets.find(({ subject }) => subject === key)?.to ?? usualBundle.next;
  }

  installed(cluster: VirtualCluster, subject: FleetSubject): string | null {
    const known = cluster.installed.get(subject.key);
    if (known !== undefined) return known;
    return cluster.isEmpty ? null : subject.usualBundle.before;
  }

  /** Returns the number of completed hops of a path in a cluster. */
  hopsDone(cluster: VirtualCluster, subject: FleetSubject, target: string, hops: number): number {
    const bundle = this.installed(cluster, subject);
    if (bundle === target) return hops;
    if (hops === 1) return 0;
    return Array.from({ length: hops }, (_, at) => at).findLast((hop) => bundle === `${target}-hop${hop}`) ?? 0;
  }

  /** Returns the report of an applier about a subject, to a rollout of it. */
  readonly reportOf = (cluster: VirtualCluster, subject: string, rollout?: string) =>
    reportIn(this, cluster, subject, rollout);

  /** Starts a preview of a cluster, once for each row. */
  plan(rollout: RolloutOrders, cluster: VirtualCluster, changedClass?: string): void {
    const entry = this.target(rollout.subject.key, rollout.target);
    const found = entry?.classes?.find(
      ({ name, clusters }) =>
        (changedClass === undefined || name === changedClass) &&
        (changedClass !== undefined || this.options.faults.selects(clusters, 0, cluster)),
    );
    const usual = rollout.subject.kind === CATALOG ? (['CatalogOnly'] as const) : (['Minor'] as const);
    const plan: VirtualPlan = {
      subject: rollout.subject,
      target: rollout.target,
      state: 'Planning',
      isChanged: changedClass !== undefined,
      class: this.#shown.classOf(rollout.name, found?.name ?? changedClass ?? ONLY_CLASS, found?.differences),
      changes: [...(found?.changes ?? usual)],
      hops: Array.from({ length: found?.hops ?? 1 }, (_, at) => `hop${at + 1}`),
      neighbours: found?.neighbours ?? [],
      first: found?.first,
    };
    cluster.plans.set(rollout.name, plan);
    const time = this.#time('plan', cluster, rollout.name, 0, 1);
    this.#start(cluster, `plan/${rollout.name}`, time, () => {
      plan.state = 'Planned';
      this.hubWrites++;
      this.options.changed(cluster.name);
    });
  }

  /** Gives an order to a cluster: at once, later if its wake-up is lost, or when it is online again. */
  order(cluster: VirtualCluster, subject: string, carryOut: () => void, isNotWoken: boolean): void {
    cluster.waitingOrders.set(subject, carryOut);
    if (isNotWoken || this.now < this.#wakesLostUntil)
      this.at(this.now + WITHOUT_WAKE, () => this.#deliver(cluster, subject, carryOut));
    else this.#deliver(cluster, subject, carryOut);
  }

  #deliver(cluster: VirtualCluster, subject: string, carryOut: () => void): void {
    const isClosed = !cluster.isOnline || cluster.isPaused || cluster.isReplaced;
    if (isClosed || cluster.waitingOrders.get(subject) !== carryOut) return;
    cluster.waitingOrders.delete(subject);
    carryOut();
  }

  /** Carries out waiting orders of a cluster that is online and managed again. */
  deliverAll(cluster: VirtualCluster): void {
    for (const [subject, carryOut] of cluster.waitingOrders) this.#deliver(cluster, subject, carryOut);
  }

  withdraw(cluster: VirtualCluster, subject: string): void {
    cluster.waitingOrders.delete(subject);
  }

  /** Starts an attempt. The plan is compared first, and nothing is written if it has changed. */
  go(rollout: RolloutOrders, cluster: VirtualCluster, attempt: number, hop: number): void {
    if (this.#isRefused(rollout, cluster, { attempt, hop, isStart: true })) return;
    if (!cluster.previous.has(rollout.name)) {
      cluster.previous.set(rollout.name, this.installed(cluster, rollout.subject));
    }
    cluster.results.delete(rollout.name);
    cluster.waves.set(rollout.name, rollout.wave);
    this.#write('Target', rollout, cluster, attempt, hop, rollout.target);
    const hops = hopsOf(cluster, rollout.name);
    if (this.hopsDone(cluster, rollout.subject, rollout.target, hops) < hops) {
      this.hop(rollout, cluster, attempt, hop, true);
      return;
    }
    this.#report(cluster, rollout, { attempt, state: 'Running', hop: hops, isIdle: true });
    this.#becomeReady(rollout, cluster, attempt);
  }

  /**
   * Compares the plan of a hop with the reviewed one. If they differ, the hop is planned again and nothing is
   * written.
   */
  #isRefused(rollout: RolloutOrders, cluster: VirtualCluster, { attempt, hop, isStart }: HopOrder): boolean {
    const subject = this.#subject(rollout, cluster, attempt);
    const offer = { subject: rollout.subject.key, to: rollout.target };
    const isGone = this.catalogs.isWithdrawn(offer) && this.installed(cluster, rollout.subject) !== offer.to;
    const known = isGone ? (cluster.plans.get(rollout.name)?.class ?? ONLY_CLASS) : undefined;
    const found = this.#changedPlans.classOf(subject, { hop, isStart }, this.now) ?? known;
    if (found === undefined) return false;
    this.plan(rollout, cluster, plainClass(found));
    this.#report(cluster, rollout, { attempt, state: 'Refused', hop: isStart ? hop : hop - 1 });
    return true;
  }

  hop(rollout: RolloutOrders, cluster: VirtualCluster, attempt: number, hop: number, isFirst: boolean): void {
    if (!isFirst && this.#isRefused(rollout, cluster, { attempt, hop, isStart: false })) return;
    if (rollout.subject.isClassic) this.#write('Approve', rollout, cluster, attempt, hop, rollout.target);
    this.#report(cluster, rollout, { attempt, state: 'Running', hop });
    const { faults } = this.options;
    const subject = this.#subject(rollout, cluster, attempt);
    const fails = isFirst ? faults.of('applyFails', subject, this.now) : undefined;
    if (fails !== undefined) {
      this.#start(cluster, rollout.subject.key, durationMs(fails.after), () =>
        this.#report(cluster, rollout, { attempt, state: 'Failed', hop, message: fails.cause }),
      );
      return;
    }
    if (isFirst && faults.of('applyHangs', subject, this.now) !== undefined) return;
    const factor = faults.of('slow', subject, this.now)?.factor ?? 1;
    const hops = hopsOf(cluster, rollout.name);
    this.#start(cluster, rollout.subject.key, this.#time('hop', cluster, rollout.name, attempt, factor), () => {
      this.#install(rollout, cluster, hop >= hops ? rollout.target : `${rollout.target}-hop${hop}`);
      this.#report(cluster, rollout, { attempt, state: 'Running', hop, isIdle: true });
      if (hop >= hops) this.#becomeReady(rollout, cluster, attempt);
    });
  }

  #becomeReady(rollout: RolloutOrders, cluster: VirtualCluster, attempt: number): void {
    const factor = this.options.faults.of('slow', this.#subject(rollout, cluster, attempt), this.now)?.factor ?? 1;
    const { hop } = cluster.reports.get(rollout.name) ?? { hop: 1 };
    this.#start(cluster, rollout.subject.key, this.#time('ready', cluster, rollout.name, attempt, factor), () =>
      this.#report(cluster, rollout, { attempt, state: 'Ready', hop, isIdle: true, isHealthy: true }),
    );
  }

  /** Faults that begin some time after a cluster is Done. */
  done(rollout: RolloutOrders, cluster: VirtualCluster, attempt: number): void {
    const fault = this.options.faults.of('unhealthy', this.#subject(rollout, cluster, attempt), this.now);
    if (fault === undefined) return;
    const report = cluster.reports.get(rollout.name);
    const isCurrent = (): boolean => cluster.reports.get(rollout.name) === report;
    this.#later(cluster, durationMs(fault.after), isCurrent, () => {
      this.event('Unhealthy', cluster.name);
      this.#report(cluster, rollout, { attempt, state: 'Unhealthy', hop: report?.hop ?? 1, isIdle: true });
      const unhealthy = cluster.reports.get(rollout.name);
      if (fault.for === undefined) return;
      this.#later(
        cluster,
        durationMs(fault.for),
        () => cluster.reports.get(rollout.name) === unhealthy,
        () => {
          this.event('Healthy', cluster.name);
          this.#report(cluster, rollout, {
            attempt,
            state: 'Ready',
            hop: report?.hop ?? 1,
            isIdle: true,
            isHealthy: true,
          });
        },
      );
    });
  }

  #later(cluster: VirtualCluster, after: number, isDue: () => boolean, act: () => void): void {
    const isLive = (): boolean => isDue() && this.clusters.get(cluster.name) === cluster;
    this.at(this.now + after, () => (isLive() ? act() : undefined), isLive);
  }

  /** Returns a cluster to its previous bundle. */
  giveBack(rollout: RolloutOrders, cluster: VirtualCluster, attempt: number, hop: number): void {
    const previous = cluster.previous.get(rollout.name) ?? null;
    this.#write('Return', { ...rollout, class: ROLLBACK_CLASS }, cluster, attempt, hop, previous);
    const subject = this.#subject(rollout, cluster, attempt);
    const fails = this.options.faults.of('returnFails', subject, this.now) !== undefined;
    const factor = this.options.faults.of('slow', subject, this.now)?.factor ?? 1;
    this.#report(cluster, rollout, { attempt, state: 'Returning', hop });
    this.#start(cluster, rollout.subject.key, this.#time('return', cluster, rollout.name, attempt, factor), () => {
      if (!fails) {
        this.#install(rollout, cluster, previous);
        cluster.results.set(rollout.name, { phase: 'RolledBack', reason: RETURNED, attempt });
      }
      this.#report(cluster, rollout, { attempt, state: fails ? 'ReturnFailed' : 'Returned', hop, isIdle: true });
    });
  }

  /** Installs a bundle as users of a cluster do. The current order there never ends. */
  installByHand(cluster: VirtualCluster, { key }: FleetSubject, bundle: string): void {
    cluster.goAhead(key, bundle, this.now);
    this.event('Installed', cluster.name, { subject: key, bundle });
    this.options.changed(cluster.name);
  }

  #install(rollout: RolloutOrders, cluster: VirtualCluster, bundle: string | null): void {
    cluster.installed.set(rollout.subject.key, bundle);
    this.event('Installed', cluster.name, { subject: rollout.subject.key, ...(bundle === null ? {} : { bundle }) });
  }

  #write(
    phase: 'Target' | 'Approve' | 'Return',
    rollout: RolloutOrders,
    cluster: VirtualCluster,
    attempt: number,
    hop: number,
    bundle: string | null,
  ): void {
    this.clusterWrites++;
    this.options.log.add(this.now, {
      kind: 'write',
      phase,
      rollout: rollout.name,
      subject: rollout.subject.key,
      wave: rollout.wave,
      cluster: cluster.name,
      class: rollout.class,
      attempt,
      hop,
      bundle,
    });
  }

  #report(
    cluster: VirtualCluster,
    rollout: RolloutOrders,
    report: Pick<ClusterReport, 'attempt' | 'state' | 'hop'> & Partial<ClusterReport>,
  ): void {
    cluster.reports.set(rollout.name, { isIdle: false, isHealthy: false, message: '', since: this.now, ...report });
    this.hubWrites++;
    this.options.changed(cluster.name);
  }

  #subject(rollout: RolloutOrders, cluster: VirtualCluster, attempt: number): FaultSubject {
    return { cluster, rollout: rollout.name, bundle: rollout.target, attempt };
  }

  #time(
    what: 'plan' | 'hop' | 'ready' | 'return',
    cluster: VirtualCluster,
    rollout: string,
    attempt: number,
    factor: number,
  ): number {
    const { jitter } = this.options.file.durations;
    const share =
      jitter === 0 ? 1 : 1 + jitter * (2 * draw(this.options.seed, 'jitter', 0, cluster.name, rollout, attempt) - 1);
    return Math.round(this.#durations[what] * factor * share);
  }

  /** Begins work in a cluster, and replaces work under the same key. */
  #start(cluster: VirtualCluster, key: string, time: number, end: () => void): void {
    const activity: Activity = { end, left: time, endsAt: undefined };
    cluster.activities.set(key, activity);
    if (cluster.isOnline) this.#run(cluster, key, activity);
  }

  #run(cluster: VirtualCluster, key: string, activity: Activity): void {
    const endsAt = this.now + activity.left;
    activity.endsAt = endsAt;
    const isLive = (): boolean => cluster.activities.get(key) === activity && activity.endsAt === endsAt;
    this.at(
      endsAt,
      () => {
        if (!isLive()) return;
        cluster.activities.delete(key);
        activity.end();
      },
      isLive,
    );
  }

  goOffline(cluster: VirtualCluster): void {
    cluster.offlineFaults++;
    if (cluster.offlineFaults > 1) return;
    this.event('Offline', cluster.name);
    cluster.lastContact = this.now;
    cluster.stopWork(this.now);
    const since = this.now;
    const isLive = (): boolean => !cluster.isOnline && cluster.lastContact === since && cluster.isReachable;
    const notice = (): void => {
      if (!isLive()) return;
      cluster.isReachable = false;
      this.options.changed(cluster.name);
    };
    if (this.now === this.start) notice();
    else this.at(this.now + NOTICED_AFTER, notice, isLive);
  }

  goOnline(cluster: VirtualCluster): void {
    cluster.offlineFaults--;
    if (!cluster.isOnline) return;
    this.event('Online', cluster.name);
    cluster.isReachable = true;
    cluster.lastContact = this.now;
    for (const [key, activity] of cluster.activities) this.#run(cluster, key, activity);
    this.deliverAll(cluster);
    this.options.changed(cluster.name);
  }

  loseWakes(until: number): void {
    this.#wakesLostUntil = Math.max(this.#wakesLostUntil, until);
  }

  /**
   * Replaces the cluster: another one answers under the name. Nothing is installed, and nothing of the
   * previous cluster is known there.
   */
  replace(cluster: VirtualCluster): void {
    cluster.becomeAnother();
    this.event('Replaced', cluster.name);
    this.options.changed(cluster.name);
  }
}
