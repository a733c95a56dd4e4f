import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry, Summary } from 'prom-client';
import { projectVersion } from '../../files/build-info.js';
import { inTime } from '../in-time.js';
import { ClusterTroubles } from './cluster-troubles.js';
import { ExtensionMetrics } from './extension-metrics.js';
import { LaneMetrics } from './lane-metrics.js';
import { LoginMetrics } from './login-metrics.js';
import { isShared, ObjectLabels, ObjectSeries } from './object-series.js';
import { type RedisSource, watchRedis } from './redis-metrics.js';
import { RolloutMetrics } from './rollout-metrics.js';
import { SlowestClusters } from './slowest-clusters.js';
import { StageDurations } from './stage-durations.js';

type CsvFacts = Readonly<{ namespace: string; name: string; version: string; phase: string; reason: string }>;
type SubscriptionFacts = Readonly<{
  namespace: string;
  name: string;
  installed: string;
  channel: string;
  package: string;
  approval: string;
}>;
export type ObjectCounts = Readonly<{
  csvs?: number;
  installPlans?: number;
  subscriptions?: number;
  catalogSources?: number;
}>;
type MetricsOptions = Readonly<{ registry?: Registry; clusterLimit?: number; processMetrics?: boolean }>;

const COUNTS_DEADLINE_MS = 1_000;
/** How often the lag of the event loop is sampled: each sample wakes the process, also one that is idle. */
const LAG_EVERY_MS = 100;

/** One run of a job; `waitedSeconds`: in its queue. */
type MeasuredJob = Readonly<{ queue: string; outcome: string; waitedSeconds: number; seconds: number }>;

/** A queue that counts its jobs by state. */
type CountedQueue = Readonly<{ name: string; counts: () => Promise<Readonly<Record<string, number>>> }>;

/**
 * The metrics: OLM's series under OLM's names, each with a label for the cluster (spec: metrics.md §1), our
 * queues and our process. A service sets the series that it knows; the others are absent.
 */
export class Metrics {
  readonly registry: Registry;
  readonly extensions: ExtensionMetrics;
  readonly troubles: ClusterTroubles;
  readonly rollouts: RolloutMetrics;
  readonly #csvSucceeded: ObjectSeries;
  readonly #csvAbnormal: ObjectSeries;
  readonly #catalogReady: ObjectSeries;
  readonly #catalogLabels: ObjectLabels;
  readonly #csvUpgrades: Counter;
  readonly #subscriptionSyncs: Counter;
  readonly #syncLabels: ObjectLabels;
  /** Labels by cluster, then by Subscription. */
  readonly #subscriptionLabels = new Map<string, Map<string, Record<string, string>>>();
  readonly #snapshots: Counter;
  readonly #warnings: Counter;
  readonly #held: Gauge;
  readonly #foreign: Gauge;
  readonly #blockers: Gauge;
  readonly #tooLarge: Gauge;
  readonly #kept: Gauge;
  readonly #refused: Counter;
  readonly #ofClusters: (Gauge | Counter)[] = [];
  readonly #resolution: Summary;
  readonly #services: Gauge;
  readonly #jobs: Histogram;
  readonly #jobWaits: Histogram;
  readonly #spans: Counter;
  readonly lanes: LaneMetrics;
  readonly logins: LoginMetrics;
  readonly stages: StageDurations;
  /** No series: as many clusters as there are would be too many. */
  readonly slowest = new SlowestClusters();
  readonly #counts: Readonly<Record<keyof ObjectCounts, Gauge>>;

  constructor({ registry = new Registry(), clusterLimit = 50, processMetrics = true }: MetricsOptions = {}) {
    this.registry = registry;
    this.extensions = new ExtensionMetrics(registry, clusterLimit);
    this.troubles = new ClusterTroubles(registry);
    this.logins = new LoginMetrics(registry);
    this.rollouts = new RolloutMetrics(registry);
    if (processMetrics) collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: LAG_EVERY_MS });
    const noted = <M extends Gauge | Counter>(metric: M): M => {
      this.#ofClusters.push(metric);
      return metric;
    };
    const gauge = (name: string, help: string, ...labelNames: string[]) =>
      noted(new Gauge({ name, help, labelNames: ['cluster', ...labelNames], registers: [registry] }));
    const counter = (name: string, help: string, ...labelNames: string[]) =>
      noted(new Counter({ name, help, labelNames: ['cluster', ...labelNames], registers: [registry] }));
    const object = ['namespace', 'name'];
    const csv = [...object, 'version'];
    const series = (name: string, help: string, identity: readonly string[], ...more: string[]) =>
      new ObjectSeries(gauge(name, help, ...identity, ...more), clusterLimit, identity);
    this.#csvSucceeded = series('csv_succeeded', 'Whether the CSV is in phase Succeeded', csv);
    this.#csvAbnormal = series('csv_abnormal', 'CSVs in another phase than Succeeded', csv, 'phase', 'reason');
    this.#catalogReady = series('catalogsource_ready', 'Whether the catalog is READY', object);
    this.#csvUpgrades = counter('csv_upgrade_count', 'CSVs that began to be replaced');
    const sync = ['name', 'installed', 'channel', 'package', 'approval'];
    this.#subscriptionSyncs = counter('subscription_sync_total', 'Syncs of Subscriptions', ...sync);
    this.#syncLabels = new ObjectLabels(clusterLimit, ['name', 'installed']);
    this.#catalogLabels = new ObjectLabels(clusterLimit, object);
    this.#snapshots = counter('catalog_source_snapshots_total', 'Reads of a catalog for resolution', ...object);
    this.#warnings = counter('installplan_warnings_total', 'Steps that the API server answered with a warning');
    this.#held = gauge(
      'flotilla_cluster_left_to_olm',
      'Whether the cluster is left alone since OLM itself works there',
    );
    this.#foreign = gauge('flotilla_cluster_of_another_hub', 'Whether another hub manages the cluster');
    this.#tooLarge = gauge('flotilla_cluster_too_large', 'Reads of the cluster that exceed their budget');
    this.#kept = gauge('flotilla_cluster_kept_bytes', 'Memory (estimated) for what is kept of the cluster');
    this.#blockers = gauge(
      'flotilla_openshift_upgrade_blockers',
      'Operators that do not run on the next minor OpenShift',
    );
    this.#counts = {
      csvs: gauge('csv_count', 'CSVs, copies left out'),
      installPlans: gauge('install_plan_count', 'InstallPlans'),
      subscriptions: gauge('subscription_count', 'Subscriptions'),
      catalogSources: gauge('catalog_source_count', 'CatalogSources'),
    };
    this.#refused = counter(
      'flotilla_refused_values_total',
      'Values in Redis that were not used, since they are forged or damaged',
      'what',
    );
    this.#resolution = resolutionDurations(registry);
    this.#services = serviceInfo(registry);
    this.#jobs = jobDurations(registry);
    this.#jobWaits = jobWaits(registry);
    this.#spans = spanCounts(registry);
    this.lanes = new LaneMetrics(registry);
    this.stages = new StageDurations(registry);
  }

  csv(cluster: string, { namespace, name, version, phase, reason }: CsvFacts): void {
    const object = `${namespace}/${name}`;
    const labels = { namespace, name, version };
    const succeeded = phase === 'Succeeded';
    this.#csvSucceeded.set(cluster, object, labels, succeeded ? 1 : 0);
    if (succeeded) this.#csvAbnormal.delete(cluster, object);
    else this.#csvAbnormal.set(cluster, object, { ...labels, phase, reason }, 1);
  }

  csvGone(cluster: string, namespace: string, name: string): void {
    this.#csvSucceeded.delete(cluster, `${namespace}/${name}`);
    this.#csvAbnormal.delete(cluster, `${namespace}/${name}`);
  }

  /** `what`: the kind of value, such as `solution`. */
  valueRefused(cluster: string, what: string, count = 1): void {
    this.#refused.inc({ cluster, what }, count);
  }

  /**
   * Sets the budget figures of a cluster. `reads`: the number of kinds or requests that exceed their budget;
   * `bytes`: the size of the data kept of the cluster.
   */
  clusterBudget(cluster: string, { reads, bytes }: Readonly<{ reads: number; bytes: number }>): void {
    this.#tooLarge.set({ cluster }, reads);
    this.#kept.set({ cluster }, bytes);
  }

  csvUpgradeBegun(cluster: string): void {
    this.#csvUpgrades.inc({ cluster });
  }

  /** Initialises the counter at 0, so that increase() sees the first upgrade. */
  csvUpgradesCounted(cluster: string): void {
    this.#csvUpgrades.inc({ cluster }, 0);
  }

  subscriptionSynced(cluster: string, { namespace, ...facts }: SubscriptionFacts): void {
    const known = this.#subscriptionLabels.get(cluster) ?? new Map<string, Record<string, string>>();
    const object = `${namespace}/${facts.name}`;
    const labels = this.#syncLabels.of(cluster, facts);
    const old = known.get(object);
    if (old !== undefined && JSON.stringify(old) !== JSON.stringify(labels)) this.#forgetSyncs(old);
    this.#subscriptionLabels.set(cluster, known.set(object, labels));
    this.#subscriptionSyncs.inc(labels);
  }

  subscriptionGone(cluster: string, namespace: string, name: string): void {
    const known = this.#subscriptionLabels.get(cluster);
    const old = known?.get(`${namespace}/${name}`);
    if (old !== undefined) this.#forgetSyncs(old);
    known?.delete(`${namespace}/${name}`);
  }

  /** Counts for many clusters together stay. */
  #forgetSyncs(labels: Record<string, string>): void {
    if (!isShared(labels)) this.#subscriptionSyncs.remove(labels);
  }

  catalogReady(cluster: string, namespace: string, name: string, ready: boolean): void {
    this.#catalogReady.set(cluster, `${namespace}/${name}`, { namespace, name }, ready ? 1 : 0);
    this.troubles.catalog(cluster, 'CatalogSource', `${namespace}/${name}`, ready);
    this.#snapshots.inc(this.#catalogLabels.of(cluster, { namespace, name }), 0);
  }

  catalogRead(cluster: string, namespace: string, name: string): void {
    this.#snapshots.inc(this.#catalogLabels.of(cluster, { namespace, name }));
  }

  catalogGone(cluster: string, namespace: string, name: string): void {
    this.#catalogReady.delete(cluster, `${namespace}/${name}`);
    this.troubles.catalogGone(cluster, 'CatalogSource', `${namespace}/${name}`);
    const labels = this.#catalogLabels.of(cluster, { namespace, name });
    if (!isShared(labels)) this.#snapshots.remove(labels);
  }

  /** Sets if a cluster is left alone because OLM itself runs there. */
  clusterHeld(cluster: string, held: boolean): void {
    this.#held.set({ cluster }, held ? 1 : 0);
  }

  /** Sets if a cluster is left alone because another hub manages it. */
  clusterOfAnotherHub(cluster: string, isForeign: boolean): void {
    this.#foreign.set({ cluster }, isForeign ? 1 : 0);
  }

  /**
   * Sets the number of operators of an OpenShift cluster that keep it from its next minor version. Undefined
   * if they are not counted any more.
   */
  openShiftBlockers(cluster: string, operators: number | undefined): void {
    if (operators === undefined) this.#blockers.remove({ cluster });
    else this.#blockers.set({ cluster }, operators);
  }

  installPlanWarnings(cluster: string, warnings: number): void {
    this.#warnings.inc({ cluster }, warnings);
  }

  objectCounts(cluster: string, counts: ObjectCounts): void {
    for (const kind of ['csvs', 'installPlans', 'subscriptions', 'catalogSources'] as const) {
      const count = counts[kind];
      if (count !== undefined) this.#counts[kind].set({ cluster }, count);
    }
  }

  /**
   * Removes the numbers of objects of a cluster that is no longer watched: they are not known from here on.
   */
  clusterUnwatched(cluster: string): void {
    for (const gauge of Object.values(this.#counts)) gauge.remove({ cluster });
  }

  /** The cluster has left: nothing is reported of it any more. */
  async clusterGone(cluster: string): Promise<void> {
    this.extensions.clusterGone(cluster);
    this.troubles.clusterGone(cluster);
    for (const series of [this.#csvSucceeded, this.#csvAbnormal, this.#catalogReady]) series.forget(cluster);
    for (const labels of [this.#syncLabels, this.#catalogLabels]) labels.forget(cluster);
    this.#subscriptionLabels.delete(cluster);
    for (const metric of this.#ofClusters) {
      const { values } = await metric.get();
      for (const { labels } of values) if (labels['cluster'] === cluster) metric.remove(labels);
    }
  }

  /** The services that this process runs. */
  servicesRun(services: readonly string[]): void {
    for (const service of services) this.#services.set({ service, version: projectVersion() }, 1);
  }

  resolved(outcome: 'succeeded' | 'failed', seconds: number): void {
    this.#resolution.observe({ outcome }, seconds);
  }

  readonly jobFinished = ({ queue, outcome, waitedSeconds, seconds }: MeasuredJob): void => {
    this.#jobWaits.observe({ queue }, waitedSeconds);
    this.#jobs.observe({ queue, outcome }, seconds);
  };

  /** Spans of traces that a collector took, or that were dropped. */
  spans(outcome: 'sent' | 'dropped', count: number): void {
    this.#spans.inc({ outcome }, count);
  }

  /** Measures memory and refusals of Redis, as this process sees them. */
  watchRedis(source: RedisSource): void {
    watchRedis(this.registry, source);
  }

  /** `count`: images that are asked for and not read again, since they ended the thread that read them. */
  watchEndedImages(count: () => number): void {
    const gauge: Gauge = new Gauge({
      name: 'flotilla_ended_images',
      help: 'Images that are wanted and not read again, since they ended the thread that read them',
      registers: [this.registry],
      collect: () => gauge.set(count()),
    });
  }

  /** Jobs by state, asked for at each scrape; the series are absent while Redis does not answer. */
  watchQueues(queues: readonly CountedQueue[]): void {
    const gauge: Gauge = new Gauge({
      name: 'bullmq_job_count',
      help: 'Jobs in the queue by state',
      labelNames: ['queue', 'state'],
      registers: [this.registry],
      collect: async () => {
        gauge.reset();
        await Promise.all(queues.map((queue) => setCounts(gauge, queue)));
      },
    });
  }
}

const resolutionDurations = (registry: Registry): Summary =>
  new Summary({
    name: 'olm_resolution_duration_seconds',
    help: 'Duration of a resolution',
    labelNames: ['outcome'],
    percentiles: [0.9, 0.95, 0.99],
    registers: [registry],
  });

const serviceInfo = (registry: Registry): Gauge =>
  new Gauge({
    name: 'flotilla_service_info',
    help: 'Services of the hub that the process runs, with their version; always 1',
    labelNames: ['service', 'version'],
    registers: [registry],
  });

const spanCounts = (registry: Registry): Counter =>
  new Counter({
    name: 'flotilla_trace_spans_total',
    help: 'Spans of traces that the collector took, or that were dropped',
    labelNames: ['outcome'],
    registers: [registry],
  });

const jobDurations = (registry: Registry): Histogram =>
  new Histogram({
    name: 'flotilla_job_duration_seconds',
    help: 'Duration of one run of a job',
    labelNames: ['queue', 'outcome'],
    buckets: [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300],
    registers: [registry],
  });

const jobWaits = (registry: Registry): Histogram =>
  new Histogram({
    name: 'flotilla_job_wait_seconds',
    help: 'How long a job waited in its queue',
    labelNames: ['queue'],
    buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1_800],
    registers: [registry],
  });

async function setCounts(gauge: Gauge, queue: CountedQueue): Promise<void> {
  const counts = await inTime(COUNTS_DEADLINE_MS, queue.counts());
  for (const [state, count] of Object.entries(counts ?? {})) gauge.set({ queue: queue.name, state }, count);
}
