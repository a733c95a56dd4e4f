import { Gauge, Histogram, type Registry, Summary } from 'prom-client';
import type { ExtensionHealth } from '#core/v1/extension/extension-health';
import { ObjectSeries } from './object-series.js';

type ExtensionFacts = Readonly<{ name: string; package: string; version: string }>;

/** The metrics of ClusterExtensions, modelled on OLM's series about CSVs. */
export class ExtensionMetrics {
  readonly #installed: ObjectSeries;
  readonly #abnormal: ObjectSeries;
  readonly #resolution: Summary;
  readonly #rollout: Histogram;

  constructor(registry: Registry, clusterLimit: number) {
    const identity = ['name', 'package', 'version'];
    const series = (name: string, help: string, ...more: string[]) => {
      const labelNames = ['cluster', ...identity, ...more];
      return new ObjectSeries(new Gauge({ name, help, labelNames, registers: [registry] }), clusterLimit, identity);
    };
    this.#installed = series('flotilla_extension_installed', 'Whether the ClusterExtension has its bundle');
    this.#abnormal = series(
      'flotilla_extension_abnormal',
      'ClusterExtensions that do not reach their desired state, or have objects that are not ready',
      'condition',
      'reason',
    );
    this.#resolution = new Summary({
      name: 'flotilla_extension_resolution_duration_seconds',
      help: 'Duration of the choice of a bundle for ClusterExtensions',
      labelNames: ['outcome'],
      percentiles: [0.9, 0.95, 0.99],
      registers: [registry],
    });
    this.#rollout = new Histogram({
      name: 'flotilla_extension_rollout_duration_seconds',
      help: 'Time from the making of a revision until all of it is there and ready',
      labelNames: ['cluster'],
      buckets: [1, 5, 10, 30, 60, 120, 300, 600, 1_800, 3_600],
      registers: [registry],
    });
  }

  noted(cluster: string, facts: ExtensionFacts, { installed, abnormal }: ExtensionHealth): void {
    const { name } = facts;
    this.#installed.set(cluster, name, { ...facts }, installed ? 1 : 0);
    if (abnormal === undefined) this.#abnormal.delete(cluster, name);
    else this.#abnormal.set(cluster, name, { ...facts, ...abnormal }, 1);
  }

  gone(cluster: string, name: string): void {
    this.#installed.delete(cluster, name);
    this.#abnormal.delete(cluster, name);
  }

  /** The cluster has left. */
  clusterGone(cluster: string): void {
    this.#installed.forget(cluster);
    this.#abnormal.forget(cluster);
    this.#rollout.remove({ cluster });
  }

  resolved(outcome: 'succeeded' | 'failed', seconds: number): void {
    this.#resolution.observe({ outcome }, seconds);
  }

  rolledOut(cluster: string, seconds: number): void {
    this.#rollout.observe({ cluster }, seconds);
  }
}
