import { Gauge, type Registry } from 'prom-client';
import { ObjectTally } from './object-tally.js';

type CatalogKind = 'CatalogSource' | 'ClusterCatalog';

/** Reasons of condition ResolutionFailed that the hub writes; users may have written others. */
const REASONS: ReadonlySet<string> = new Set(['ConstraintsNotSatisfiable', 'ErrorPreventedResolution']);

/**
 * Problems of a cluster that need a user, as one number per cluster and cause: the number of series does not
 * grow with the number of objects. `flotilla status` names the objects.
 */
export class ClusterTroubles {
  readonly #unresolved: ObjectTally;
  readonly #notReady: ObjectTally;
  readonly #refused: Gauge;

  constructor(registry: Registry) {
    const gauge = (name: string, help: string, ...labels: string[]) =>
      new Gauge({ name, help, labelNames: ['cluster', ...labels], registers: [registry] });
    const unresolved = gauge('flotilla_subscriptions_unresolved', 'Subscriptions that cannot be resolved', 'reason');
    const notReady = gauge('flotilla_catalogs_not_ready', 'Catalogs that cannot be used', 'kind');
    this.#refused = gauge('flotilla_refused_subjects', 'Subjects for which the API server refuses a write');
    this.#unresolved = new ObjectTally(unresolved);
    this.#notReady = new ObjectTally(notReady);
  }

  /** Counts a Subscription without a solution. `reason`: of condition ResolutionFailed, if it is True. */
  unresolved(cluster: string, subscription: string, reason: string | undefined): void {
    const group = reason === undefined ? undefined : { reason: REASONS.has(reason) ? reason : 'other' };
    this.#unresolved.set(cluster, subscription, group);
  }

  catalog(cluster: string, kind: CatalogKind, name: string, ready: boolean): void {
    this.#notReady.begin(cluster, { kind });
    this.#notReady.set(cluster, `${kind}/${name}`, ready ? undefined : { kind });
  }

  catalogGone(cluster: string, kind: CatalogKind, name: string): void {
    this.#notReady.set(cluster, `${kind}/${name}`, undefined);
  }

  refused(cluster: string, subjects: number): void {
    this.#refused.set({ cluster }, subjects);
  }

  /** The cluster has left: nothing is reported of it any more. */
  clusterGone(cluster: string): void {
    this.#unresolved.forget(cluster);
    this.#notReady.forget(cluster);
    this.#refused.remove({ cluster });
  }
}
